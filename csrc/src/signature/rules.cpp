#include "signature/rules.hpp"

#include <array>

namespace graphdedup::signature {
namespace {

constexpr const char* stale = "an update reports success and leaves the executable's old value in force (seen on driver 580)";
constexpr const char* unproven = "an update reports success, but that it takes effect has not been seen";
constexpr const char* applied = "an update applies it";

constexpr std::array<rule_info, static_cast<std::size_t>(rule::count_)> table{{
    {rule::node_kind, "node", "kind", treatment::equal,
     "an update pairs nodes by their incoming edges, and refuses another kind at the same place"},
    {rule::edge_from, "edge", "from", treatment::equal,
     "an update pairs nodes by their ordered incoming edges; with two of them swapped it is accepted, and attributes land on the "
     "wrong nodes (seen on driver 580)"},
    {rule::edge_ports, "edge", "ports", treatment::equal, "a programmatic dependency is part of the topology"},
    {rule::edge_type, "edge", "type", treatment::equal, "a programmatic dependency is part of the topology"},
    {rule::kernel_grid, "kernel", "grid", treatment::free_from_grid, applied},
    {rule::kernel_function, "kernel", "function", treatment::free_from_kernel, applied},
    {rule::kernel_block, "kernel", "block", treatment::free_from_kernel, applied},
    {rule::kernel_shared_memory, "kernel", "dynamic shared memory", treatment::free_from_kernel, applied},
    {rule::kernel_arguments, "kernel", "arguments", treatment::free, applied},
    {rule::kernel_static_cluster, "kernel", "cluster shape of the function", treatment::equal,
     "an update reports success and keeps a shape that the new function does not have (seen on driver 580)"},
    {rule::kernel_static_cluster_policy, "kernel", "cluster scheduling policy of the function", treatment::equal, unproven},
    {rule::access_policy_window, "kernel", "access policy window", treatment::equal, unproven},
    {rule::cooperative, "kernel", "cooperative", treatment::equal, "an update refuses a change"},
    {rule::cluster_dimension, "kernel", "cluster dimension", treatment::equal, stale},
    {rule::cluster_scheduling_policy, "kernel", "cluster scheduling policy", treatment::equal, unproven},
    {rule::priority, "kernel", "priority", treatment::equal,
     "an update refuses a change where the executable honours priorities, and else accepts it without an effect that was seen"},
    {rule::mem_sync_domain_map, "kernel", "memory sync domain map", treatment::equal, unproven},
    {rule::mem_sync_domain, "kernel", "memory sync domain", treatment::equal, unproven},
    {rule::preferred_cluster_dimension, "kernel", "preferred cluster dimension", treatment::equal, stale},
    {rule::device_updatable, "kernel", "device-updatable", treatment::equal,
     "an update refuses such a node; see the private causes"},
    {rule::shared_memory_carveout, "kernel", "shared memory carveout", treatment::equal, unproven},
    {rule::nvlink_util_centric_scheduling, "kernel", "NVLink-centric scheduling", treatment::equal, unproven},
    {rule::portable_cluster_size_mode, "kernel", "portable cluster size mode", treatment::equal, unproven},
    {rule::shared_memory_mode, "kernel", "shared memory mode", treatment::equal, unproven},
    {rule::unlisted_attribute, "kernel", "any other attribute that the driver lets be read", treatment::equal, unproven},
    {rule::memcpy_memory_type, "memcpy", "memory types", treatment::equal,
     "an update refuses a copy between other kinds of memory"},
    {rule::memcpy_shape, "memcpy", "shape of a 2D, 3D or array copy", treatment::equal,
     "an update refuses another shape, and on driver 580 other addresses too"},
    {rule::memcpy_address, "memcpy", "addresses, and the size of a 1D copy", treatment::free, applied},
    {rule::memset_element, "memset", "element size", treatment::equal,
     "an update applies it to a 1D memset and refuses it for a 2D one (seen on driver 580)"},
    {rule::memset_shape, "memset", "shape of a 2D memset", treatment::equal, "an update refuses another shape"},
    {rule::memset_address_and_value, "memset", "address, value, and the size of a 1D memset", treatment::free, applied},
    {rule::host_function, "host", "function", treatment::free_from_kernel, applied},
    {rule::host_user_data, "host", "user data", treatment::free, applied},
    {rule::event, "event record, event wait", "event", treatment::equal,
     "an update applies it (seen on driver 580); equal until seen on more drivers"},
    {rule::child_graph, "child graph", "all of the above, recursively", treatment::equal, "an update goes into child graphs"},
}};

constexpr std::array<private_cause_info, static_cast<std::size_t>(private_cause::count_)> causes{{
    {private_cause::memory_node, "it has a memory allocation or free node",
     "such a graph has one executable at a time and is not updated while another one exists"},
    {private_cause::conditional_node, "it has a conditional node", "its body cannot be read by the drivers supported"},
    {private_cause::external_semaphore_node, "it has an external semaphore node", "what an update applies to it is not known"},
    {private_cause::batch_memory_operation_node, "it has a batch memory operation node",
     "what an update applies to it is not documented"},
    {private_cause::unknown_node, "it has a node of a kind that this release does not know", "nothing is known of it"},
    {private_cause::device_updatable_kernel, "it has a device-updatable kernel node",
     "neither the graph nor its executable may be updated"},
    {private_cause::unreadable_attribute, "a launch attribute of a kernel node, or its function's cluster shape, cannot be read",
     "it may differ unseen"},
    {private_cause::hidden_preferred_cluster,
     "it has a kernel with clusters, and this driver does not tell their preferred shape, which this device honours",
     "the shape may differ unseen and stay in force after an update (reported on Blackwell)"},
}};

constexpr bool in_order() {
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table[i].id != static_cast<rule>(i)) return false;
    }
    for (std::size_t i = 0; i < causes.size(); ++i) {
        if (causes[i].id != static_cast<private_cause>(i)) return false;
    }
    return true;
}
static_assert(in_order(), "a row a rule, in the order of the enumeration");

}  // namespace

std::span<const rule_info> rules() noexcept { return table; }
const rule_info& info_of(rule r) noexcept { return table[static_cast<std::size_t>(r)]; }
std::span<const private_cause_info> private_causes() noexcept { return causes; }
const private_cause_info& info_of(private_cause cause) noexcept { return causes[static_cast<std::size_t>(cause)]; }

rule rule_of_attribute(std::uint16_t attribute_id) noexcept {
    switch (attribute_id) {
        case 1: return rule::access_policy_window;
        case 2: return rule::cooperative;
        case 4: return rule::cluster_dimension;
        case 5: return rule::cluster_scheduling_policy;
        case 8: return rule::priority;
        case 9: return rule::mem_sync_domain_map;
        case 10: return rule::mem_sync_domain;
        case 11: return rule::preferred_cluster_dimension;
        case 13: return rule::device_updatable;
        case 14: return rule::shared_memory_carveout;
        case 16: return rule::nvlink_util_centric_scheduling;
        case 17: return rule::portable_cluster_size_mode;
        case 18: return rule::shared_memory_mode;
        default: return rule::unlisted_attribute;
    }
}

rule_set equal_at(vary may_vary) noexcept {
    rule_set equal;
    for (const rule_info& row : table) {
        const bool demanded = row.treated == treatment::equal ||
                              (row.treated == treatment::free_from_grid && may_vary == vary::arguments) ||
                              (row.treated == treatment::free_from_kernel && may_vary != vary::kernel);
        equal.set(static_cast<std::size_t>(row.id), demanded);
    }
    return equal;
}

}  // namespace graphdedup::signature
