#include "exec_graph.hpp"

#include "graph_edit.hpp"
#include "kernel_params.hpp"
#include "world.hpp"

#include <algorithm>
#include <set>

namespace graphdedup_sim {
namespace {

// Nodes by index, in an order in which they can run: the order of creation as far as the edges let it. Empty for a cycle.
std::optional<std::vector<std::size_t>> order_of(const std::vector<exec_node>& nodes) {
    std::vector<std::size_t> missing_count(nodes.size());
    std::vector<std::vector<std::size_t>> dependents(nodes.size());
    std::set<std::size_t> ready;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        missing_count[i] = nodes[i].incoming.size();
        for (const exec_edge& e : nodes[i].incoming) dependents[e.from].push_back(i);
        if (missing_count[i] == 0) ready.insert(i);
    }
    std::vector<std::size_t> order;
    while (!ready.empty()) {
        const std::size_t next = *ready.begin();
        ready.erase(ready.begin());
        order.push_back(next);
        for (const std::size_t dependent : dependents[next]) {
            if (--missing_count[dependent] == 0) ready.insert(dependent);
        }
    }
    if (order.size() != nodes.size()) return std::nullopt;
    return order;
}

bool runs_from_device(CUgraphNodeType type) {
    switch (type) {
        case CU_GRAPH_NODE_TYPE_KERNEL:
        case CU_GRAPH_NODE_TYPE_MEMCPY:
        case CU_GRAPH_NODE_TYPE_MEMSET:
        case CU_GRAPH_NODE_TYPE_GRAPH:
        case CU_GRAPH_NODE_TYPE_EMPTY: return true;
        default: return false;
    }
}

constexpr exec_failure invalid_structure{CUDA_ERROR_INVALID_VALUE, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, nullptr};

// Everything about a node but the edges and what is inside.
exec_failure copy_node(CUgraphNode handle, const node_object& source, cuuint64_t flags, exec_node& made) {
    constexpr cuuint64_t device_launch = 4;  // CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH
    if ((flags & device_launch) != 0 && !runs_from_device(source.type)) {
        return {CUDA_ERROR_NOT_SUPPORTED, CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, handle};
    }
    made.source = handle;
    made.type = source.type;
    made.asked = source.params;
    made.applied = source.params;
    const auto* kernel = std::get_if<kernel_params>(&source.params);
    if (kernel == nullptr) return {};
    const function_object* function = find_function(kernel->function, kernel->kernel, symbol::cuGraphInstantiateWithParams);
    if (function == nullptr) return {CUDA_ERROR_INVALID_HANDLE, CUDA_GRAPH_INSTANTIATE_ERROR, handle};
    made.static_cluster = function->static_cluster();
    made.function_name = function->name;
    return {};
}

exec_failure copy_inner(const node_object& source, cuuint64_t flags, exec_node& made) {
    for (const CUgraph owned : owned_graphs(source)) {
        const exec_failure failure = make_exec_graph(owned, flags, made.inner.emplace_back());
        if (failure.status != CUDA_SUCCESS) return failure;
    }
    return {};
}

void set_condition(const graph_object& graph, exec_node& node) {
    const auto* conditional = std::get_if<conditional_params>(&node.asked);
    if (conditional == nullptr) return;
    for (const conditional_handle& known : graph.conditionals) {
        if (known.value == conditional->handle) node.default_value = known.default_value;
    }
}

}  // namespace

exec_failure make_exec_graph(CUgraph source, cuuint64_t flags, exec_graph& made) {
    const graph_object& graph = *here().graphs.find(source);
    std::unordered_map<CUgraphNode, std::size_t> index;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) index.emplace(graph.nodes[i], i);
    made.nodes.resize(graph.nodes.size());
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const node_object& node = *here().nodes.find(graph.nodes[i]);
        exec_failure failure = copy_node(graph.nodes[i], node, flags, made.nodes[i]);
        if (failure.status == CUDA_SUCCESS) failure = copy_inner(node, flags, made.nodes[i]);
        if (failure.status != CUDA_SUCCESS) return failure;
        for (const edge& e : node.incoming) made.nodes[i].incoming.push_back({index.at(e.from), e.data});
        set_condition(graph, made.nodes[i]);
    }
    const auto is_unused = [](const conditional_handle& handle) { return !handle.used; };
    if (std::any_of(graph.conditionals.begin(), graph.conditionals.end(), is_unused)) {
        return {CUDA_ERROR_INVALID_VALUE, CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED, nullptr};
    }
    std::optional<std::vector<std::size_t>> order = order_of(made.nodes);
    if (!order) return invalid_structure;
    made.order = std::move(*order);
    return {};
}

namespace {

// A driver that keeps cluster shapes does so until a function comes with another one: by its attribute or of its own.
void apply_cluster(const kernel_params& asked, const dimensions& static_cluster, bool is_same_function, exec_node& node,
                   kernel_params& applied) {
    const gdsim_profile& profile = here().profile;
    const attribute_mask by_attribute = mask_of(attribute_id::cluster_dimension);
    const bool keeps_attribute = (profile.stale_attributes & by_attribute) != 0;
    if (profile.stale_static_cluster == 0 || static_cluster[0] != 0) node.static_cluster = static_cluster;
    if (!keeps_attribute || is_same_function) return;
    const bool has_attribute = asked.attributes.cluster()[0] != 0;
    if (has_attribute) applied.attributes.take(asked.attributes, by_attribute);
    if (!has_attribute && static_cluster[0] != 0) applied.attributes.unset(attribute_id::cluster_dimension);
}

}  // namespace

void apply_kernel(const kernel_params& asked, exec_node& node) {
    const kernel_params before = std::get<kernel_params>(node.applied);
    kernel_params applied = asked;
    applied.attributes.take(before.attributes, here().profile.stale_attributes);
    const function_object* function = find_function(asked.function, asked.kernel, symbol::cuGraphExecUpdate);
    if (function != nullptr) {
        const bool is_same_function = before.function == asked.function && before.kernel == asked.kernel;
        node.function_name = function->name;
        apply_cluster(asked, function->static_cluster(), is_same_function, node, applied);
    }
    node.asked = asked;
    node.applied = std::move(applied);
}

std::size_t node_count(const exec_graph& body) {
    std::size_t count = body.nodes.size();
    for (const exec_node& node : body.nodes) {
        for (const exec_graph& inner : node.inner) count += node_count(inner);
    }
    return count;
}

holdings all_user_objects(CUgraph graph) {
    const graph_object& found = *here().graphs.find(graph);
    holdings all = found.user_objects;
    for (const CUgraphNode handle : found.nodes) {
        for (const CUgraph owned : owned_graphs(*here().nodes.find(handle))) {
            const holdings inner = all_user_objects(owned);
            all.insert(all.end(), inner.begin(), inner.end());
        }
    }
    return all;
}

bool is_device_updatable(const exec_node& node) {
    const auto* kernel = std::get_if<kernel_params>(&node.asked);
    return kernel != nullptr && kernel->attributes.device_updatable();
}

bool is_memory_node(const exec_node& node) {
    return node.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || node.type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

}  // namespace graphdedup_sim
