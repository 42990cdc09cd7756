// cuInit, devices, contexts.
#include "symbols.hpp"
#include "thread_state.hpp"
#include "world.hpp"

#include <algorithm>
#include <cstring>

namespace graphdedup_sim {

thread_state& this_thread_state() {
    thread_local thread_state state;
    const std::uint64_t generation = here().generation;
    if (state.generation != generation) {
        state = {};
        state.generation = generation;
    }
    return state;
}

CUresult current_context(CUcontext& context) {
    const thread_state& thread = this_thread_state();
    if (thread.contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (here().contexts.find(thread.contexts.back()) == nullptr) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    context = thread.contexts.back();
    return CUDA_SUCCESS;
}

CUresult current_device(CUdevice& device) {
    CUcontext context = nullptr;
    if (const CUresult status = current_context(context); status != CUDA_SUCCESS) return status;
    device = here().contexts.find(context)->device;
    return CUDA_SUCCESS;
}

namespace impl {
namespace {

world::device_state* find_device(CUdevice device) {
    auto& devices = here().devices;
    return device >= 0 && static_cast<std::size_t>(device) < devices.size() ? &devices[static_cast<std::size_t>(device)]
                                                                            : nullptr;
}

int device_attribute(CUdevice_attribute attribute) {
    switch (attribute) {
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: return here().profile.compute_capability_major;
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: return here().profile.compute_capability_minor;
        case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: return 132;
        case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return 1024;
        case CU_DEVICE_ATTRIBUTE_WARP_SIZE: return 32;
        case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH: return 1;
        case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH: return here().profile.compute_capability_major >= 9 ? 1 : 0;
        case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING: return 1;
        default: return 0;
    }
}

}  // namespace

CUresult cuInit(unsigned int flags) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    here().initialised = true;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *version = here().profile.driver_version;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<int>(here().devices.size());
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (find_device(ordinal) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
    if (find_device(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    const gdsim_profile& profile = here().profile;
    const std::string text = std::string("Simulated ") + profile.device_name + " (" + profile.name + ")";
    const std::size_t copied = std::min(text.size(), static_cast<std::size_t>(length) - 1);
    std::memcpy(name, text.data(), copied);
    name[copied] = '\0';
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    constexpr int last_attribute = 150;  // some more than any header knows
    if (value == nullptr || attribute <= 0 || static_cast<int>(attribute) > last_attribute) return CUDA_ERROR_INVALID_VALUE;
    if (find_device(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    *value = device_attribute(attribute);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    world::device_state* state = find_device(device);
    if (state == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (state->primary_count == 0) {
        state->primary = here().contexts.add(std::make_unique<context_object>(context_object{device}), false);
    }
    ++state->primary_count;
    *context = state->primary;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    world::device_state* state = find_device(device);
    if (state == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (state->primary_count == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (--state->primary_count == 0) here().contexts.take(state->primary);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
    if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const thread_state& thread = this_thread_state();
    *context = thread.contexts.empty() ? nullptr : thread.contexts.back();
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
    if (lookup(here().contexts, context, symbol::cuCtxPushCurrent) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    this_thread_state().contexts.push_back(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
    thread_state& thread = this_thread_state();
    if (thread.contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context != nullptr) *context = thread.contexts.back();
    thread.contexts.pop_back();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return current_device(*device);
}

CUresult cuCtxSynchronize() {
    CUcontext context = nullptr;
    return current_context(context);
}

}  // namespace impl
}  // namespace graphdedup_sim
