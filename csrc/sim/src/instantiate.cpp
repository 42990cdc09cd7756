// Making and destroying executables.
#include "capture.hpp"
#include "exec_graph.hpp"
#include "ledger.hpp"
#include "symbols.hpp"
#include "thread_state.hpp"
#include "user_objects.hpp"
#include "world.hpp"

namespace graphdedup_sim::impl {
namespace {

constexpr cuuint64_t flag_upload = 2;
constexpr cuuint64_t all_flags = 15;

// That of the first kernel, else the current one.
CUdevice device_of(const exec_graph& body) {
    CUdevice device = -1;
    const bool found = any_node(body, [&](const exec_node& node) {
        const auto* kernel = std::get_if<kernel_params>(&node.asked);
        const context_object* context = kernel != nullptr ? here().contexts.find(kernel->context) : nullptr;
        if (context != nullptr) device = context->device;
        return context != nullptr;
    });
    if (found || current_device(device) == CUDA_SUCCESS) return device;
    return 0;
}

// Graphs with such nodes allow one executable.
exec_failure check_exclusive(const graph_object& graph, const exec_graph& body) {
    constexpr exec_failure refused{CUDA_ERROR_NOT_SUPPORTED, CUDA_GRAPH_INSTANTIATE_ERROR, nullptr};
    if (graph.live_exec_count != 0 && any_node(body, is_memory_node)) return refused;
    if (graph.was_instantiated && any_node(body, is_device_updatable)) return refused;
    return {};
}

exec_failure build(CUgraph source, const CUDA_GRAPH_INSTANTIATE_PARAMS& params, exec_object& made) {
    constexpr CUgraphInstantiateResult error = CUDA_GRAPH_INSTANTIATE_ERROR;
    if ((params.flags & ~all_flags) != 0) return {CUDA_ERROR_INVALID_VALUE, error, nullptr};
    if ((params.flags & flag_upload) != 0) {
        const found_stream stream = find_stream(params.hUploadStream, symbol::cuGraphInstantiateWithParams);
        if (stream.status != CUDA_SUCCESS) return {stream.status, error, nullptr};
    }
    exec_failure failure = make_exec_graph(source, params.flags, made.body);
    if (failure.status == CUDA_SUCCESS) failure = check_exclusive(*here().graphs.find(source), made.body);
    if (failure.status != CUDA_SUCCESS) return failure;
    const gdsim_profile& profile = here().profile;
    made.device = device_of(made.body);
    made.size_bytes = static_cast<std::size_t>(profile.exec_base_bytes + profile.exec_node_bytes * node_count(made.body));
    if (!take_exec_bytes(made.device, made.size_bytes)) return {CUDA_ERROR_OUT_OF_MEMORY, error, nullptr};
    return {};
}

}  // namespace

CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
    world& w = here();
    graph_object* source = lookup(w.graphs, graph, symbol::cuGraphInstantiateWithParams);
    if (exec == nullptr || params == nullptr || source == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_unique<exec_object>();
    const exec_failure failure = build(graph, *params, *made);
    params->result_out = failure.result;
    params->hErrNode_out = failure.node;
    if (failure.status != CUDA_SUCCESS) return failure.status;
    made->id = ++w.exec_count;
    made->source = graph;
    made->source_id = source->id;
    made->flags = params->flags;
    made->uploaded = (params->flags & flag_upload) != 0;
    made->user_objects = all_user_objects(graph);
    retain(made->user_objects);
    ++source->live_exec_count;
    source->was_instantiated = true;
    ++w.counters.instantiation_count;
    *exec = w.execs.add(std::move(made), w.handle_reuse);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
    world& w = here();
    if (lookup(w.execs, exec, symbol::cuGraphExecDestroy) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const std::unique_ptr<exec_object> taken = w.execs.take(exec);
    give_exec_bytes(taken->device, taken->size_bytes);
    graph_object* source = w.graphs.find(taken->source);
    if (source != nullptr && source->id == taken->source_id) --source->live_exec_count;
    release(taken->user_objects);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t* flags) {
    const exec_object* found = lookup(here().execs, exec, symbol::cuGraphExecGetFlags);
    if (found == nullptr || flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = found->flags;
    return CUDA_SUCCESS;
}

}  // namespace graphdedup_sim::impl
