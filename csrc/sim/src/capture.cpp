#include "capture.hpp"

#include "graph_edit.hpp"
#include "thread_state.hpp"
#include "world.hpp"

#include <utility>

namespace graphdedup_sim {
namespace {

// By value: the macros of the special handles are casts.
bool is_default_stream(CUstream stream) { return reinterpret_cast<std::uintptr_t>(stream) <= 2; }
bool is_legacy_stream(CUstream stream) { return reinterpret_cast<std::uintptr_t>(stream) <= 1; }

// Does a potentially unsafe call of this thread spoil the capture?
bool is_endangered(const capture_state& capture) {
    if (capture.mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
    const bool own = capture.thread == std::this_thread::get_id();
    switch (this_thread_state().capture_mode) {
        case CU_STREAM_CAPTURE_MODE_GLOBAL: return own || capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
        case CU_STREAM_CAPTURE_MODE_THREAD_LOCAL: return own;
        default: return false;
    }
}

// A capturing stream that the legacy stream would have to wait for.
bool is_blocking_capture_running() {
    constexpr unsigned int non_blocking = CU_STREAM_NON_BLOCKING;
    bool running = false;
    here().streams.for_each([&](CUstream, const stream_object& stream) {
        running = running || (stream.capturing && (stream.flags & non_blocking) == 0);
    });
    return running;
}

}  // namespace

CUdevice found_stream::device() const { return here().contexts.find(context)->device; }

found_stream find_stream(CUstream handle, symbol operation) {
    found_stream found;
    if (is_default_stream(handle)) {
        found.status = current_context(found.context);
        return found;
    }
    found.stream = lookup(here().streams, handle, operation);
    if (found.stream == nullptr) return {CUDA_ERROR_INVALID_HANDLE, nullptr, nullptr};
    found.context = found.stream->context;
    if (here().contexts.find(found.context) == nullptr) found.status = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return found;
}

bool spoil_captures() {
    bool spoiled = false;
    here().streams.for_each([&](CUstream, stream_object& stream) {
        if (!stream.capturing || !is_endangered(stream.capture)) return;
        stream.capture.invalidated = true;
        spoiled = true;
    });
    return spoiled;
}

namespace impl {

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
    if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const found_stream found = find_stream(stream, symbol::cuStreamIsCapturing);
    if (found.status != CUDA_SUCCESS) return found.status;
    if (is_legacy_stream(stream) && is_blocking_capture_running()) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (found.stream == nullptr || !found.stream->capturing) return CUDA_SUCCESS;
    *status = found.stream->capture.invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
    if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    const found_stream found = find_stream(stream, symbol::cuStreamBeginCapture);
    if (found.status != CUDA_SUCCESS) return found.status;
    // The per-thread default stream, which a driver can capture, has no state here.
    if (found.stream == nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (found.stream->capturing) return CUDA_ERROR_ILLEGAL_STATE;
    found.stream->capturing = true;
    found.stream->capture = {create_graph(), mode, std::this_thread::get_id(), nullptr, false};
    return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const found_stream found = find_stream(stream, symbol::cuStreamEndCapture);
    if (found.status != CUDA_SUCCESS) return found.status;
    if (found.stream == nullptr || !found.stream->capturing) return CUDA_ERROR_ILLEGAL_STATE;
    const capture_state capture = found.stream->capture;
    const bool any_thread = capture.mode == CU_STREAM_CAPTURE_MODE_RELAXED;
    if (!any_thread && capture.thread != std::this_thread::get_id()) return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    found.stream->capturing = false;
    if (!capture.invalidated) {
        *graph = capture.graph;
        return CUDA_SUCCESS;
    }
    destroy_graph(capture.graph);
    *graph = nullptr;
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
    if (mode == nullptr || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *mode = std::exchange(this_thread_state().capture_mode, *mode);
    return CUDA_SUCCESS;
}

}  // namespace impl
}  // namespace graphdedup_sim
