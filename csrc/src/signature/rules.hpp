// The sharing rules: which fields of a graph must be equal for two graphs to share an executable.
//
// This table is the only place that says so; the encoder asks it for every field that it writes, and the documentation's table
// is checked against it.
#pragma once

#include <graphdedup/registry.hpp>

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>

namespace graphdedup::signature {

enum class rule : std::uint8_t {
    node_kind,
    edge_from,
    edge_ports,
    edge_type,
    kernel_grid,
    kernel_function,
    kernel_block,
    kernel_shared_memory,
    kernel_arguments,
    kernel_static_cluster,
    kernel_static_cluster_policy,
    access_policy_window,
    cooperative,
    cluster_dimension,
    cluster_scheduling_policy,
    priority,
    mem_sync_domain_map,
    mem_sync_domain,
    preferred_cluster_dimension,
    device_updatable,
    shared_memory_carveout,
    nvlink_util_centric_scheduling,
    portable_cluster_size_mode,
    shared_memory_mode,
    unlisted_attribute,
    memcpy_memory_type,
    memcpy_shape,
    memcpy_address,
    memset_element,
    memset_shape,
    memset_address_and_value,
    host_function,
    host_user_data,
    event,
    child_graph,
    count_,
};

enum class treatment : std::uint8_t {
    equal,             // at every level
    free_from_grid,    // equal only with vary::arguments
    free_from_kernel,  // equal with vary::arguments and vary::grid
    free,              // never looked at
};

struct rule_info {
    rule id;
    const char* subject;  // the kind of node: "kernel"
    const char* field;    // "grid"
    treatment treated;
    const char* why;
};

// One row a rule, in the order of the enumeration.
[[nodiscard]] std::span<const rule_info> rules() noexcept;
[[nodiscard]] const rule_info& info_of(rule r) noexcept;
// The rule for a launch attribute: `unlisted_attribute` for an id that no row is about.
[[nodiscard]] rule rule_of_attribute(std::uint16_t attribute_id) noexcept;

using rule_set = std::bitset<static_cast<std::size_t>(rule::count_)>;

// The rules that demand equality at this level.
[[nodiscard]] rule_set equal_at(vary may_vary) noexcept;

// What makes a whole graph private: it then shares with nobody.
enum class private_cause : std::uint8_t {
    memory_node,
    conditional_node,
    external_semaphore_node,
    batch_memory_operation_node,
    unknown_node,
    device_updatable_kernel,
    unreadable_attribute,
    hidden_preferred_cluster,
    count_,
};

struct private_cause_info {
    private_cause id;
    const char* reason;  // what the user reads
    const char* why;
};

[[nodiscard]] std::span<const private_cause_info> private_causes() noexcept;
[[nodiscard]] const private_cause_info& info_of(private_cause cause) noexcept;

}  // namespace graphdedup::signature
