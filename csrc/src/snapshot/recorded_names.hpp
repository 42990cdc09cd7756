// The words of the recorded form, each next to what it stands for in memory: reader and writer use the same tables.
#pragma once

#include "snapshot/snapshot.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace graphdedup::snapshot {

// Names are those of CUgraphNodeType without the prefix, in lower case; a name's index is the kind's value.
inline constexpr std::array<const char*, 14> node_kind_names{
    "kernel",       "memcpy",           "memset",         "host",      "graph",    "empty",        "wait_event",
    "event_record", "ext_semas_signal", "ext_semas_wait", "mem_alloc", "mem_free", "batch_mem_op", "conditional",
};

// A kind without a name is written as this and its value.
inline constexpr std::string_view unnamed_kind_prefix = "type_";
// A launch attribute without a name is written as this and its id.
inline constexpr std::string_view unnamed_attribute_prefix = "attribute_";

// By value of argument_source.
inline constexpr std::array<const char*, 3> argument_source_names{"none", "kernel_params", "extra"};

struct named_fact {
    const char* name;
    std::optional<std::int32_t> function_facts::* field;
};

inline constexpr std::array function_fact_names{
    named_fact{"num_regs", &function_facts::num_regs},
    named_fact{"max_dynamic_shared_bytes", &function_facts::max_dynamic_shared_bytes},
    named_fact{"preferred_shared_memory_carveout", &function_facts::preferred_shared_memory_carveout},
    named_fact{"cluster_size_must_be_set", &function_facts::cluster_size_must_be_set},
    named_fact{"required_cluster_width", &function_facts::required_cluster_width},
    named_fact{"required_cluster_height", &function_facts::required_cluster_height},
    named_fact{"required_cluster_depth", &function_facts::required_cluster_depth},
    named_fact{"non_portable_cluster_size_allowed", &function_facts::non_portable_cluster_size_allowed},
    named_fact{"cluster_scheduling_policy", &function_facts::cluster_scheduling_policy},
};

struct named_operand_field {
    const char* name;
    std::uint64_t memcpy_operand::* field;
};

// What the members "src" and "dst" of a copy hold; the memory type stands outside of them.
inline constexpr std::array operand_field_names{
    named_operand_field{"address", &memcpy_operand::address},
    named_operand_field{"pitch_bytes", &memcpy_operand::pitch_bytes},
    named_operand_field{"height", &memcpy_operand::height},
    named_operand_field{"x_bytes", &memcpy_operand::x_bytes},
    named_operand_field{"y", &memcpy_operand::y},
    named_operand_field{"z", &memcpy_operand::z},
    named_operand_field{"lod", &memcpy_operand::lod},
};

// Child graphs inside child graphs that a reader follows; deeper ones are a format_error.
inline constexpr int max_child_depth = 32;

}  // namespace graphdedup::snapshot
