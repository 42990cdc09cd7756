// The device that the cases run on.
#pragma once

#include "expectations.hpp"
#include "memory.hpp"

#include "doctor/lab.hpp"
#include "driver/api.hpp"
#include "exec/graph_exec.hpp"

#include <graphdedup/driver.hpp>

#include <memory>
#include <optional>
#include <string>

namespace graphdedup::conformance {

// Beside a and b, which are alike but for their name: kernels with a static cluster shape, in their name, and two that may use
// more than 48 KiB of dynamic shared memory.
inline constexpr doctor::report_kernel kernels[] = {
    {"gd_report_a", {}},           {"gd_report_b", {}},           {"gd_report_c211", {2, 1, 1}},
    {"gd_report_c121", {1, 2, 1}}, {"gd_report_c112", {1, 1, 2}}, {"gd_report_c221", {2, 2, 1}},
    {"gd_report_d211", {2, 1, 1}}, {"gd_report_big_a", {}},       {"gd_report_big_b", {}}};
inline constexpr std::uint32_t big_shared_bytes = 96 * 1024;

// The primary context of device 0, current for as long as this lives.
class primary_context {
  public:
    explicit primary_context(const driver_layer::api& driver);
    ~primary_context();
    primary_context(const primary_context&) = delete;
    primary_context& operator=(const primary_context&) = delete;

    [[nodiscard]] CUcontext get() const noexcept { return context_; }
    [[nodiscard]] CUdevice device() const noexcept { return device_; }

  private:
    const driver_layer::api& driver_;
    CUdevice device_ = 0;
    CUcontext context_ = nullptr;
};

// Throws driver_not_found and driver_error: without a device nothing can be tried.
class bench {
  public:
    explicit bench(std::shared_ptr<const graphdedup::driver> loaded);

    [[nodiscard]] const driver_layer::api& driver() const noexcept { return loaded_->api(); }
    [[nodiscard]] CUcontext context() const noexcept { return context_.get(); }
    [[nodiscard]] CUstream stream() const noexcept { return stream_.get(); }
    [[nodiscard]] CUstream other_stream() const noexcept { return other_stream_.get(); }
    [[nodiscard]] const doctor::lab& lab() const noexcept { return lab_; }
    [[nodiscard]] const arena& memories() const noexcept { return arena_; }
    [[nodiscard]] CUfunction function(std::string_view name) const;

    // Empty for a driver and device that the table does not know.
    [[nodiscard]] std::optional<profile> known_as() const noexcept { return known_as_; }
    [[nodiscard]] std::string description() const;

    [[nodiscard]] exec::graph_exec instantiate(CUgraph source, std::uint64_t flags = 0) const;
    void launch(const exec::graph_exec& executable) const { executable.launch(stream(), site); }
    void synchronize() const;
    // Clears all slots, launches, waits, reads.
    [[nodiscard]] image run(const exec::graph_exec& executable) const;

    // False once a kernel has failed: every later call would fail too.
    [[nodiscard]] bool is_usable() const { return driver().cuCtxSynchronize() == CUDA_SUCCESS; }

    static constexpr driver_layer::call_site site{"conformance", "bench"};

  private:
    [[nodiscard]] std::optional<profile> recognise() const;

    std::shared_ptr<const graphdedup::driver> loaded_;
    primary_context context_;
    driver_layer::owned_stream stream_;
    driver_layer::owned_stream other_stream_;
    driver_layer::owned_module module_;
    doctor::lab lab_;
    arena arena_;
    std::optional<profile> known_as_;
};

}  // namespace graphdedup::conformance
