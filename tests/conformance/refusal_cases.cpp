// Updates that cannot be: another kind of node, another number of nodes. Whatever place the offender has, in the graph or in a
// child graph, the executable runs as before at every node, and takes a valid update afterwards.
#include "cases.hpp"
#include "change.hpp"

namespace graphdedup::conformance {
namespace {

struct named_node {
    const char* name;
    node_spec node;
};

// One of each kind, with an effect of its own where the kind has one.
std::vector<named_node> kinds() {
    memset_node fill;
    fill.to = {memory::device, 100, 0};
    memcpy_node copy;
    copy.to = {memory::device, 101, 0};
    return {{"kernel", numbered_kernel(102, 1000)},
            {"memset", fill},
            {"memcpy", copy},
            {"host", host_node{false, 1}},
            {"empty", empty_node{}},
            {"child graph", child_of(chain_of({numbered_kernel(103, 1000)}))}};
}

void add_kind_changes(suite& all) {
    for (const named_node& from : kinds()) {
        for (const named_node& to : kinds()) {
            if (from.name == to.name) continue;
            for (const position p : positions) {
                for (const level l : {level::top, level::child}) {
                    all.add(std::string("refusal, ") + from.name + " to " + to.name + ", " + name_of(p) + " node, " + name_of(l),
                            updating("node kind, update", at_level(l, replacing(p, from.node, to.node, true))));
                }
            }
        }
    }
    const auto of_kinds = kinds();
    for (const position p : positions) {
        all.add(
            std::string("refusal, kernel to memset, ") + name_of(p) + " node, grandchild",
            updating("node kind, update", at_level(level::grandchild, replacing(p, of_kinds[0].node, of_kinds[1].node, true))));
    }
}

std::vector<node_spec> without(std::vector<node_spec> nodes, std::size_t index) {
    nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(index));
    return nodes;
}

void add_count_changes(suite& all) {
    for (const position p : positions) {
        for (const level l : {level::top, level::child, level::grandchild}) {
            const graph_spec longer = chain_of(numbered_kernels(1000, chain_length + 1));
            const graph_spec shorter = chain_of(without(numbered_kernels(9000, chain_length + 1), index_of(p)));
            const std::string where = std::string(name_of(p)) + " node, " + name_of(l);
            all.add("refusal, a missing node, " + where, updating("node count, update", at_level(l, {longer, shorter})));
            all.add("refusal, an extra node, " + where, updating("node count, update", at_level(l, {shorter, longer})));
        }
    }
    for (const level l : {level::top, level::child}) {
        graph_spec with_loose_node = chain_of(numbered_kernels(9000));
        with_loose_node.nodes.emplace_back(empty_node{});
        all.add(std::string("refusal, an extra node without edges, ") + name_of(l),
                updating("node count, update", at_level(l, {chain_of(numbered_kernels(1000)), with_loose_node})));
    }
}

// A difference at the 129th node: lists of nodes of a fixed size have missed it.
void add_long_graphs(suite& all) {
    constexpr std::size_t length = 129;
    const graph_spec from = chain_of(numbered_kernels(1000, length));
    graph_spec to = chain_of(numbered_kernels(9000, length));
    all.add("refusal, 129 nodes, none", updating("kernel fields, update", {from, to}));
    memset_node fill;
    fill.to = {memory::device, 200, 0};
    to.nodes.back() = fill;
    all.add("refusal, 129 nodes, the last of another kind", updating("node kind, update", {from, to}));
}

}  // namespace

void add_refusal_cases(suite& all) {
    add_kind_changes(all);
    add_count_changes(all);
    add_long_graphs(all);
}

}  // namespace graphdedup::conformance
