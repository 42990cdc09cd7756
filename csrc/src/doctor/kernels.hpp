// Kernels that tell how they were launched, as PTX that the driver compiles at run time: no toolkit is needed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace graphdedup::doctor {

struct cluster_shape {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::uint32_t z = 0;
};

// A kernel (u64* out, u64 a, u64 b) whose first thread of its first block writes a `launch_report` to `out`.
struct report_kernel {
    std::string_view name;              // begins with "gd_report"
    cluster_shape static_cluster = {};  // as __cluster_dims__ sets it; zero: none
};

// What a report kernel writes, in 64-bit words. All of it is read on the device.
struct launch_report {
    std::uint64_t tag;  // of the kernel: tag_of(name)
    std::array<std::uint64_t, 3> grid;
    std::array<std::uint64_t, 3> block;
    std::array<std::uint64_t, 3> cluster;  // blocks a cluster; 1, 1, 1 without clusters
    std::uint64_t dynamic_shared_bytes;
    std::uint64_t a;
    std::uint64_t b;
    std::array<std::uint64_t, 3> unused;  // zero
    friend bool operator==(const launch_report&, const launch_report&) = default;
};
static_assert(sizeof(launch_report) == 16 * sizeof(std::uint64_t));

// FNV-1a of the kernel's name: tells in the report which function ran.
[[nodiscard]] constexpr std::uint64_t tag_of(std::string_view name) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash;
}

// PTX of a module with these kernels, and with
//   gd_count(u64* value)            adds 1
//   gd_spin(u64* out, u64 ns)       runs for about `ns` nanoseconds, then writes how long it took
// `clusters`: for a device that has thread block clusters (compability 9.0 and newer). Without, kernels report 1, 1, 1 and a
// static shape is left out.
[[nodiscard]] std::string module_ptx(std::span<const report_kernel> kernels, bool clusters);

}  // namespace graphdedup::doctor
