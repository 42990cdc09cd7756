#include "profile.hpp"

#include "attributes.hpp"

#include <array>
#include <cstring>

namespace graphdedup_sim {
namespace {

constexpr attribute_mask mask_of_all(std::initializer_list<int> ids) {
    attribute_mask mask = 0;
    for (const int id : ids) mask |= mask_of(id);
    return mask;
}

constexpr attribute_mask readable_by_580 = mask_of_all({1, 2, 4, 5, 8, 9, 10, 13, 14});
constexpr attribute_mask about_clusters = mask_of_all(
    {attribute_id::cluster_dimension, attribute_id::cluster_scheduling_policy, attribute_id::preferred_cluster_dimension});
constexpr std::uint64_t gib = std::uint64_t{1} << 30U;

// Sizes of executables: 35 decode graphs of about 540 nodes took 48 MiB on an H200.
constexpr gdsim_profile driver580_h200{.name = "driver580-h200",
                                       .device_name = "H200",
                                       .driver_version = 13000,
                                       .device_count = 1,
                                       .compute_capability_major = 9,
                                       .compute_capability_minor = 0,
                                       .readable_attributes = readable_by_580,
                                       .stale_attributes = about_clusters,
                                       .stale_static_cluster = 1,
                                       .honours_preferred_cluster = 0,
                                       .refusal_is_partial = 0,
                                       .keeps_exec_memory = 0,
                                       .device_memory_bytes = 140 * gib,
                                       .exec_base_bytes = 32768,
                                       .exec_node_bytes = 2662};

constexpr gdsim_profile driver580_b200 = [] {
    gdsim_profile made = driver580_h200;
    made.name[10] = 'b';
    made.device_name[0] = 'B';
    made.compute_capability_major = 10;
    made.honours_preferred_cluster = 1;
    return made;
}();

constexpr gdsim_profile clean = [] {
    gdsim_profile made = driver580_b200;
    constexpr std::string_view name = "clean";
    for (std::size_t i = 0; i < sizeof made.name; ++i) made.name[i] = i < name.size() ? name[i] : '\0';
    made.readable_attributes |= mask_of(attribute_id::preferred_cluster_dimension);
    made.stale_attributes = 0;
    made.stale_static_cluster = 0;
    return made;
}();

constexpr std::array profiles{driver580_h200, driver580_b200, clean};

template <std::size_t size>
bool is_terminated(const char (&text)[size]) {
    return std::memchr(text, '\0', size) != nullptr;
}

}  // namespace

std::span<const gdsim_profile> known_profiles() { return profiles; }

const gdsim_profile* find_profile(std::string_view name) {
    for (const gdsim_profile& profile : profiles) {
        if (name == profile.name) return &profile;
    }
    return nullptr;
}

bool is_usable(const gdsim_profile& profile) {
    constexpr int device_count_limit = 16;
    return is_terminated(profile.name) && is_terminated(profile.device_name) && profile.device_count >= 1 &&
           profile.device_count <= device_count_limit;
}

}  // namespace graphdedup_sim
