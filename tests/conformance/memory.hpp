// The memory that cases write to and copy from, and its contents as one image.
#pragma once

#include "driver/api.hpp"
#include "driver/owned.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graphdedup::conformance {

enum class memory : std::size_t { device, pool, pinned, pageable, count_ };
inline constexpr std::size_t memory_count = static_cast<std::size_t>(memory::count_);

[[nodiscard]] const char* name_of(memory m) noexcept;

inline constexpr std::size_t slot_bytes = 128;  // of a launch report
inline constexpr std::size_t device_slot_count = 256;
inline constexpr std::size_t other_slot_count = 16;
inline constexpr std::size_t pattern_bytes = 4096;

[[nodiscard]] constexpr std::size_t slot_count(memory m) noexcept {
    return m == memory::device ? device_slot_count : other_slot_count;
}
[[nodiscard]] constexpr bool is_host(memory m) noexcept { return m == memory::pinned || m == memory::pageable; }

struct place {
    memory where = memory::device;
    unsigned int slot = 0;
    std::size_t offset_bytes = 0;
};

// The byte that the pattern of a memory has at an offset. Never zero.
[[nodiscard]] constexpr std::byte pattern_at(memory m, std::size_t offset_bytes) noexcept {
    return static_cast<std::byte>(1 + (offset_bytes * 7 + offset_bytes / 251 + static_cast<std::size_t>(m) * 53) % 255);
}

// All slots of all memories.
class image {
  public:
    image();
    [[nodiscard]] std::byte* slot(memory m, std::size_t index) noexcept {
        return bytes_[static_cast<std::size_t>(m)].data() + index * slot_bytes;
    }
    [[nodiscard]] std::byte* at(const place& p) noexcept { return slot(p.where, p.slot) + p.offset_bytes; }
    [[nodiscard]] std::vector<std::byte>& of(memory m) noexcept { return bytes_[static_cast<std::size_t>(m)]; }
    // "device slot 3, word 7: 1 instead of 2"; empty if they are equal.
    [[nodiscard]] std::string difference_from(const image& wanted) const;
    friend bool operator==(const image&, const image&) = default;

  private:
    std::array<std::vector<std::byte>, memory_count> bytes_;
};

// Slots and a pattern in each memory. Throws driver_error.
class arena {
  public:
    arena(const driver_layer::api& driver, CUstream stream);
    ~arena();
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;

    [[nodiscard]] CUdeviceptr address(const place& p) const noexcept {
        return base_[static_cast<std::size_t>(p.where)] + p.slot * slot_bytes + p.offset_bytes;
    }
    [[nodiscard]] CUdeviceptr pattern_address(memory m, std::size_t offset_bytes) const noexcept {
        return base_[static_cast<std::size_t>(m)] + slot_count(m) * slot_bytes + offset_bytes;
    }
    // Eight bytes that belong to no image.
    [[nodiscard]] CUdeviceptr scratch() const noexcept { return pattern_address(memory::device, pattern_bytes); }

    // All slots to zero. Nothing may be in flight.
    void clear() const;
    [[nodiscard]] image read() const;

  private:
    [[nodiscard]] CUdeviceptr allocate(memory m, CUstream stream);
    void write_pattern(memory m) const;

    const driver_layer::api& driver_;
    std::vector<std::byte> pageable_;
    std::array<CUdeviceptr, memory_count> base_{};
};

}  // namespace graphdedup::conformance
