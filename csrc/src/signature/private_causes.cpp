#include "signature/private_causes.hpp"

#include "snapshot/attribute_table.hpp"

#include <algorithm>

namespace graphdedup::signature {
namespace {

using snapshot::node_kind;

bool any_nonzero(std::span<const std::byte> bytes) {
    return std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{0}; });
}

bool has_cluster(const snapshot::graph& g, const snapshot::kernel_params& kernel) {
    const snapshot::function_facts& facts = g.functions[kernel.function].facts;
    const bool fixed = facts.cluster_size_must_be_set.value_or(0) != 0 || facts.required_cluster_width.value_or(0) != 0 ||
                       facts.required_cluster_height.value_or(0) != 0 || facts.required_cluster_depth.value_or(0) != 0;
    if (fixed) return true;
    for (const snapshot::attribute& a : g.attributes_of(kernel)) {
        if (a.id == snapshot::attribute_cluster_dimension && a.readable && any_nonzero(g.view(a.value))) return true;
    }
    return false;
}

// Attributes that say how to schedule, never what to compute: unread, they cannot make a result wrong.
bool is_hint(std::uint16_t attribute_id) {
    const rule r = rule_of_attribute(attribute_id);
    return r == rule::nvlink_util_centric_scheduling || r == rule::portable_cluster_size_mode || r == rule::shared_memory_mode;
}

bool is_device_updatable(const snapshot::graph& g, const snapshot::attribute& a) {
    return a.id == snapshot::attribute_device_updatable && a.readable && any_nonzero(g.view(a.value));
}

std::optional<private_cause> cause_of_kernel(const snapshot::graph& g, const snapshot::kernel_params& kernel,
                                             const device_traits& traits) {
    // What a dump leaves out is not a secret of the driver's.
    const bool cluster_known = g.functions[kernel.function].facts.required_cluster_width.has_value();
    if (g.exact && !cluster_known) return private_cause::unreadable_attribute;
    for (const snapshot::attribute& a : g.attributes_of(kernel)) {
        if (a.readable) {
            if (is_device_updatable(g, a)) return private_cause::device_updatable_kernel;
        } else if (a.id == snapshot::attribute_preferred_cluster_dimension) {
            const bool matters = traits.honours_preferred_cluster && has_cluster(g, kernel);
            if (matters) return private_cause::hidden_preferred_cluster;
        } else if (!is_hint(a.id)) {
            return private_cause::unreadable_attribute;
        }
    }
    return std::nullopt;
}

std::optional<private_cause> cause_of_node(const snapshot::graph& g, const snapshot::node& n, const device_traits& traits) {
    switch (n.kind) {
        case node_kind::kernel: return cause_of_kernel(g, g.kernels[n.detail], traits);
        case node_kind::memcpy:
        case node_kind::memset:
        case node_kind::host:
        case node_kind::child_graph:
        case node_kind::empty:
        case node_kind::event_wait:
        case node_kind::event_record: return std::nullopt;
        case node_kind::memory_alloc:
        case node_kind::memory_free: return private_cause::memory_node;
        case node_kind::conditional: return private_cause::conditional_node;
        case node_kind::external_semaphore_signal:
        case node_kind::external_semaphore_wait: return private_cause::external_semaphore_node;
        case node_kind::batch_memory_operation: return private_cause::batch_memory_operation_node;
    }
    return private_cause::unknown_node;
}

std::string describe(const snapshot::graph& g, std::size_t index) {
    const snapshot::node& n = g.nodes[index];
    std::string text = "node " + std::to_string(index) + " (" + snapshot::name_of(n.kind);
    if (n.kind == node_kind::kernel) {
        const std::string& name = g.functions[g.kernels[n.detail].function].name;
        if (!name.empty()) text += " " + name;
    }
    return text + ")";
}

}  // namespace

std::optional<private_finding> find_private_cause(const snapshot::graph& g, const device_traits& traits) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const snapshot::node& n = g.nodes[i];
        if (const auto cause = cause_of_node(g, n, traits)) return private_finding{*cause, describe(g, i)};
        if (n.kind != node_kind::child_graph) continue;
        if (auto inside = find_private_cause(g.children[n.detail], traits)) {
            inside->where = "node " + std::to_string(i) + ", child " + inside->where;
            return inside;
        }
    }
    return std::nullopt;
}

bool is_instantiated_once(const snapshot::graph& g) {
    const auto updatable = [&](const snapshot::attribute& a) { return is_device_updatable(g, a); };
    return std::ranges::any_of(g.attributes, updatable) || std::ranges::any_of(g.children, is_instantiated_once);
}

}  // namespace graphdedup::signature
