// Changing executables.
#include "exec_graph.hpp"
#include "kernel_params.hpp"
#include "pair_nodes.hpp"
#include "symbols.hpp"
#include "update_judge.hpp"
#include "user_objects.hpp"
#include "world.hpp"

namespace graphdedup_sim::impl {
namespace {

constexpr cuuint64_t flag_use_node_priority = 8;

// Takes over everything before the node `stop`, or all of it for null. False once that node was met.
bool apply(exec_graph& body, const exec_graph& wanted, CUgraphNode stop) {
    for (std::size_t i = 0; i < body.nodes.size(); ++i) {
        exec_node& node = body.nodes[i];
        const exec_node& next = wanted.nodes[i];
        if (stop != nullptr && next.source == stop) return false;
        if (node.type == CU_GRAPH_NODE_TYPE_KERNEL) {
            apply_kernel(std::get<kernel_params>(next.asked), node);
        } else {
            node.asked = next.asked;
            node.applied = next.asked;
            node.default_value = next.default_value;
        }
        for (std::size_t j = 0; j < node.inner.size(); ++j) {
            if (!apply(node.inner[j], next.inner[j], stop)) return false;
        }
    }
    return true;
}

// The source of a graph with memory nodes must not be an executable of its own.
bool is_taken(const exec_object& exec, const graph_object& graph, const exec_graph& wanted) {
    return graph.live_exec_count != 0 && graph.id != exec.source_id && any_node(wanted, is_memory_node);
}

update_verdict judge(const exec_object& exec, const exec_graph& wanted) {
    const CUgraphExecUpdateResult ordered = here().faults.next_update();
    if (ordered != CU_GRAPH_EXEC_UPDATE_SUCCESS) return {ordered, nullptr, nullptr};
    return judge_update(exec.body, wanted, (exec.flags & flag_use_node_priority) != 0);
}

CUresult refuse(exec_object& exec, const exec_graph& wanted, const update_verdict& verdict, CUgraphExecUpdateResultInfo& result) {
    ++here().counters.refused_update_count;
    result.result = verdict.result;
    result.errorNode = verdict.node;
    result.errorFromNode = verdict.from;
    if (here().profile.refusal_is_partial != 0 && verdict.node != nullptr) {
        apply(exec.body, wanted, verdict.node);
        exec.uploaded = false;
    }
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

void accept(exec_object& exec, CUgraph source, const exec_graph& wanted) {
    apply(exec.body, wanted, nullptr);
    exec.uploaded = false;
    const holdings before = std::move(exec.user_objects);
    exec.user_objects = all_user_objects(source);
    retain(exec.user_objects);
    release(before);
}

exec_node* find_source(exec_graph& body, CUgraphNode source) {
    for (exec_node& node : body.nodes) {
        if (node.source == source) return &node;
        for (exec_graph& inner : node.inner) {
            if (exec_node* found = find_source(inner, source)) return found;
        }
    }
    return nullptr;
}

}  // namespace

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* result) {
    world& w = here();
    exec_object* target = lookup(w.execs, exec, symbol::cuGraphExecUpdate);
    const graph_object* source = lookup(w.graphs, graph, symbol::cuGraphExecUpdate);
    if (target == nullptr || source == nullptr || result == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *result = {};
    exec_graph wanted;
    const exec_failure failure = make_exec_graph(graph, 0, wanted);
    if (failure.status != CUDA_SUCCESS) {
        *result = {CU_GRAPH_EXEC_UPDATE_ERROR, failure.node, nullptr};
        return failure.status;
    }
    // No reason is given then.
    if (any_node(target->body, is_device_updatable) || any_node(wanted, is_device_updatable)) return CUDA_ERROR_NOT_SUPPORTED;
    if (is_taken(*target, *source, wanted)) return CUDA_ERROR_NOT_SUPPORTED;
    align_nodes(target->body, wanted);
    ++w.counters.update_count;
    const update_verdict verdict = judge(*target, wanted);
    if (!verdict.accepted()) return refuse(*target, wanted, verdict, *result);
    accept(*target, graph, wanted);
    return CUDA_SUCCESS;
}

// Applies what it is given. Attributes are not among it.
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2* params) {
    constexpr symbol operation = symbol::cuGraphExecKernelNodeSetParams;
    exec_object* target = lookup(here().execs, exec, operation);
    if (target == nullptr || params == nullptr) return CUDA_ERROR_INVALID_VALUE;
    exec_node* found = find_source(target->body, node);
    if (found == nullptr || found->type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_ERROR_INVALID_VALUE;
    kernel_params changed;
    if (const CUresult status = read_kernel_params(*params, operation, changed); status != CUDA_SUCCESS) return status;
    const kernel_params& before = std::get<kernel_params>(found->applied);
    if (changed.context != before.context) return CUDA_ERROR_INVALID_VALUE;
    changed.attributes = before.attributes;
    apply_kernel(changed, *found);
    target->uploaded = false;
    return CUDA_SUCCESS;
}

}  // namespace graphdedup_sim::impl
