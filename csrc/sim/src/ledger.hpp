// The device memory that allocations and executables take.
#pragma once

#include <cuda.h>

#include <cstddef>

namespace graphdedup_sim {

// Of one device. False, and nothing taken, if there is not enough.
[[nodiscard]] bool take_allocation_bytes(CUdevice device, std::size_t size_bytes);
void give_allocation_bytes(CUdevice device, std::size_t size_bytes);

[[nodiscard]] bool take_exec_bytes(CUdevice device, std::size_t size_bytes);
void give_exec_bytes(CUdevice device, std::size_t size_bytes);

[[nodiscard]] std::size_t total_bytes();
[[nodiscard]] std::size_t free_bytes(CUdevice device);

}  // namespace graphdedup_sim
