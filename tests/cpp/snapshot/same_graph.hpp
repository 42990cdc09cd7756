// Equality of graphs by what they say, not by where in their flat lists they keep it.
#pragma once

#include "snapshot/snapshot.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace graphdedup::snapshot::testing {

// Two recordings number their functions each in their own way. Which functions are one and the same must still agree.
class function_pairs {
  public:
    bool agree(std::uint64_t a, std::uint64_t b) {
        return to_b_.try_emplace(a, b).first->second == b && to_a_.try_emplace(b, a).first->second == a;
    }

  private:
    std::map<std::uint64_t, std::uint64_t> to_b_;
    std::map<std::uint64_t, std::uint64_t> to_a_;
};

class graph_comparison {
  public:
    // Empty if the graphs are the same, else what differs first.
    std::string run(const graph& a, const graph& b) {
        if (a.exact != b.exact) return "exact";
        if (a.functions.size() != b.functions.size()) return "number of functions";
        for (std::size_t i = 0; i < a.functions.size(); ++i) {
            if (!same_function(a.functions[i], b.functions[i])) return "function " + std::to_string(i);
        }
        if (a.edges != b.edges) return "edges";
        if (a.nodes.size() != b.nodes.size()) return "number of nodes";
        for (std::size_t i = 0; i < a.nodes.size(); ++i) {
            const std::string field = compare_node(a, a.nodes[i], b, b.nodes[i]);
            if (!field.empty()) return "node " + std::to_string(i) + ": " + field;
        }
        return {};
    }

  private:
    bool same_function(const function& a, const function& b) {
        return pairs_.agree(a.identity, b.identity) && a.name == b.name && a.params == b.params && a.facts == b.facts;
    }

    std::string compare_node(const graph& a, const node& in_a, const graph& b, const node& in_b) {
        const auto unless = [](bool same, const char* field) { return same ? std::string() : std::string(field); };
        if (in_a.kind != in_b.kind) return "kind";
        if (in_a.incoming != in_b.incoming) return "incoming";
        switch (in_a.kind) {
            case node_kind::kernel: return compare_kernel(a, a.kernels[in_a.detail], b, b.kernels[in_b.detail]);
            case node_kind::memcpy: return unless(a.memcpys[in_a.detail] == b.memcpys[in_b.detail], "copy");
            case node_kind::memset: return unless(a.memsets[in_a.detail] == b.memsets[in_b.detail], "memset");
            case node_kind::host: return unless(a.hosts[in_a.detail] == b.hosts[in_b.detail], "host");
            case node_kind::event_wait:
            case node_kind::event_record: return unless(a.events[in_a.detail] == b.events[in_b.detail], "event");
            case node_kind::child_graph: {
                const std::string inner = run(a.children[in_a.detail], b.children[in_b.detail]);
                return inner.empty() ? inner : "child: " + inner;
            }
            default: return {};
        }
    }

    static std::string compare_kernel(const graph& a, const kernel_params& in_a, const graph& b, const kernel_params& in_b) {
        if (in_a.function != in_b.function) return "function";
        if (in_a.grid != in_b.grid || in_a.block != in_b.block) return "grid or block";
        if (in_a.shared_memory_bytes != in_b.shared_memory_bytes) return "shared memory";
        if (in_a.source != in_b.source) return "argument source";
        if (!same_bytes(a, in_a.arguments, b, in_b.arguments)) return "argument bytes";
        const auto attributes_a = a.attributes_of(in_a);
        const auto attributes_b = b.attributes_of(in_b);
        if (attributes_a.size() != attributes_b.size()) return "number of attributes";
        for (std::size_t i = 0; i < attributes_a.size(); ++i) {
            const attribute& x = attributes_a[i];
            const attribute& y = attributes_b[i];
            const bool same = x.id == y.id && x.readable == y.readable && same_bytes(a, x.value, b, y.value);
            if (!same) return "attribute " + std::to_string(x.id);
        }
        return {};
    }

    static bool same_bytes(const graph& a, range in_a, const graph& b, range in_b) {
        const auto x = a.view(in_a);
        const auto y = b.view(in_b);
        return std::equal(x.begin(), x.end(), y.begin(), y.end());
    }

    function_pairs pairs_;
};

inline std::string difference(const graph& a, const graph& b) { return graph_comparison().run(a, b); }

}  // namespace graphdedup::snapshot::testing
