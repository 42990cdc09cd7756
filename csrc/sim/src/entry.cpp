#include "entry.hpp"

#include "capture.hpp"

namespace graphdedup_sim {
namespace {

bool needs_no_driver(symbol id) { return id == symbol::cuGetErrorName || id == symbol::cuGetErrorString; }

bool needs_no_init(symbol id) { return id == symbol::cuInit || id == symbol::cuDriverGetVersion || needs_no_driver(id); }

}  // namespace

CUresult admit(symbol id) {
    world& w = here();
    const auto index = static_cast<std::size_t>(id);
    ++w.call_counts[index];
    if (w.faults.sticky_error != CUDA_SUCCESS && !needs_no_driver(id)) return w.faults.sticky_error;
    if (const CUresult fault = w.faults.next_call(id); fault != CUDA_SUCCESS) return fault;
    if (!w.initialised && !needs_no_init(id)) return CUDA_ERROR_NOT_INITIALIZED;
    if (w.forbidden_during_capture[index] && spoil_captures()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return CUDA_SUCCESS;
}

}  // namespace graphdedup_sim
