// What is known of each launch attribute of a kernel node: id, name in the recorded form, and which bytes of
// CUlaunchAttributeValue hold its value. Whether it must be equal for sharing is not said here: signature/rules.
#pragma once

#include <array>
#include <cstdint>

namespace graphdedup::snapshot {

enum class attribute_shape : std::uint8_t {
    integer,        // one 32-bit integer
    dimensions,     // three 32-bit integers
    domain_map,     // two 8-bit integers: default, remote
    access_window,  // base pointer 8, size 8, hit ratio (float) 4, hit property 4, miss property 4
    flag_byte,      // one 8-bit integer
};

struct attribute_info {
    std::uint16_t id;
    const char* name;
    attribute_shape shape;
    std::uint8_t size_bytes;  // from the start of the value
    bool launch_only;         // never kept on a captured node: not probed
};

// Ids as in cuda.h up to 13.5, written as integers because older headers lack the newer names. Ids above the last one here
// are probed too and kept as 64 raw bytes, named "attribute_<id>".
inline constexpr std::array attribute_table{
    attribute_info{1, "access_policy_window", attribute_shape::access_window, 28, false},
    attribute_info{2, "cooperative", attribute_shape::integer, 4, false},
    attribute_info{4, "cluster_dimension", attribute_shape::dimensions, 12, false},
    attribute_info{5, "cluster_scheduling_policy", attribute_shape::integer, 4, false},
    attribute_info{6, "programmatic_stream_serialization", attribute_shape::integer, 4, true},
    attribute_info{7, "programmatic_event", attribute_shape::integer, 4, true},
    attribute_info{8, "priority", attribute_shape::integer, 4, false},
    attribute_info{9, "mem_sync_domain_map", attribute_shape::domain_map, 2, false},
    attribute_info{10, "mem_sync_domain", attribute_shape::integer, 4, false},
    attribute_info{11, "preferred_cluster_dimension", attribute_shape::dimensions, 12, false},
    attribute_info{12, "launch_completion_event", attribute_shape::integer, 4, true},
    attribute_info{13, "device_updatable", attribute_shape::integer, 4, false},
    attribute_info{14, "shared_memory_carveout", attribute_shape::integer, 4, false},
    attribute_info{16, "nvlink_util_centric_scheduling", attribute_shape::integer, 4, false},
    attribute_info{17, "portable_cluster_size_mode", attribute_shape::integer, 4, false},
    attribute_info{18, "shared_memory_mode", attribute_shape::integer, 4, false},
};

inline constexpr std::uint16_t attribute_cluster_dimension = 4;
inline constexpr std::uint16_t attribute_preferred_cluster_dimension = 11;
inline constexpr std::uint16_t attribute_device_updatable = 13;

// Ids 1 to this one are probed on a driver, known or not, so that an attribute newer than this library is seen.
inline constexpr std::uint16_t last_probed_attribute = 31;
inline constexpr std::uint8_t raw_attribute_size_bytes = 64;

// Null for an id that the table does not list.
[[nodiscard]] constexpr const attribute_info* find_attribute(std::uint16_t id) noexcept {
    for (const auto& info : attribute_table) {
        if (info.id == id) return &info;
    }
    return nullptr;
}

}  // namespace graphdedup::snapshot
