#include "memory.hpp"

#include "capture.hpp"
#include "ledger.hpp"
#include "symbols.hpp"
#include "thread_state.hpp"
#include "world.hpp"

#include <cstdlib>
#include <cstring>
#include <iterator>

namespace graphdedup_sim {
namespace {

constexpr std::size_t alignment_bytes = 256;

const std::pair<const CUdeviceptr, allocation>* find_allocation(CUdeviceptr address) {
    const auto& all = here().allocations;
    const auto next = all.upper_bound(address);
    if (next == all.begin()) return nullptr;
    const auto& candidate = *std::prev(next);
    return address - candidate.first < candidate.second.size_bytes ? &candidate : nullptr;
}

}  // namespace

CUresult allocate_memory(CUdevice device, std::size_t size_bytes, CUdeviceptr& address) {
    if (size_bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (!take_allocation_bytes(device, size_bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
    const std::size_t rounded_bytes = (size_bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
    void* memory = std::aligned_alloc(alignment_bytes, rounded_bytes);
    if (memory == nullptr) {
        give_allocation_bytes(device, size_bytes);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    address = reinterpret_cast<std::uintptr_t>(memory);
    here().allocations.emplace(address, allocation{memory, size_bytes, device, false});
    return CUDA_SUCCESS;
}

bool free_memory(CUdeviceptr address) {
    const auto at = here().allocations.find(address);
    if (at == here().allocations.end()) return false;
    give_allocation_bytes(at->second.device, at->second.size_bytes);
    std::free(at->second.memory);
    here().allocations.erase(at);
    return true;
}

bool is_allocated(CUdeviceptr address, std::size_t size_bytes) {
    const auto* found = find_allocation(address);
    return found != nullptr && size_bytes <= found->second.size_bytes - (address - found->first);
}

bool is_pooled(CUdeviceptr address) {
    const auto* found = find_allocation(address);
    return found != nullptr && found->second.is_pooled;
}

CUdevice device_of_address(CUdeviceptr address) {
    const auto* found = find_allocation(address);
    return found != nullptr ? found->second.device : -1;
}

namespace impl {
namespace {

// The checks that copies and fills have in common.
CUresult check_range(CUdeviceptr address, std::size_t size_bytes) {
    CUcontext context = nullptr;
    if (const CUresult status = current_context(context); status != CUDA_SUCCESS) return status;
    return is_allocated(address, size_bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

CUresult cuMemGetInfo(std::size_t* free_size, std::size_t* total_size) {
    if (free_size == nullptr || total_size == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUdevice device = 0;
    if (const CUresult status = current_device(device); status != CUDA_SUCCESS) return status;
    *free_size = free_bytes(device);
    *total_size = total_bytes();
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* pointer, std::size_t bytes) {
    if (pointer == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUdevice device = 0;
    if (const CUresult status = current_device(device); status != CUDA_SUCCESS) return status;
    return allocate_memory(device, bytes, *pointer);
}

// Memory of a pool is there at once, and is freed like any other.
CUresult cuMemAllocAsync(CUdeviceptr* pointer, std::size_t bytes, CUstream stream) {
    if (pointer == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const found_stream found = find_stream(stream, symbol::cuMemAllocAsync);
    if (found.status != CUDA_SUCCESS) return found.status;
    // A driver makes an allocation node of it.
    if (found.stream != nullptr && found.stream->capturing) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    const CUresult status = allocate_memory(found.device(), bytes, *pointer);
    if (status == CUDA_SUCCESS) here().allocations.at(*pointer).is_pooled = true;
    return status;
}

CUresult cuMemAllocHost(void** pointer, std::size_t bytes) {
    if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    CUcontext context = nullptr;
    if (const CUresult status = current_context(context); status != CUDA_SUCCESS) return status;
    const std::size_t rounded_bytes = (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
    void* memory = std::aligned_alloc(alignment_bytes, rounded_bytes);
    if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    here().pinned_allocations.insert(memory);
    *pointer = memory;
    return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void* pointer) {
    if (here().pinned_allocations.erase(pointer) == 0) return CUDA_ERROR_INVALID_VALUE;
    std::free(pointer);
    return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr pointer) {
    if (pointer == 0) return CUDA_SUCCESS;
    if (free_memory(pointer)) return CUDA_SUCCESS;
    note_misuse("cuMemFree: nothing is allocated at this address");
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyHtoD(CUdeviceptr destination, const void* source, std::size_t bytes) {
    if (bytes == 0) return CUDA_SUCCESS;
    if (source == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult status = check_range(destination, bytes); status != CUDA_SUCCESS) return status;
    std::memcpy(to_host(destination), source, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH(void* destination, CUdeviceptr source, std::size_t bytes) {
    if (bytes == 0) return CUDA_SUCCESS;
    if (destination == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult status = check_range(source, bytes); status != CUDA_SUCCESS) return status;
    std::memcpy(destination, to_host(source), bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemsetD8(CUdeviceptr pointer, unsigned char value, std::size_t bytes) {
    if (bytes == 0) return CUDA_SUCCESS;
    if (const CUresult status = check_range(pointer, bytes); status != CUDA_SUCCESS) return status;
    std::memset(to_host(pointer), value, bytes);
    return CUDA_SUCCESS;
}

}  // namespace impl
}  // namespace graphdedup_sim
