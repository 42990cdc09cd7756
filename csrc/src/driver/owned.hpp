// Owning handles of driver objects that need nothing but their destroy call.
#pragma once

#include "driver/api.hpp"
#include "driver/context.hpp"
#include "driver/process.hpp"

#include <utility>

namespace graphdedup::driver_layer {

// `destroy` is the member of `api` that ends the handle. The destructor leaks where no driver call is allowed.
template <typename handle_type, auto destroy>
class owned {
  public:
    owned(const api& driver, handle_type handle) noexcept : driver_(&driver), handle_(handle) {}
    ~owned() {
        if (handle_ == handle_type{} || !calls_allowed()) return;
        const relaxed_capture relaxed(*driver_);
        // Nothing can be done about a failure here, and the handle is gone either way.
        static_cast<void>((driver_->*destroy)(handle_));
    }
    owned(owned&& other) noexcept : driver_(other.driver_), handle_(std::exchange(other.handle_, handle_type{})) {}
    owned& operator=(owned&&) = delete;
    owned(const owned&) = delete;
    owned& operator=(const owned&) = delete;

    [[nodiscard]] handle_type get() const noexcept { return handle_; }
    [[nodiscard]] handle_type release() noexcept { return std::exchange(handle_, handle_type{}); }

  private:
    const api* driver_;
    handle_type handle_;
};

using owned_graph = owned<CUgraph, &api::cuGraphDestroy>;
using owned_exec = owned<CUgraphExec, &api::cuGraphExecDestroy>;
using owned_stream = owned<CUstream, &api::cuStreamDestroy>;
using owned_event = owned<CUevent, &api::cuEventDestroy>;
using owned_module = owned<CUmodule, &api::cuModuleUnload>;
using owned_memory = owned<CUdeviceptr, &api::cuMemFree>;

}  // namespace graphdedup::driver_layer
