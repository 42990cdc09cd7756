// The copy of a graph that an executable keeps.
#pragma once

#include "objects.hpp"
#include "symbols.hpp"

#include <optional>

namespace graphdedup_sim {

// Why a graph cannot become an executable.
struct exec_failure {
    CUresult status = CUDA_SUCCESS;
    CUgraphInstantiateResult result = CUDA_GRAPH_INSTANTIATE_SUCCESS;
    CUgraphNode node = nullptr;
};

// Copies `source` into `made`, child graphs and bodies included.
[[nodiscard]] exec_failure make_exec_graph(CUgraph source, cuuint64_t flags, exec_graph& made);

// Takes over parameters of a kernel as an update does, that is, without what the profile says an update leaves as it was.
void apply_kernel(const kernel_params& asked, exec_node& node);

[[nodiscard]] std::size_t node_count(const exec_graph& body);

// References of the graph and of everything inside.
[[nodiscard]] holdings all_user_objects(CUgraph graph);

// Calls `test` with the nodes of the graph and of everything inside until it says true.
template <typename function_type>
[[nodiscard]] bool any_node(const exec_graph& body, const function_type& test) {
    for (const exec_node& node : body.nodes) {
        if (test(node)) return true;
        for (const exec_graph& inner : node.inner) {
            if (any_node(inner, test)) return true;
        }
    }
    return false;
}

[[nodiscard]] bool is_device_updatable(const exec_node& node);
[[nodiscard]] bool is_memory_node(const exec_node& node);

}  // namespace graphdedup_sim
