// Streams and events.
#include "capture.hpp"
#include "graph_edit.hpp"
#include "symbols.hpp"
#include "thread_state.hpp"
#include "world.hpp"

namespace graphdedup_sim::impl {

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
    if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    CUcontext context = nullptr;
    if (const CUresult status = current_context(context); status != CUDA_SUCCESS) return status;
    world& w = here();
    auto made = std::make_unique<stream_object>();
    made->context = context;
    made->flags = flags;
    *stream = w.streams.add(std::move(made), w.handle_reuse);
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream) {
    if (lookup(here().streams, stream, symbol::cuStreamDestroy) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const std::unique_ptr<stream_object> taken = here().streams.take(stream);
    if (taken->capturing) destroy_graph(taken->capture.graph);
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
    const found_stream found = find_stream(stream, symbol::cuStreamSynchronize);
    if (found.status != CUDA_SUCCESS) return found.status;
    if (found.stream == nullptr || !found.stream->capturing) return CUDA_SUCCESS;
    found.stream->capture.invalidated = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
    constexpr unsigned int known_flags = 7;  // blocking sync, no timing, interprocess
    if (event == nullptr || (flags & ~known_flags) != 0) return CUDA_ERROR_INVALID_VALUE;
    CUcontext context = nullptr;
    if (const CUresult status = current_context(context); status != CUDA_SUCCESS) return status;
    world& w = here();
    *event = w.events.add(std::make_unique<event_object>(event_object{context, (flags & CU_EVENT_DISABLE_TIMING) == 0, false}),
                          w.handle_reuse);
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
    if (lookup(here().events, event, symbol::cuEventDestroy) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    here().events.take(event);
    return CUDA_SUCCESS;
}

// Nothing takes time here.
CUresult cuEventElapsedTime(float* elapsed_ms, CUevent start, CUevent end) {
    if (elapsed_ms == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (const CUevent event : {start, end}) {
        const event_object* found = lookup(here().events, event, symbol::cuEventElapsedTime);
        if (found == nullptr || !found->has_time || !found->recorded) return CUDA_ERROR_INVALID_HANDLE;
    }
    *elapsed_ms = 0;
    return CUDA_SUCCESS;
}

}  // namespace graphdedup_sim::impl
