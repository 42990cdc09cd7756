// Graphs of the cases as plain data, and how they are made.
#pragma once

#include "doctor/lab.hpp"
#include "driver/owned.hpp"
#include "memory.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace graphdedup::conformance {

class bench;

enum class argument_form { pointers, packed };  // kernelParams, extra

struct launch_attribute {
    CUlaunchAttributeID id = CU_LAUNCH_ATTRIBUTE_IGNORE;
    CUlaunchAttributeValue value{};
};

struct kernel_node {
    doctor::report_node report;
    argument_form form = argument_form::pointers;
    std::vector<launch_attribute> attributes = {};        // set beside what `report` asks for
    std::optional<doctor::cluster_shape> runs_with = {};  // where that is not what the graph asks for
};

// Fills the memory of a slot. `pitch_bytes` counts for more than one row.
struct memset_node {
    place to;
    unsigned int value = 0x5a;
    unsigned int element_bytes = 1;
    std::size_t width = 16;  // elements
    std::size_t height = 1;
    std::size_t pitch_bytes = 0;
};

// Copies from the pattern of a memory into a slot.
struct memcpy_node {
    memory from = memory::device;
    std::size_t from_offset_bytes = 0;
    place to;
    std::size_t width_bytes = 16;
    std::size_t height = 1;
    std::size_t depth = 1;
    std::size_t from_pitch_bytes = 0;
    std::size_t to_pitch_bytes = 0;
};

// One of two functions, which writes its tag to a slot of pageable memory.
struct host_node {
    bool second_function = false;
    unsigned int slot = 0;
};

struct event_record_node {
    CUevent event = nullptr;
};

struct event_wait_node {
    CUevent event = nullptr;
};

// Keeps the device busy for about `ns`, and leaves no mark.
struct spin_node {
    std::uint64_t ns = 0;
};

struct empty_node {};

struct graph_spec;

struct child_node {
    std::shared_ptr<const graph_spec> inner;
};

using node_spec = std::variant<kernel_node, memset_node, memcpy_node, host_node, event_record_node, event_wait_node, spin_node,
                               empty_node, child_node>;

struct edge_spec {
    std::size_t from = 0;
    std::size_t to = 0;
    CUgraphEdgeData data{};
};

struct graph_spec {
    std::vector<node_spec> nodes;
    std::vector<edge_spec> edges;  // added in this order
};

[[nodiscard]] std::vector<edge_spec> chain_edges(std::size_t node_count);
[[nodiscard]] inline graph_spec chain_of(std::vector<node_spec> nodes) {
    const std::size_t count = nodes.size();
    return {std::move(nodes), chain_edges(count)};
}
[[nodiscard]] child_node child_of(graph_spec inner);
[[nodiscard]] CUgraphEdgeData programmatic_edge() noexcept;

struct built_graph {
    driver_layer::owned_graph graph;
    std::vector<CUgraphNode> nodes;  // by place in the specification
};

// The driver does not let the graph be made.
class unavailable_error : public std::exception {
  public:
    explicit unavailable_error(std::string what) : what_(std::move(what)) {}
    [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }

  private:
    std::string what_;
};

// Throws unavailable_error.
[[nodiscard]] built_graph build(bench& where, const graph_spec& spec);

// Parameters of a kernel node. `use` is called while they are valid.
CUresult with_params(bench& where, const kernel_node& node,
                     const std::function<CUresult(const CUDA_KERNEL_NODE_PARAMS_v2&)>& use);

}  // namespace graphdedup::conformance
