#include "graph_edit.hpp"

#include "kernel_params.hpp"
#include "memory.hpp"
#include "user_objects.hpp"
#include "world.hpp"

#include <algorithm>

namespace graphdedup_sim {
namespace {

bool is_memory_node(CUgraphNodeType type) { return type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE; }

bool is_valid(const CUgraphEdgeData& data, CUgraphNodeType from, CUgraphNodeType to) {
    constexpr unsigned char last_port = 2;
    const auto is_zero = [](unsigned char byte) { return byte == 0; };
    if (data.to_port != 0 || data.from_port > last_port || data.type > CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC) return false;
    if (!std::all_of(std::begin(data.reserved), std::end(data.reserved), is_zero)) return false;
    if (data.from_port != 0 && from != CU_GRAPH_NODE_TYPE_KERNEL) return false;
    const bool programmatic = data.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    return !programmatic || (from == CU_GRAPH_NODE_TYPE_KERNEL && to == CU_GRAPH_NODE_TYPE_KERNEL && data.from_port != 0);
}

void destroy_node_objects(graph_object& graph) {
    for (const CUgraphNode handle : graph.nodes) {
        const std::unique_ptr<node_object> node = here().nodes.take(handle);
        if (const auto* alloc = std::get_if<alloc_params>(&node->params)) free_memory(alloc->address);
        for (const CUgraph owned : owned_graphs(*node)) destroy_graph(owned);
    }
}

node_params copy_params(const node_params& original) {
    const auto* child = std::get_if<child_params>(&original);
    return child != nullptr ? node_params(child_params{copy_graph(child->graph)}) : original;
}

}  // namespace

CUgraph create_graph() {
    world& w = here();
    auto made = std::make_unique<graph_object>();
    made->id = ++w.graph_count;
    return w.graphs.add(std::move(made), w.handle_reuse);
}

CUresult check_place(const node_place& place, CUgraphNodeType type, symbol operation) {
    if (lookup(here().graphs, place.graph, operation) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (place.count != 0 && place.dependencies == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < place.count; ++i) {
        const node_object* from = lookup(here().nodes, place.dependencies[i], operation);
        if (from == nullptr || from->graph != place.graph) return CUDA_ERROR_INVALID_VALUE;
        if (place.data != nullptr && !is_valid(place.data[i], from->type, type)) return CUDA_ERROR_INVALID_VALUE;
        const CUgraphNode* before = place.dependencies + i;
        if (std::find(place.dependencies, before, *before) != before) return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUgraphNode insert_node(const node_place& place, CUgraphNodeType type, node_params params) {
    world& w = here();
    auto made = std::make_unique<node_object>();
    made->graph = place.graph;
    made->type = type;
    made->params = std::move(params);
    for (std::size_t i = 0; i < place.count; ++i) {
        made->incoming.push_back({place.dependencies[i], place.data != nullptr ? place.data[i] : CUgraphEdgeData{}});
    }
    refresh_view(*made);
    node_object& node = *made;
    const CUgraphNode handle = w.nodes.add(std::move(made), w.handle_reuse);
    for (const CUgraph owned : owned_graphs(node)) w.graphs.find(owned)->owner = handle;
    w.graphs.find(place.graph)->nodes.push_back(handle);
    return handle;
}

CUresult check_edge(CUgraph graph, CUgraphNode from, CUgraphNode to, const CUgraphEdgeData& data, symbol operation) {
    const node_object* source = lookup(here().nodes, from, operation);
    const node_object* target = lookup(here().nodes, to, operation);
    if (source == nullptr || target == nullptr || from == to) return CUDA_ERROR_INVALID_VALUE;
    if (source->graph != graph || target->graph != graph) return CUDA_ERROR_INVALID_VALUE;
    const auto is_same = [from](const edge& known) { return known.from == from; };
    if (std::any_of(target->incoming.begin(), target->incoming.end(), is_same)) return CUDA_ERROR_INVALID_VALUE;
    return is_valid(data, source->type, target->type) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

std::vector<CUgraph> owned_graphs(const node_object& node) {
    if (const auto* child = std::get_if<child_params>(&node.params)) return {child->graph};
    if (const auto* conditional = std::get_if<conditional_params>(&node.params)) return conditional->bodies;
    return {};
}

void destroy_graph(CUgraph graph) {
    const std::unique_ptr<graph_object> taken = here().graphs.take(graph);
    destroy_node_objects(*taken);
    release(taken->user_objects);
}

bool can_be_copied(CUgraph graph) {
    for (const CUgraphNode handle : here().graphs.find(graph)->nodes) {
        const node_object& node = *here().nodes.find(handle);
        if (is_memory_node(node.type) || node.type == CU_GRAPH_NODE_TYPE_CONDITIONAL) return false;
        for (const CUgraph owned : owned_graphs(node)) {
            if (!can_be_copied(owned)) return false;
        }
    }
    return true;
}

CUgraph copy_graph(CUgraph original) {
    const CUgraph copy = create_graph();
    const graph_object& source = *here().graphs.find(original);
    std::map<CUgraphNode, CUgraphNode> copied;
    for (const CUgraphNode handle : source.nodes) {
        node_params params = copy_params(here().nodes.find(handle)->params);
        copied[handle] = insert_node({copy, nullptr, nullptr, 0}, here().nodes.find(handle)->type, std::move(params));
    }
    for (const auto& [from, to] : copied) {
        std::vector<edge> incoming = here().nodes.find(from)->incoming;
        for (edge& e : incoming) e.from = copied.at(e.from);
        here().nodes.find(to)->incoming = std::move(incoming);
    }
    retain(source.user_objects);
    here().graphs.find(copy)->user_objects = source.user_objects;
    return copy;
}

}  // namespace graphdedup_sim
