// Stream captures.
#pragma once

#include "objects.hpp"
#include "symbols.hpp"

namespace graphdedup_sim {

// What a stream handle stands for. The default streams have no object: `stream` is null, the context is the current one.
struct found_stream {
    CUresult status = CUDA_SUCCESS;
    stream_object* stream = nullptr;
    CUcontext context = nullptr;

    [[nodiscard]] CUdevice device() const;
};

[[nodiscard]] found_stream find_stream(CUstream handle, symbol operation);

// For a call that must not be made while certain captures run. Invalidates those that the calling thread's mode does not spare,
// and says whether there were any.
[[nodiscard]] bool spoil_captures();

}  // namespace graphdedup_sim
