// cuGraphAddNode: any kind of node.
#include "graph_edit.hpp"
#include "kernel_params.hpp"
#include "memory.hpp"
#include "node_checks.hpp"
#include "symbols.hpp"
#include "thread_state.hpp"
#include "world.hpp"

#include <algorithm>

namespace graphdedup_sim::impl {
namespace {

constexpr symbol operation = symbol::cuGraphAddNode;

// The context of a node: the current one unless it is said.
CUresult choose_context(CUcontext said, CUcontext& chosen) {
    chosen = said;
    return said != nullptr ? CUDA_SUCCESS : current_context(chosen);
}

CUresult read_kernel(const CUDA_KERNEL_NODE_PARAMS_v3& given, node_params& read) {
    CUDA_KERNEL_NODE_PARAMS_v2 same{};
    same.func = given.func;
    same.gridDimX = given.gridDimX;
    same.gridDimY = given.gridDimY;
    same.gridDimZ = given.gridDimZ;
    same.blockDimX = given.blockDimX;
    same.blockDimY = given.blockDimY;
    same.blockDimZ = given.blockDimZ;
    same.sharedMemBytes = given.sharedMemBytes;
    same.kernelParams = given.kernelParams;
    same.extra = given.extra;
    same.kern = given.kern;
    same.ctx = given.ctx;
    return read_kernel_params(same, operation, read.emplace<kernel_params>());
}

CUresult read_memcpy(const CUDA_MEMCPY_NODE_PARAMS& given, node_params& read) {
    auto& made = read.emplace<memcpy_params>(memcpy_params{given.copyParams, nullptr});
    const CUresult status = choose_context(given.copyCtx, made.context);
    return status != CUDA_SUCCESS ? status : check_copy(made.copy, made.context);
}

CUresult read_memset(const CUDA_MEMSET_NODE_PARAMS_v2& given, node_params& read) {
    auto& made = read.emplace<memset_params>();
    made.set = {given.dst, given.pitch, given.value, given.elementSize, given.width, given.height};
    const CUresult status = choose_context(given.ctx, made.context);
    return status != CUDA_SUCCESS ? status : check_set(made.set, made.context);
}

CUresult read_event(CUevent event, node_params& read) {
    read = event_params{event};
    return lookup(here().events, event, operation) != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult read_host(const CUDA_HOST_NODE_PARAMS_v2& given, node_params& read) {
    read = host_params{given.fn, given.userData};
    return given.fn != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult read_counted(unsigned int count, node_params& read) {
    read = counted_params{count};
    return CUDA_SUCCESS;
}

// The address is fixed when the node is added. Here the memory is there from then on, too.
CUresult read_alloc(CUgraphNodeParams& given, node_params& read) {
    CUdevice device = 0;
    if (const CUresult status = current_device(device); status != CUDA_SUCCESS) return status;
    CUdeviceptr address = 0;
    const CUresult status = allocate_memory(device, given.alloc.bytesize, address);
    if (status != CUDA_SUCCESS) return status;
    given.alloc.dptr = address;
    read = alloc_params{address, given.alloc.bytesize};
    return CUDA_SUCCESS;
}

bool has_valid_size(const CUDA_CONDITIONAL_NODE_PARAMS& given) {
    constexpr unsigned int if_else_count = 2;
    switch (static_cast<int>(given.type)) {
        case 0: return given.size >= 1 && given.size <= if_else_count;
        case 1: return given.size == 1;
        case 2: return given.size >= 1;  // switch: CUDA 12.8
        default: return false;
    }
}

CUresult read_conditional(CUgraph graph, const CUDA_CONDITIONAL_NODE_PARAMS& given, node_params& read) {
    if (!has_valid_size(given)) return CUDA_ERROR_INVALID_VALUE;
    auto& handles = here().graphs.find(graph)->conditionals;
    const auto is_wanted = [&](const conditional_handle& known) { return known.value == given.handle && !known.used; };
    const auto found = std::find_if(handles.begin(), handles.end(), is_wanted);
    if (found == handles.end()) return CUDA_ERROR_INVALID_VALUE;
    found->used = true;
    conditional_params made{given.handle, given.type, {}};
    for (unsigned int i = 0; i < given.size; ++i) made.bodies.push_back(create_graph());
    read = std::move(made);
    return CUDA_SUCCESS;
}

CUresult read_child(CUgraph child, node_params& read) {
    if (lookup(here().graphs, child, operation) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!can_be_copied(child)) return CUDA_ERROR_NOT_SUPPORTED;
    read = child_params{copy_graph(child)};
    return CUDA_SUCCESS;
}

CUresult read_params(CUgraph graph, CUgraphNodeParams& given, node_params& read) {
    switch (given.type) {
        case CU_GRAPH_NODE_TYPE_KERNEL: return read_kernel(given.kernel, read);
        case CU_GRAPH_NODE_TYPE_MEMCPY: return read_memcpy(given.memcpy, read);
        case CU_GRAPH_NODE_TYPE_MEMSET: return read_memset(given.memset, read);
        case CU_GRAPH_NODE_TYPE_HOST: return read_host(given.host, read);
        case CU_GRAPH_NODE_TYPE_GRAPH: return read_child(given.graph.graph, read);
        case CU_GRAPH_NODE_TYPE_EMPTY: return CUDA_SUCCESS;
        case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return read_event(given.eventWait.event, read);
        case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return read_event(given.eventRecord.event, read);
        case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL: return read_counted(given.extSemSignal.numExtSems, read);
        case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT: return read_counted(given.extSemWait.numExtSems, read);
        case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: return read_counted(given.memOp.count, read);
        case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return read_alloc(given, read);
        case CU_GRAPH_NODE_TYPE_MEM_FREE:
            read = free_params{given.free.dptr};
            return is_allocated(given.free.dptr, 1) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        case CU_GRAPH_NODE_TYPE_CONDITIONAL: return read_conditional(graph, given.conditional, read);
        default: return CUDA_ERROR_INVALID_VALUE;
    }
}

}  // namespace

CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, const CUgraphEdgeData* data,
                        std::size_t count, CUgraphNodeParams* params) {
    if (node == nullptr || params == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const node_place place{graph, dependencies, data, count};
    CUresult status = check_place(place, params->type, operation);
    if (status != CUDA_SUCCESS) return status;
    node_params read;
    status = read_params(graph, *params, read);
    if (status != CUDA_SUCCESS) return status;
    *node = insert_node(place, params->type, std::move(read));
    // The array of bodies, like the view of a kernel, belongs to the node.
    if (auto* conditional = std::get_if<conditional_params>(&here().nodes.find(*node)->params)) {
        params->conditional.phGraph_out = conditional->bodies.data();
    }
    return CUDA_SUCCESS;
}

}  // namespace graphdedup_sim::impl
