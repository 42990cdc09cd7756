// Values of launch attributes as bytes, in the layout of CUlaunchAttributeValue: little-endian, whatever this machine is.
#pragma once

#include "snapshot/snapshot.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace graphdedup::snapshot {

template <std::unsigned_integral Integer>
void append_integer(std::vector<std::byte>& bytes, Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
        bytes.push_back(static_cast<std::byte>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xffU));
    }
}

// `bytes` holds at least `offset` and the size of an Integer.
template <std::unsigned_integral Integer>
Integer load_integer(std::span<const std::byte> bytes, std::size_t offset) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i) value |= std::to_integer<std::uint64_t>(bytes[offset + i]) << (8 * i);
    return static_cast<Integer>(value);
}

// CUaccessPolicyWindow.
struct access_window {
    std::uint64_t base_ptr = 0;
    std::uint64_t num_bytes = 0;
    float hit_ratio = 0.0F;
    std::uint32_t hit_property = 0;
    std::uint32_t miss_property = 0;
};

inline void append_window(std::vector<std::byte>& bytes, const access_window& window) {
    append_integer(bytes, window.base_ptr);
    append_integer(bytes, window.num_bytes);
    append_integer(bytes, std::bit_cast<std::uint32_t>(window.hit_ratio));
    append_integer(bytes, window.hit_property);
    append_integer(bytes, window.miss_property);
}

inline access_window load_window(std::span<const std::byte> bytes) {
    return {load_integer<std::uint64_t>(bytes, 0), load_integer<std::uint64_t>(bytes, 8),
            std::bit_cast<float>(load_integer<std::uint32_t>(bytes, 16)), load_integer<std::uint32_t>(bytes, 20),
            load_integer<std::uint32_t>(bytes, 24)};
}

}  // namespace graphdedup::snapshot
