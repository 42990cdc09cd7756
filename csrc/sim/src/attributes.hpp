// Launch attributes of a kernel: 64 bytes an id, those that were never set have a default.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace graphdedup_sim {

using dimensions = std::array<unsigned int, 3>;
using attribute_value = std::array<std::byte, sizeof(CUlaunchAttributeValue)>;

// Ids as integers: older headers lack the newer names.
namespace attribute_id {
inline constexpr int cooperative = 2;
inline constexpr int cluster_dimension = 4;
inline constexpr int cluster_scheduling_policy = 5;
inline constexpr int programmatic_stream_serialization = 6;
inline constexpr int programmatic_event = 7;
inline constexpr int priority = 8;
inline constexpr int mem_sync_domain_map = 9;
inline constexpr int preferred_cluster_dimension = 11;
inline constexpr int launch_completion_event = 12;
inline constexpr int device_updatable = 13;
inline constexpr int last = 63;  // ids are bits of a 64-bit mask
}  // namespace attribute_id

using attribute_mask = std::uint64_t;

[[nodiscard]] constexpr attribute_mask mask_of(int id) {
    return id < 0 || id > attribute_id::last ? 0 : attribute_mask{1} << static_cast<unsigned int>(id);
}

[[nodiscard]] attribute_value to_bytes(const CUlaunchAttributeValue& value);
[[nodiscard]] CUlaunchAttributeValue from_bytes(const attribute_value& bytes);

class attribute_set {
  public:
    void set(int id, const attribute_value& value);
    void unset(int id);

    // The default of the id where it was never set.
    [[nodiscard]] attribute_value get(int id) const;

    // Takes over, from `other`, exactly the ids of `mask`.
    void take(const attribute_set& other, attribute_mask mask);

    [[nodiscard]] int cooperative() const;
    [[nodiscard]] int priority() const;
    [[nodiscard]] bool device_updatable() const;
    [[nodiscard]] dimensions cluster() const;
    [[nodiscard]] dimensions preferred_cluster() const;

  private:
    std::vector<std::pair<int, attribute_value>> values_;
};

}  // namespace graphdedup_sim
