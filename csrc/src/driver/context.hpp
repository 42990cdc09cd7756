// Scopes around driver calls: the current context, and the thread's capture mode.
#pragma once

#include "driver/api.hpp"

namespace graphdedup::driver_layer {

// The context that is current to this thread; null if none is.
[[nodiscard]] inline CUcontext current_context(const api& driver) noexcept {
    CUcontext context = nullptr;
    if (driver.cuCtxGetCurrent(&context) != CUDA_SUCCESS) return nullptr;
    return context;
}

// Makes `context` current for the scope, and restores what was current before. Costs one query when it is current already.
class scoped_context {
  public:
    scoped_context(const api& driver, CUcontext context) noexcept : driver_(driver) {
        if (context == nullptr || current_context(driver) == context) return;
        pushed_ = driver.cuCtxPushCurrent(context) == CUDA_SUCCESS;
    }
    ~scoped_context() {
        CUcontext popped = nullptr;
        if (pushed_) driver_.cuCtxPopCurrent(&popped);
    }
    scoped_context(const scoped_context&) = delete;
    scoped_context& operator=(const scoped_context&) = delete;

  private:
    const api& driver_;
    bool pushed_ = false;
};

// Lets this thread make calls that would spoil a stream capture in global mode, on this thread or another: instantiating and
// destroying are such calls, and neither touches the stream that captures (cuThreadExchangeStreamCaptureMode).
class relaxed_capture {
  public:
    explicit relaxed_capture(const api& driver) noexcept : driver_(driver) {
        exchanged_ = driver.cuThreadExchangeStreamCaptureMode(&mode_) == CUDA_SUCCESS;
    }
    ~relaxed_capture() {
        if (exchanged_) driver_.cuThreadExchangeStreamCaptureMode(&mode_);
    }
    relaxed_capture(const relaxed_capture&) = delete;
    relaxed_capture& operator=(const relaxed_capture&) = delete;

  private:
    const api& driver_;
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
    bool exchanged_ = false;
};

}  // namespace graphdedup::driver_layer
