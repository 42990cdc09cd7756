// Owning handle of an executable (CUgraphExec).
#pragma once

#include "driver/api.hpp"
#include "driver/check.hpp"
#include "driver/owned.hpp"

#include <cstdint>
#include <string>

namespace graphdedup::exec {

// What cuGraphExecUpdate answered.
struct update_outcome {
    CUresult status = CUDA_SUCCESS;  // the call's own return: the only judge of acceptance
    CUgraphExecUpdateResult reason = CU_GRAPH_EXEC_UPDATE_SUCCESS;

    [[nodiscard]] bool accepted() const noexcept { return status == CUDA_SUCCESS; }
    // A refusal proper leaves the executable as it was. After any other failure nobody knows what it holds.
    [[nodiscard]] bool refused() const noexcept {
        return status == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE || status == CUDA_ERROR_NOT_SUPPORTED;
    }
};

// "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE (topology changed)"
[[nodiscard]] std::string describe(const driver_layer::api& driver, const update_outcome& outcome);

// Not thread-safe: the owner serialises update, upload and launch of one executable, as CUDA demands. The caller has the
// executable's context current.
class graph_exec {
  public:
    // Throws out_of_memory, driver_error; nothing is left behind then.
    graph_exec(const driver_layer::api& driver, CUgraph source, std::uint64_t flags, const driver_layer::call_site& site);
    // Its end destroys the executable; safe while a launch is in flight (the driver frees on completion).

    [[nodiscard]] update_outcome update(CUgraph source) const noexcept;
    void upload(CUstream stream, const driver_layer::call_site& site) const;
    void launch(CUstream stream, const driver_layer::call_site& site) const;

    [[nodiscard]] CUgraphExec get() const noexcept { return handle_.get(); }

  private:
    const driver_layer::api* driver_;
    driver_layer::owned_exec handle_;
};

}  // namespace graphdedup::exec
