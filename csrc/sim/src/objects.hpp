// What handles stand for: contexts, streams, functions, nodes, graphs, executables.
#pragma once

#include "attributes.hpp"

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace graphdedup_sim {

struct context_object {
    CUdevice device = 0;
};

struct event_object {
    CUcontext context = nullptr;
    bool has_time = true;
    bool recorded = false;
};

struct module_object {
    CUcontext context = nullptr;
    std::vector<CUfunction> functions;
};

struct parameter_layout {
    std::size_t offset_bytes = 0;
    std::size_t size_bytes = 0;
};

// Behind a CUfunction and behind a CUkernel alike. A kernel has no context.
struct function_object {
    std::string name;
    std::vector<parameter_layout> parameters;
    std::map<int, int> attributes;  // by CUfunction_attribute
    CUcontext context = nullptr;

    [[nodiscard]] int attribute(int id) const;
    [[nodiscard]] std::size_t arguments_size_bytes() const;
    [[nodiscard]] dimensions static_cluster() const;
};

struct user_object {
    CUhostFn destroy = nullptr;
    void* pointer = nullptr;
    std::uint64_t reference_count = 0;
};

// References to user objects that a graph or an executable holds.
using holdings = std::vector<std::pair<CUuserObject, unsigned int>>;

enum class argument_form { none, pointers, packed };

struct kernel_params {
    CUfunction function = nullptr;
    CUkernel kernel = nullptr;
    CUcontext context = nullptr;
    dimensions grid{};
    dimensions block{};
    unsigned int shared_memory_bytes = 0;
    std::vector<std::byte> arguments;
    argument_form form = argument_form::none;
    attribute_set attributes;
};

struct memcpy_params {
    CUDA_MEMCPY3D copy{};
    CUcontext context = nullptr;
};

struct memset_params {
    CUDA_MEMSET_NODE_PARAMS set{};
    CUcontext context = nullptr;
};

struct host_params {
    CUhostFn function = nullptr;
    void* user_data = nullptr;
};

struct child_params {
    CUgraph graph = nullptr;  // owned by the node
};

struct event_params {
    CUevent event = nullptr;
};

// External semaphores and batches of memory operations: only how many.
struct counted_params {
    unsigned int count = 0;
};

struct alloc_params {
    CUdeviceptr address = 0;
    std::size_t size_bytes = 0;
};

struct free_params {
    CUdeviceptr address = 0;
};

struct conditional_params {
    CUgraphConditionalHandle handle = 0;
    CUgraphConditionalNodeType type = CU_GRAPH_COND_TYPE_IF;
    std::vector<CUgraph> bodies;  // owned by the node
};

using node_params = std::variant<std::monostate, kernel_params, memcpy_params, memset_params, host_params, child_params,
                                 event_params, counted_params, alloc_params, free_params, conditional_params>;

// What cuGraphKernelNodeGetParams hands out: arrays that the node owns, valid until it is changed or destroyed.
struct kernel_view {
    std::vector<void*> pointers;
    std::size_t size_bytes = 0;
    void* extra[5] = {};
};

struct edge {
    CUgraphNode from = nullptr;
    CUgraphEdgeData data{};
};

struct node_object {
    CUgraph graph = nullptr;
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    node_params params;
    std::vector<edge> incoming;
    kernel_view view;
};

struct conditional_handle {
    CUgraphConditionalHandle value = 0;
    unsigned int default_value = 0;
    bool used = false;
};

struct graph_object {
    std::vector<CUgraphNode> nodes;  // in the order of creation
    CUgraphNode owner = nullptr;     // of a child graph or the body of a conditional
    holdings user_objects;
    unsigned int live_exec_count = 0;  // executables instantiated from it
    bool was_instantiated = false;
    std::uint64_t id = 0;  // never reused
    std::vector<conditional_handle> conditionals;
};

// An edge of an executable: nodes by index.
struct exec_edge {
    std::size_t from = 0;
    CUgraphEdgeData data{};
};

struct exec_graph;

struct exec_node {
    CUgraphNode source = nullptr;  // in the graph that it was instantiated from
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    std::vector<exec_edge> incoming;
    node_params asked;               // by the instantiation or the last accepted update
    node_params applied;             // what runs
    dimensions static_cluster{};     // of the function, as far as the driver noticed
    std::string function_name;       // of the applied function
    std::vector<exec_graph> inner;   // a child graph, or the bodies of a conditional
    unsigned int default_value = 0;  // of a conditional
};

struct exec_graph {
    std::vector<exec_node> nodes;
    std::vector<std::size_t> order;  // in which they run: indices
};

struct exec_object {
    std::uint64_t id = 0;         // never reused
    CUgraph source = nullptr;     // may be gone, or another graph by now: see source_id
    std::uint64_t source_id = 0;  // graph_object::id
    cuuint64_t flags = 0;
    CUdevice device = 0;
    std::size_t size_bytes = 0;
    bool uploaded = false;  // since it was instantiated or last changed
    holdings user_objects;
    exec_graph body;
};

struct capture_state {
    CUgraph graph = nullptr;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    std::thread::id thread;
    CUgraphNode last = nullptr;
    bool invalidated = false;
};

struct stream_object {
    CUcontext context = nullptr;
    unsigned int flags = 0;
    bool capturing = false;
    capture_state capture;
};

}  // namespace graphdedup_sim
