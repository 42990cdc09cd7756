// What executables cost in device memory.
#pragma once

#include "driver/api.hpp"
#include "driver/check.hpp"

#include <cstdint>

namespace graphdedup::doctor {

// Device memory that one kernel node of an executable takes, in bytes, at least 1: measured once a process and device, by
// instantiating and uploading a few executables and watching the free memory (cuMemGetInfo), which is handed out in large pieces.
// Another process that takes or gives memory meanwhile spoils the figure; it is kept within sensible bounds. Where it cannot be
// measured the answer is a careful guess. Wants the device's context current. Thread-safe.
[[nodiscard]] std::uint64_t exec_bytes_per_node(const driver_layer::api& driver, CUdevice device,
                                                const driver_layer::call_site& site);

// Forgets what was measured: for a simulated driver whose behaviour was changed.
void forget_exec_memory();

}  // namespace graphdedup::doctor
