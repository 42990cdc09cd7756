// What belongs to a thread: its stack of contexts, and how it interacts with stream captures.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <vector>

namespace graphdedup_sim {

struct thread_state {
    std::uint64_t generation = 0;  // of the world that it belongs to
    std::vector<CUcontext> contexts;
    CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
};

// Of the calling thread, and of the present world. With the lock held.
[[nodiscard]] thread_state& this_thread_state();

// The current context. CUDA_ERROR_INVALID_CONTEXT if there is none, CUDA_ERROR_CONTEXT_IS_DESTROYED if it is gone.
[[nodiscard]] CUresult current_context(CUcontext& context);

// Its device.
[[nodiscard]] CUresult current_device(CUdevice& device);

}  // namespace graphdedup_sim
