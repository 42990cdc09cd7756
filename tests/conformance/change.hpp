// One change between two graphs, tried on an executable, and what came of it.
#pragma once

#include "bench.hpp"
#include "expectations.hpp"
#include "graph_spec.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace graphdedup::conformance {

struct change {
    graph_spec from;
    graph_spec to;
    std::optional<graph_spec> kept = {};  // what runs where the change is accepted and has no effect
    bool visible = true;                  // the device shows whether the change was applied
    std::uint64_t flags = 0;              // of the instantiation
};

struct seen_outcome {
    outcome what = outcome::unavailable;
    std::string detail;
};

// "refused (CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE (topology changed))"
[[nodiscard]] std::string to_text(const seen_outcome& seen);

// By cuGraphExecUpdate. Asserts what must hold whatever the driver does: the executable and a fresh one of the new graph run as
// specified; a refused update leaves every node as it was, and a valid one works after it; an accepted one leaves no third state.
[[nodiscard]] seen_outcome try_update(bench& where, const change& tried);

// By cuGraphExecKernelNodeSetParams of the node at `index`, the only one that differs.
[[nodiscard]] seen_outcome try_set_params(bench& where, const change& tried, std::size_t index);

// A case that tries an update, or the setting of parameters, and compares with what the table says of `fact`.
[[nodiscard]] std::function<std::string(bench&)> updating(std::string fact, change tried);
[[nodiscard]] std::function<std::string(bench&)> setting_params(std::string fact, change tried, std::size_t index);

// Graphs of report kernels, one after the other. All arguments depend on `base`, and each kernel has a slot of its own.
inline constexpr std::size_t chain_length = 7;
[[nodiscard]] kernel_node numbered_kernel(std::size_t index, std::uint64_t base);
[[nodiscard]] std::vector<node_spec> numbered_kernels(std::uint64_t base, std::size_t count = chain_length);

enum class position { first, middle, last };
inline constexpr position positions[] = {position::first, position::middle, position::last};
[[nodiscard]] const char* name_of(position p) noexcept;
[[nodiscard]] std::size_t index_of(position p) noexcept;

enum class level { top, child, grandchild };
[[nodiscard]] const char* name_of(level l) noexcept;
// `inner` itself, or in a child graph between two kernels, or in a child graph of such a child graph.
[[nodiscard]] graph_spec at_level(level l, graph_spec inner, std::uint64_t base);
[[nodiscard]] change at_level(level l, const change& inner);

// Two chains of kernels, in which the node at a place is another one. With `others_differ`, all other nodes change their
// arguments.
[[nodiscard]] change replacing(position p, const node_spec& from, const node_spec& to, bool others_differ);
[[nodiscard]] change replacing(position p, const node_spec& from, const node_spec& to, const node_spec& kept, bool others_differ);

}  // namespace graphdedup::conformance
