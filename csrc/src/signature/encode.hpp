// The fields of a graph in canonical order, given to a sink.
//
// One traversal serves both uses: the signature concatenates the fields, an explanation compares them one by one. A sink has
//   void field(rule r, const void* data, std::size_t size_bytes)   a field of the current node
//   void count(const char* what, std::uint32_t value)              how many of something follow
//   void begin_node(std::uint32_t index) / void end_node()         around the fields of each node
//   void enter_child(std::uint32_t node) / void leave_child()      around the nodes of a child graph
// The sequence of fields is prefix-free: counts come first, each field has a size fixed by what came before it.
#pragma once

#include "signature/rules.hpp"
#include "snapshot/attribute_table.hpp"
#include "snapshot/snapshot.hpp"

#include <cstdint>
#include <optional>
#include <type_traits>

namespace graphdedup::signature {

// Stands for a function's fact that was not read: no 32-bit value.
inline constexpr std::int64_t unknown_fact = std::int64_t{1} << 32;

template <typename sink_type>
class encoder {
  public:
    encoder(sink_type& sink, const rule_set& wanted) : sink_(sink), wanted_(wanted) {}

    void graph(const snapshot::graph& g) {
        put_count("number of nodes", g.nodes.size());
        for (std::uint32_t i = 0; i < g.nodes.size(); ++i) {
            sink_.begin_node(i);
            node(g, g.nodes[i]);
            sink_.end_node();
        }
    }

  private:
    [[nodiscard]] bool wants(rule r) const { return wanted_.test(static_cast<std::size_t>(r)); }

    template <typename value_type>
    void put(rule r, const value_type& value) {
        static_assert(std::has_unique_object_representations_v<value_type>, "padding bytes are not canonical");
        if (wants(r)) sink_.field(r, &value, sizeof value);
    }
    // A count keeps the fields after it apart from those of another length, whatever the rules say.
    void put_count(const char* what, std::size_t count) { sink_.count(what, static_cast<std::uint32_t>(count)); }

    void node(const snapshot::graph& g, const snapshot::node& n) {
        put(rule::node_kind, n.kind);
        incoming(g, n);
        switch (n.kind) {
            case snapshot::node_kind::kernel: return kernel(g, g.kernels[n.detail]);
            case snapshot::node_kind::memcpy: return memcpy(g.memcpys[n.detail]);
            case snapshot::node_kind::memset: return memset(g.memsets[n.detail]);
            case snapshot::node_kind::host: return host(g.hosts[n.detail]);
            case snapshot::node_kind::event_wait:
            case snapshot::node_kind::event_record: return put(rule::event, g.events[n.detail]);
            case snapshot::node_kind::child_graph: return child(g, n);
            default: return;
        }
    }

    void incoming(const snapshot::graph& g, const snapshot::node& n) {
        put_count("number of incoming edges", n.incoming.count);
        for (const snapshot::edge& e : g.incoming_of(n)) {
            put(rule::edge_from, e.from);
            put(rule::edge_ports, e.from_port);
            put(rule::edge_ports, e.to_port);
            put(rule::edge_type, e.type);
        }
    }

    void kernel(const snapshot::graph& g, const snapshot::kernel_params& k) {
        const snapshot::function& f = g.functions[k.function];
        put(rule::kernel_grid, k.grid);
        put(rule::kernel_function, f.identity);
        put(rule::kernel_block, k.block);
        put(rule::kernel_shared_memory, k.shared_memory_bytes);
        put_fact(rule::kernel_static_cluster, f.facts.cluster_size_must_be_set);
        put_fact(rule::kernel_static_cluster, f.facts.required_cluster_width);
        put_fact(rule::kernel_static_cluster, f.facts.required_cluster_height);
        put_fact(rule::kernel_static_cluster, f.facts.required_cluster_depth);
        put_fact(rule::kernel_static_cluster_policy, f.facts.cluster_scheduling_policy);
        put_count("number of launch attributes", k.attributes.count);
        for (const snapshot::attribute& a : g.attributes_of(k)) attribute(g, a);
    }

    // A fact that nobody could read is a value of its own.
    void put_fact(rule r, const std::optional<std::int32_t>& fact) { put(r, fact ? std::int64_t{*fact} : unknown_fact); }

    void attribute(const snapshot::graph& g, const snapshot::attribute& a) {
        const rule r = rule_of_attribute(a.id);
        // The id goes first also where the value does not count, to keep the fields after it apart.
        const bool counts = a.readable && wants(r);
        const std::uint16_t header[] = {a.id, static_cast<std::uint16_t>(counts ? 1 : 0)};
        sink_.field(r, header, sizeof header);
        if (!counts) return;
        const auto value = g.view(a.value);
        sink_.field(r, value.data(), value.size());
    }

    void memcpy(const snapshot::memcpy_params& copy) {
        put(rule::memcpy_memory_type, copy.source.memory_type);
        put(rule::memcpy_memory_type, copy.destination.memory_type);
        const bool linear = is_linear(copy);
        put(rule::memcpy_shape, static_cast<std::uint8_t>(linear ? 1 : 0));
        if (linear) return;
        put(rule::memcpy_shape, copy.width_bytes);
        put(rule::memcpy_shape, copy.height);
        put(rule::memcpy_shape, copy.depth);
        operand_shape(copy.source);
        operand_shape(copy.destination);
    }

    static constexpr std::uint32_t array_memory = 3;  // CU_MEMORYTYPE_ARRAY

    static bool is_linear(const snapshot::memcpy_params& copy) {
        return copy.height <= 1 && copy.depth <= 1 && copy.source.memory_type != array_memory &&
               copy.destination.memory_type != array_memory;
    }

    void operand_shape(const snapshot::memcpy_operand& operand) {
        put(rule::memcpy_shape, operand.pitch_bytes);
        put(rule::memcpy_shape, operand.height);
        put(rule::memcpy_shape, operand.x_bytes);
        put(rule::memcpy_shape, operand.y);
        put(rule::memcpy_shape, operand.z);
        put(rule::memcpy_shape, operand.lod);
        // An array handle stands for a shape that cannot be read here.
        put(rule::memcpy_shape, operand.memory_type == array_memory ? operand.address : std::uint64_t{0});
    }

    void memset(const snapshot::memset_params& set) {
        put(rule::memset_element, set.element_bytes);
        const bool linear = set.height <= 1;
        put(rule::memset_shape, static_cast<std::uint8_t>(linear ? 1 : 0));
        if (linear) return;
        put(rule::memset_shape, set.width);
        put(rule::memset_shape, set.height);
        put(rule::memset_shape, set.pitch_bytes);
    }

    void host(const snapshot::host_params& h) { put(rule::host_function, h.function); }

    void child(const snapshot::graph& g, const snapshot::node& n) {
        if (!wants(rule::child_graph)) return;
        sink_.enter_child(n.detail);
        graph(g.children[n.detail]);
        sink_.leave_child();
    }

    sink_type& sink_;
    const rule_set& wanted_;
};

}  // namespace graphdedup::signature
