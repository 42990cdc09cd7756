// Device memory: real memory of the host, at the same addresses.
#pragma once

#include <cuda.h>

#include <cstddef>

namespace graphdedup_sim {

[[nodiscard]] CUresult allocate_memory(CUdevice device, std::size_t size_bytes, CUdeviceptr& address);

// False if nothing was allocated at exactly this address.
bool free_memory(CUdeviceptr address);

// True if all of the range lies in one living allocation.
[[nodiscard]] bool is_allocated(CUdeviceptr address, std::size_t size_bytes);

// Allocated from a pool, that is, in the order of a stream.
[[nodiscard]] bool is_pooled(CUdeviceptr address);

// The device of the allocation that holds the address; -1 if there is none.
[[nodiscard]] CUdevice device_of_address(CUdeviceptr address);

[[nodiscard]] inline void* to_host(CUdeviceptr address) { return reinterpret_cast<void*>(static_cast<std::size_t>(address)); }

}  // namespace graphdedup_sim
