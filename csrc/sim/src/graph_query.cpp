// Reading graphs.
#include "symbols.hpp"
#include "world.hpp"

#include <algorithm>
#include <cstring>

namespace graphdedup_sim::impl {
namespace {

bool is_default(const CUgraphEdgeData& data) {
    constexpr CUgraphEdgeData zero{};
    return std::memcmp(&data, &zero, sizeof data) == 0;
}

struct full_edge {
    CUgraphNode from = nullptr;
    CUgraphNode to = nullptr;
    CUgraphEdgeData data{};
};

// Fills what there is room for. `count`: in, the room; out, the number that was there or fitted. Rooms left over are zeroed.
struct edge_arrays {
    CUgraphNode* from = nullptr;
    CUgraphNode* to = nullptr;
    CUgraphEdgeData* data = nullptr;
    std::size_t* count = nullptr;
};

CUresult write_edges(const std::vector<full_edge>& edges, const edge_arrays& out) {
    if (out.data == nullptr) {
        for (const full_edge& e : edges) {
            if (!is_default(e.data)) return CUDA_ERROR_LOSSY_QUERY;
        }
    }
    for (std::size_t i = 0; i < *out.count; ++i) {
        const full_edge e = i < edges.size() ? edges[i] : full_edge{};
        out.from[i] = e.from;
        if (out.to != nullptr) out.to[i] = e.to;
        if (out.data != nullptr) out.data[i] = e.data;
    }
    *out.count = std::min(*out.count, edges.size());
    return CUDA_SUCCESS;
}

}  // namespace

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
    const graph_object* found = lookup(here().graphs, graph, symbol::cuGraphGetNodes);
    if (found == nullptr || count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (nodes == nullptr) {
        *count = found->nodes.size();
        return CUDA_SUCCESS;
    }
    for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < found->nodes.size() ? found->nodes[i] : nullptr;
    *count = std::min(*count, found->nodes.size());
    return CUDA_SUCCESS;
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, std::size_t* count) {
    const graph_object* found = lookup(here().graphs, graph, symbol::cuGraphGetEdges);
    if (found == nullptr || count == nullptr || (from == nullptr) != (to == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    std::vector<full_edge> edges;
    for (const CUgraphNode node : found->nodes) {
        for (const edge& e : here().nodes.find(node)->incoming) edges.push_back({e.from, node, e.data});
    }
    if (from != nullptr) return write_edges(edges, {from, to, data, count});
    if (data != nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = edges.size();
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* dependencies, CUgraphEdgeData* data, std::size_t* count) {
    const node_object* found = lookup(here().nodes, node, symbol::cuGraphNodeGetDependencies);
    if (found == nullptr || count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (dependencies == nullptr) {
        if (data != nullptr) return CUDA_ERROR_INVALID_VALUE;
        *count = found->incoming.size();
        return CUDA_SUCCESS;
    }
    std::vector<full_edge> edges;
    for (const edge& e : found->incoming) edges.push_back({e.from, node, e.data});
    return write_edges(edges, {dependencies, nullptr, data, count});
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
    const node_object* found = lookup(here().nodes, node, symbol::cuGraphNodeGetType);
    if (found == nullptr || type == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *type = found->type;
    return CUDA_SUCCESS;
}

namespace {

// The parameters of a node, if it is of that kind.
template <typename params_type>
const params_type* find_params(CUgraphNode node, CUgraphNodeType type, symbol operation) {
    const node_object* found = lookup(here().nodes, node, operation);
    return found != nullptr && found->type == type ? std::get_if<params_type>(&found->params) : nullptr;
}

}  // namespace

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* params) {
    const auto* found = find_params<memcpy_params>(node, CU_GRAPH_NODE_TYPE_MEMCPY, symbol::cuGraphMemcpyNodeGetParams);
    if (found == nullptr || params == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *params = found->copy;
    return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* params) {
    const auto* found = find_params<memset_params>(node, CU_GRAPH_NODE_TYPE_MEMSET, symbol::cuGraphMemsetNodeGetParams);
    if (found == nullptr || params == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *params = found->set;
    return CUDA_SUCCESS;
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* params) {
    const auto* found = find_params<host_params>(node, CU_GRAPH_NODE_TYPE_HOST, symbol::cuGraphHostNodeGetParams);
    if (found == nullptr || params == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *params = {found->function, found->user_data};
    return CUDA_SUCCESS;
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
    const auto* found = find_params<child_params>(node, CU_GRAPH_NODE_TYPE_GRAPH, symbol::cuGraphChildGraphNodeGetGraph);
    if (found == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *graph = found->graph;
    return CUDA_SUCCESS;
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event) {
    const auto* found = find_params<event_params>(node, CU_GRAPH_NODE_TYPE_EVENT_RECORD, symbol::cuGraphEventRecordNodeGetEvent);
    if (found == nullptr || event == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *event = found->event;
    return CUDA_SUCCESS;
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event) {
    const auto* found = find_params<event_params>(node, CU_GRAPH_NODE_TYPE_WAIT_EVENT, symbol::cuGraphEventWaitNodeGetEvent);
    if (found == nullptr || event == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *event = found->event;
    return CUDA_SUCCESS;
}

}  // namespace graphdedup_sim::impl
