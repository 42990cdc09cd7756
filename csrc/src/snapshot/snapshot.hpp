// A captured graph as plain data: what the walk reads from the driver, and what the recorded form holds.
//
// Nothing in here calls the driver. All lists are flat and indexed, so that a walk of some hundred nodes makes a handful of
// allocations; a `range` names a run inside one of the flat lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphdedup::snapshot {

// The values of CUgraphNodeType. A driver may report newer ones: `node::kind` then holds a value without a name here.
enum class node_kind : std::uint8_t {
    kernel = 0,
    memcpy = 1,
    memset = 2,
    host = 3,
    child_graph = 4,
    empty = 5,
    event_wait = 6,
    event_record = 7,
    external_semaphore_signal = 8,
    external_semaphore_wait = 9,
    memory_alloc = 10,
    memory_free = 11,
    batch_memory_operation = 12,
    conditional = 13,
};

struct dimensions {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::uint32_t z = 0;
    friend bool operator==(const dimensions&, const dimensions&) = default;
};

struct range {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
    friend bool operator==(const range&, const range&) = default;
};

// One launch attribute as read. `id` is the value of CUlaunchAttributeID. An unreadable one keeps its id, so that whoever
// decides about sharing sees that a value exists which nobody could read.
struct attribute {
    std::uint16_t id = 0;
    bool readable = false;
    range value;  // in graph::bytes: the significant bytes of CUlaunchAttributeValue
};

enum class argument_source : std::uint8_t { none = 0, kernel_params = 1, extra = 2 };

struct kernel_params {
    std::uint32_t function = 0;  // index into graph::functions
    dimensions grid;
    dimensions block;
    std::uint32_t shared_memory_bytes = 0;  // dynamic
    range attributes;                       // in graph::attributes, by rising id
    argument_source source = argument_source::none;
    range arguments;  // in graph::bytes: the parameter buffer, laid out by function::params; empty when it was not read
};

// One operand of a copy. `memory_type` is the value of CUmemorytype.
struct memcpy_operand {
    std::uint32_t memory_type = 0;
    std::uint64_t address = 0;  // device, unified or host pointer, or array handle
    std::uint64_t pitch_bytes = 0;
    std::uint64_t height = 0;
    std::uint64_t x_bytes = 0;
    std::uint64_t y = 0;
    std::uint64_t z = 0;
    std::uint64_t lod = 0;
    friend bool operator==(const memcpy_operand&, const memcpy_operand&) = default;
};

struct memcpy_params {
    memcpy_operand source;
    memcpy_operand destination;
    std::uint64_t width_bytes = 0;
    std::uint64_t height = 0;
    std::uint64_t depth = 0;
    friend bool operator==(const memcpy_params&, const memcpy_params&) = default;
};

struct memset_params {
    std::uint64_t destination = 0;
    std::uint64_t pitch_bytes = 0;
    std::uint32_t value = 0;
    std::uint32_t element_bytes = 0;
    std::uint64_t width = 0;   // elements
    std::uint64_t height = 0;  // rows
    friend bool operator==(const memset_params&, const memset_params&) = default;
};

struct host_params {
    std::uint64_t function = 0;
    std::uint64_t user_data = 0;
    friend bool operator==(const host_params&, const host_params&) = default;
};

struct node {
    node_kind kind = node_kind::empty;
    std::uint32_t detail = 0;  // index into the list of its kind in `graph`; for event nodes into graph::events
    range incoming;            // in graph::edges, in the order in which the driver lists the dependencies
};

// An edge with its CUgraphEdgeData.
struct edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint8_t from_port = 0;
    std::uint8_t to_port = 0;
    std::uint8_t type = 0;
    friend bool operator==(const edge&, const edge&) = default;
};

struct param_info {
    std::uint32_t offset_bytes = 0;
    std::uint32_t size_bytes = 0;
    friend bool operator==(const param_info&, const param_info&) = default;
};

// Static attributes of a function (CUfunction_attribute); empty when the driver could not say.
struct function_facts {
    std::optional<std::int32_t> num_regs;
    std::optional<std::int32_t> max_dynamic_shared_bytes;
    std::optional<std::int32_t> preferred_shared_memory_carveout;
    std::optional<std::int32_t> cluster_size_must_be_set;
    std::optional<std::int32_t> required_cluster_width;
    std::optional<std::int32_t> required_cluster_height;
    std::optional<std::int32_t> required_cluster_depth;
    std::optional<std::int32_t> non_portable_cluster_size_allowed;
    std::optional<std::int32_t> cluster_scheduling_policy;
    friend bool operator==(const function_facts&, const function_facts&) = default;
};

// A kernel function. `identity` tells functions apart: the CUfunction or CUkernel handle of a live graph, the id of a recorded
// one. The name never does: many kernels share one.
struct function {
    std::uint64_t identity = 0;
    std::string name;                // empty when not read
    std::vector<param_info> params;  // empty when not read
    function_facts facts;
};

struct graph {
    std::vector<node> nodes;  // in the order of cuGraphGetNodes
    std::vector<edge> edges;  // grouped by `to`, in node order
    std::vector<kernel_params> kernels;
    std::vector<memcpy_params> memcpys;
    std::vector<memset_params> memsets;
    std::vector<host_params> hosts;
    std::vector<std::uint64_t> events;  // event handles of event nodes
    std::vector<graph> children;        // of child graph nodes
    std::vector<function> functions;
    std::vector<attribute> attributes;
    std::vector<std::byte> bytes;
    // Contexts that kernel nodes of a live graph name, each once, those of child graphs not counted; not recorded.
    std::vector<std::uint64_t> contexts;

    // False when the source could not tell everything that the sharing rules look at: a DOT dump has no cluster shapes and no
    // edge types. Groups made from such graphs are an upper bound for sharing.
    bool exact = true;

    // Empties the graph; lists keep their memory.
    void clear();

    [[nodiscard]] std::span<const std::byte> view(range r) const { return std::span(bytes).subspan(r.begin, r.count); }
    [[nodiscard]] std::span<const attribute> attributes_of(const kernel_params& kernel) const {
        return std::span(attributes).subspan(kernel.attributes.begin, kernel.attributes.count);
    }
    [[nodiscard]] std::span<const edge> incoming_of(const node& n) const {
        return std::span(edges).subspan(n.incoming.begin, n.incoming.count);
    }
};

// "kernel", "memcpy", ...; "unknown" for a kind newer than this library.
[[nodiscard]] const char* name_of(node_kind kind) noexcept;

}  // namespace graphdedup::snapshot
