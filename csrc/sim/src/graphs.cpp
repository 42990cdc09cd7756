// Creating, copying and destroying graphs and nodes; edges.
#include "graph_edit.hpp"
#include "symbols.hpp"
#include "world.hpp"

#include <algorithm>

namespace graphdedup_sim::impl {

CUresult cuGraphCreate(CUgraph* graph, unsigned int flags) {
    if (graph == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    *graph = create_graph();
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
    const graph_object* found = lookup(here().graphs, graph, symbol::cuGraphDestroy);
    if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (found->owner != nullptr) {
        note_misuse("cuGraphDestroy: the graph belongs to a node");
        return CUDA_ERROR_INVALID_VALUE;
    }
    destroy_graph(graph);
    return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph* clone, CUgraph original) {
    if (clone == nullptr || lookup(here().graphs, original, symbol::cuGraphClone) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!can_be_copied(original)) return CUDA_ERROR_NOT_SUPPORTED;
    *clone = copy_graph(original);
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroyNode(CUgraphNode node) {
    world& w = here();
    const node_object* found = lookup(w.nodes, node, symbol::cuGraphDestroyNode);
    if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto* kernel = std::get_if<kernel_params>(&found->params);
    const bool is_memory = found->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || found->type == CU_GRAPH_NODE_TYPE_MEM_FREE;
    if (is_memory || (kernel != nullptr && kernel->attributes.device_updatable())) return CUDA_ERROR_NOT_SUPPORTED;
    std::vector<CUgraphNode>& siblings = w.graphs.find(found->graph)->nodes;
    for (const CUgraphNode sibling : siblings) {
        std::erase_if(w.nodes.find(sibling)->incoming, [node](const edge& e) { return e.from == node; });
    }
    std::erase(siblings, node);
    const std::unique_ptr<node_object> taken = w.nodes.take(node);
    for (const CUgraph owned : owned_graphs(*taken)) destroy_graph(owned);
    return CUDA_SUCCESS;
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* data,
                                std::size_t count) {
    world& w = here();
    if (lookup(w.graphs, graph, symbol::cuGraphAddDependencies) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (count == 0) return CUDA_SUCCESS;
    if (from == nullptr || to == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::size_t added_count = 0;
    CUresult status = CUDA_SUCCESS;
    for (; added_count < count && status == CUDA_SUCCESS; ++added_count) {
        const CUgraphEdgeData edge_data = data != nullptr ? data[added_count] : CUgraphEdgeData{};
        status = check_edge(graph, from[added_count], to[added_count], edge_data, symbol::cuGraphAddDependencies);
        if (status != CUDA_SUCCESS) break;
        w.nodes.find(to[added_count])->incoming.push_back({from[added_count], edge_data});
    }
    // All of them or none.
    while (status != CUDA_SUCCESS && added_count-- > 0) w.nodes.find(to[added_count])->incoming.pop_back();
    return status;
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* handle, CUgraph graph, CUcontext context,
                                        unsigned int default_value, unsigned int flags) {
    constexpr unsigned int assign_default = 1;  // CU_GRAPH_COND_ASSIGN_DEFAULT
    graph_object* found = lookup(here().graphs, graph, symbol::cuGraphConditionalHandleCreate);
    if (handle == nullptr || found == nullptr || flags > assign_default) return CUDA_ERROR_INVALID_VALUE;
    if (context != nullptr && here().contexts.find(context) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    *handle = ++here().conditional_count;
    found->conditionals.push_back({*handle, flags == assign_default ? default_value : 0, false});
    return CUDA_SUCCESS;
}

}  // namespace graphdedup_sim::impl
