// A fresh simulated driver with a context, a stream and kernels, and short ways to build graphs. One for each test.
#pragma once

#include "library.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim_tests {

// PTX with gd_report_a, gd_report_b, gd_report_c2 (static cluster 2, 1, 1), gd_report_c4 (4, 1, 1), gd_count, gd_axpb and
// `other`, which only the log tells of.
extern const char* const module_text;

constexpr std::size_t report_word_count = 16;
constexpr std::size_t slot_count = 64;  // of reports

struct shape {
    unsigned int x = 0;
    unsigned int y = 0;
    unsigned int z = 0;
};

struct kernel_spec {
    const char* name = "gd_report_a";
    std::size_t slot = 0;
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    unsigned int grid = 8;
    unsigned int block = 32;
    unsigned int shared_memory_bytes = 0;
    shape cluster{};
    bool cooperative = false;
    int priority = 0;
    bool packed = false;
};

class bench {
  public:
    explicit bench(const char* profile = "driver580-h200");

    [[nodiscard]] CUfunction function(const char* name) const;
    [[nodiscard]] CUgraph graph() const;  // a new one

    // Each after the node `after`, if there is one.
    CUgraphNode kernel(CUgraph graph, const kernel_spec& spec, CUgraphNode after = nullptr) const;
    CUgraphNode empty(CUgraph graph, CUgraphNode after = nullptr) const;
    CUgraphNode fill(CUgraph graph, CUdeviceptr address, unsigned int value, std::size_t width,
                     CUgraphNode after = nullptr) const;

    [[nodiscard]] CUgraph graph_of(const std::vector<kernel_spec>& specs) const;  // a chain
    [[nodiscard]] CUgraphExec instantiate(CUgraph graph, cuuint64_t flags = 0) const;
    [[nodiscard]] CUresult update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info = nullptr) const;
    void launch(CUgraphExec exec) const;

    [[nodiscard]] CUdeviceptr address(std::size_t slot) const;
    [[nodiscard]] std::vector<std::uint64_t> report(std::size_t slot) const;
    [[nodiscard]] std::uint64_t word(CUdeviceptr at) const;

    CUcontext context = nullptr;
    CUstream stream = nullptr;
    CUmodule module = nullptr;
    CUdeviceptr memory = 0;
};

[[nodiscard]] gdsim_counters counters();
[[nodiscard]] gdsim_record record(std::size_t index);
[[nodiscard]] std::string last_misuse();

}  // namespace sim_tests
