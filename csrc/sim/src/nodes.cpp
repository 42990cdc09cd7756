// Adding nodes of a kind of their own call.
#include "graph_edit.hpp"
#include "kernel_params.hpp"
#include "node_checks.hpp"
#include "symbols.hpp"
#include "world.hpp"

namespace graphdedup_sim::impl {
namespace {

CUresult add(CUgraphNode* node, const node_place& place, CUgraphNodeType type, symbol operation, node_params params) {
    if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult status = check_place(place, type, operation); status != CUDA_SUCCESS) return status;
    *node = insert_node(place, type, std::move(params));
    return CUDA_SUCCESS;
}

CUresult add_event(CUgraphNode* node, const node_place& place, CUgraphNodeType type, symbol operation, CUevent event) {
    if (lookup(here().events, event, operation) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return add(node, place, type, operation, event_params{event});
}

}  // namespace

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v2* params) {
    if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
    kernel_params kernel;
    const CUresult status = read_kernel_params(*params, symbol::cuGraphAddKernelNode, kernel);
    if (status != CUDA_SUCCESS) return status;
    const node_place place{graph, dependencies, nullptr, count};
    return add(node, place, CU_GRAPH_NODE_TYPE_KERNEL, symbol::cuGraphAddKernelNode, std::move(kernel));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                              const CUDA_MEMCPY3D* params, CUcontext context) {
    if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult status = check_copy(*params, context); status != CUDA_SUCCESS) return status;
    const node_place place{graph, dependencies, nullptr, count};
    return add(node, place, CU_GRAPH_NODE_TYPE_MEMCPY, symbol::cuGraphAddMemcpyNode, memcpy_params{*params, context});
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                              const CUDA_MEMSET_NODE_PARAMS* params, CUcontext context) {
    if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult status = check_set(*params, context); status != CUDA_SUCCESS) return status;
    const node_place place{graph, dependencies, nullptr, count};
    return add(node, place, CU_GRAPH_NODE_TYPE_MEMSET, symbol::cuGraphAddMemsetNode, memset_params{*params, context});
}

CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                            const CUDA_HOST_NODE_PARAMS* params) {
    if (params == nullptr || params->fn == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const node_place place{graph, dependencies, nullptr, count};
    const host_params host{params->fn, params->userData};
    return add(node, place, CU_GRAPH_NODE_TYPE_HOST, symbol::cuGraphAddHostNode, host);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                                  CUgraph child) {
    constexpr symbol operation = symbol::cuGraphAddChildGraphNode;
    const node_place place{graph, dependencies, nullptr, count};
    if (node == nullptr || lookup(here().graphs, child, operation) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = check_place(place, CU_GRAPH_NODE_TYPE_GRAPH, operation);
    if (status != CUDA_SUCCESS) return status;
    if (!can_be_copied(child)) return CUDA_ERROR_NOT_SUPPORTED;
    *node = insert_node(place, CU_GRAPH_NODE_TYPE_GRAPH, child_params{copy_graph(child)});
    return CUDA_SUCCESS;
}

CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count) {
    const node_place place{graph, dependencies, nullptr, count};
    return add(node, place, CU_GRAPH_NODE_TYPE_EMPTY, symbol::cuGraphAddEmptyNode, std::monostate{});
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                                   CUevent event) {
    const node_place place{graph, dependencies, nullptr, count};
    return add_event(node, place, CU_GRAPH_NODE_TYPE_EVENT_RECORD, symbol::cuGraphAddEventRecordNode, event);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                                 CUevent event) {
    const node_place place{graph, dependencies, nullptr, count};
    return add_event(node, place, CU_GRAPH_NODE_TYPE_WAIT_EVENT, symbol::cuGraphAddEventWaitNode, event);
}

}  // namespace graphdedup_sim::impl
