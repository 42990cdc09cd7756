// A place for experiments on a device: small graphs of kernels that report how they ran.
#pragma once

#include "doctor/kernels.hpp"
#include "driver/api.hpp"
#include "driver/check.hpp"
#include "driver/owned.hpp"
#include "exec/graph_exec.hpp"

#include <optional>
#include <span>
#include <vector>

namespace graphdedup::doctor {

// One kernel node of an experiment. `slot` is where it reports.
struct report_node {
    std::string_view kernel = "gd_report_a";
    std::array<std::uint32_t, 3> grid = {4, 4, 4};
    std::array<std::uint32_t, 3> block = {32, 1, 1};
    std::uint32_t dynamic_shared_bytes = 0;
    std::uint32_t slot = 0;
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::optional<cluster_shape> cluster = {};  // launch attribute
    bool cooperative = false;
};

// The kernels that a lab has: gd_report_a and gd_report_b are alike but for their name; gd_report_c2 has a static cluster
// shape of (2, 1, 1), where the device has clusters.
inline constexpr report_kernel lab_kernels[] = {{"gd_report_a", {}}, {"gd_report_b", {}}, {"gd_report_c2", {2, 1, 1}}};

// Wants its context current, at its beginning, in every call and at its end, all on one thread: that thread's capture mode is
// relaxed meanwhile, so that no stream capture of another thread is spoilt. All throw driver_error.
class lab {
  public:
    static constexpr std::uint32_t slot_count = 64;

    lab(const driver_layer::api& driver, CUdevice device, const driver_layer::call_site& site);

    // Whether the device has thread block clusters (compute capability 9.0 and newer).
    [[nodiscard]] bool has_clusters() const noexcept { return has_clusters_; }
    [[nodiscard]] const driver_layer::api& driver() const noexcept { return driver_; }

    // A graph whose nodes run one after the other; the kernels in the order given.
    class chain {
      public:
        explicit chain(const lab& owner);
        chain& kernel(const report_node& node);
        chain& empty();
        chain& memset(std::uint32_t slot);  // of the first byte of the slot, to 0
        chain& child(const chain& inner);
        [[nodiscard]] CUgraph graph() const noexcept { return graph_.get(); }

      private:
        void append(CUgraphNode node);

        const lab& owner_;
        driver_layer::owned_graph graph_;
        CUgraphNode last_ = nullptr;
    };

    // One kernel captured from a launch with these attributes. Empty if the driver refuses the launch.
    [[nodiscard]] std::optional<driver_layer::owned_graph> capture(const report_node& node,
                                                                   std::span<CUlaunchAttribute> attributes) const;

    [[nodiscard]] exec::graph_exec instantiate(CUgraph source, std::uint64_t flags = 0) const;
    [[nodiscard]] exec::graph_exec instantiate(const chain& source, std::uint64_t flags = 0) const {
        return instantiate(source.graph(), flags);
    }
    // Clears all slots, launches, waits.
    void run(const exec::graph_exec& executable) const;
    // Only queues the launch.
    void launch(const exec::graph_exec& executable) const;
    void synchronize() const;
    void clear() const;
    [[nodiscard]] launch_report report(std::uint32_t slot) const;
    // What `node` has to report if it is run as asked.
    [[nodiscard]] launch_report expected(const report_node& node) const;

  private:
    [[nodiscard]] CUfunction function(std::string_view name) const;
    [[nodiscard]] CUdeviceptr address_of(std::uint32_t slot) const noexcept {
        return reports_.get() + slot * sizeof(launch_report);
    }

    const driver_layer::api& driver_;
    driver_layer::call_site site_;
    driver_layer::relaxed_capture relaxed_;
    bool has_clusters_;
    CUcontext context_;
    driver_layer::owned_stream stream_;
    driver_layer::owned_module module_;
    driver_layer::owned_memory reports_;
};

}  // namespace graphdedup::doctor
