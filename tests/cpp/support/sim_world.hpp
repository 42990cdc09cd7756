// The simulated driver, started anew, and graphs in it.
#pragma once

#include "driver/api.hpp"

#include <graphdedup_sim/control.h>
#include <graphdedup/driver.hpp>
#include <graphdedup/registry.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphdedup::tests {

// A kernel node of a test graph. `value` is its only argument.
struct kernel_spec {
    const char* name = "kernel";
    std::uint64_t value = 0;
    std::array<unsigned int, 3> grid = {4, 1, 1};
    std::array<unsigned int, 3> block = {128, 1, 1};
    unsigned int shared_memory_bytes = 0;
    std::array<unsigned int, 3> cluster = {0, 0, 0};
    bool cooperative = false;
};

// What one kernel really ran, as far as tests ask.
struct ran {
    std::string name;
    std::uint64_t value;
    std::array<unsigned int, 3> grid;
    std::array<unsigned int, 3> block;
    unsigned int shared_memory_bytes;
    std::array<unsigned int, 3> cluster;
    friend bool operator==(const ran&, const ran&) = default;
};

// One a test case: its construction resets the simulation. The primary context of device 0 is current.
class sim_world {
  public:
    explicit sim_world(const char* profile = "driver580-h200");
    explicit sim_world(const gdsim_profile& profile);
    ~sim_world();
    sim_world(const sim_world&) = delete;
    sim_world& operator=(const sim_world&) = delete;

    [[nodiscard]] const std::shared_ptr<const driver>& loaded() const noexcept { return driver_; }
    [[nodiscard]] const driver_layer::api& api() const noexcept { return driver_->api(); }
    [[nodiscard]] CUcontext context() const noexcept { return context_; }

    // The same name gives the same function.
    [[nodiscard]] CUfunction function(const char* name);
    // Kernels one after the other. The simulation owns the graph.
    [[nodiscard]] CUgraph chain(const std::vector<kernel_spec>& kernels);
    [[nodiscard]] CUgraphNode add_kernel(CUgraph graph, const kernel_spec& kernel, CUgraphNode after = nullptr);
    void add_empty(CUgraph graph);

    // What `kernels` have to run as, and what the replays since the last call ran.
    [[nodiscard]] static std::vector<ran> expected(const std::vector<kernel_spec>& kernels);
    [[nodiscard]] std::vector<ran> take_log();
    [[nodiscard]] static gdsim_counters counters();

    // Runs the checks that a registry makes before two graphs share, so that later faults do not meet them.
    void pass_gate();

  private:
    void start();

    std::shared_ptr<const driver> driver_;
    CUcontext context_ = nullptr;
    std::vector<std::pair<std::string, CUfunction>> functions_;
};

}  // namespace graphdedup::tests
