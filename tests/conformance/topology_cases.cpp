// Edges: which, of what type, through which ports, in which order; and graphs that are alike but for the order of creation.
#include "cases.hpp"
#include "change.hpp"

#include <algorithm>
#include <utility>

namespace graphdedup::conformance {
namespace {

graph_spec chain(std::uint64_t base) { return chain_of(numbered_kernels(base)); }

// Adds a change in both directions: from a chain to its altered form and back.
template <typename function_type>
void add_both_ways(suite& all, const std::string& name, const std::string& fact, level l, const function_type& alter) {
    graph_spec old_altered = chain(1000);
    graph_spec new_altered = chain(9000);
    alter(old_altered);
    alter(new_altered);
    all.add("topology, " + name + ", to, " + name_of(l), updating(fact, at_level(l, {chain(1000), new_altered})));
    all.add("topology, " + name + ", from, " + name_of(l), updating(fact, at_level(l, {old_altered, chain(9000)})));
}

// The node that the edges in question go to: the third, a middle one, the last.
std::size_t target_of(position p) { return std::max<std::size_t>(index_of(p), 2); }

void add_edge_changes(suite& all, position p, level l) {
    const std::size_t to = target_of(p);
    const std::string at = std::string(", ") + name_of(p) + " node";
    add_both_ways(all, "an edge more" + at, "edge count, update", l, [=](graph_spec& g) { g.edges.push_back({to - 2, to, {}}); });
    add_both_ways(all, "an edge from another node" + at, "edge source, update", l,
                  [=](graph_spec& g) { g.edges[to - 1].from = to - 2; });
    add_both_ways(all, "a programmatic edge" + at, "edge type, update", l,
                  [=](graph_spec& g) { g.edges[to - 1].data = programmatic_edge(); });
}

void add_port_changes(suite& all, position p, level l) {
    const std::size_t edge = target_of(p) - 1;
    graph_spec from = chain(1000);
    graph_spec to = chain(9000);
    from.edges[edge].data = programmatic_edge();
    to.edges[edge].data = programmatic_edge();
    all.add(std::string("topology, programmatic edges kept, ") + name_of(p) + " node, " + name_of(l),
            updating("programmatic edges kept, update", at_level(l, {from, to})));
    to.edges[edge].data.from_port = CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER;
    all.add(std::string("topology, another port, ") + name_of(p) + " node, " + name_of(l),
            updating("edge port, update", at_level(l, {from, to})));
}

// A chain in which the node behind `fork` forks into two that join again.
graph_spec diamond(std::uint64_t base, std::size_t fork) {
    graph_spec made;
    made.nodes = numbered_kernels(base, chain_length + 1);
    for (std::size_t i = 1; i < made.nodes.size(); ++i) {
        const std::size_t before = i == fork + 2 ? fork : i - 1;
        if (i == fork + 3) made.edges.push_back({fork + 1, i, {}});
        made.edges.push_back({before, i, {}});
    }
    return made;
}

void swap_join(graph_spec& g, std::size_t fork) {
    const auto is_join = [&](const edge_spec& e) { return e.to == fork + 3; };
    const auto first = std::find_if(g.edges.begin(), g.edges.end(), is_join);
    std::swap(first->from, std::next(first)->from);
}

// Nodes at `i` and `j` are created in each other's place; the graph is the same.
void swap_creation(graph_spec& g, std::size_t i, std::size_t j) {
    std::swap(g.nodes[i], g.nodes[j]);
    const auto renamed = [=](std::size_t index) { return index == i ? j : index == j ? i : index; };
    for (edge_spec& e : g.edges) e = {renamed(e.from), renamed(e.to), e.data};
}

void add_order_changes(suite& all, level l) {
    for (const std::size_t fork : {std::size_t{0}, std::size_t{2}, chain_length - 3}) {
        const std::string at = ", fork at node " + std::to_string(fork) + ", " + name_of(l);
        for (const bool mixed : {false, true}) {
            graph_spec from = diamond(1000, fork);
            graph_spec to = diamond(9000, fork);
            memset_node fill;
            fill.to = {memory::device, 100, 0};
            if (mixed) from.nodes[fork + 1] = to.nodes[fork + 1] = fill;
            const std::string kinds = mixed ? ", a memset and a kernel" : ", two kernels";
            all.add("topology, fork and join" + kinds + at, updating("kernel fields, update", at_level(l, {from, to})));
            graph_spec swapped = to;
            swap_join(swapped, fork);
            all.add(
                "topology, dependencies in another order" + kinds + at,
                updating(mixed ? "dependency order, mixed, update" : "dependency order, update", at_level(l, {from, swapped})));
            graph_spec created = to;
            swap_creation(created, fork + 1, fork + 2);
            all.add("topology, created in another order" + kinds + at,
                    updating(mixed ? "creation order, mixed, update" : "creation order, update", at_level(l, {from, created})));
        }
    }
}

void set_cluster(graph_spec& g, std::size_t node) {
    std::get<kernel_node>(g.nodes[node]).report.cluster = doctor::cluster_shape{2, 1, 1};
}

// What runs where the driver pairs nodes `i` and `j` crosswise and keeps the cluster shapes of their partners.
graph_spec with_shapes_crossed(graph_spec g, std::size_t i, std::size_t j) {
    std::get<kernel_node>(g.nodes[i]).runs_with = doctor::cluster_shape{};
    std::get<kernel_node>(g.nodes[j]).runs_with = doctor::cluster_shape{2, 1, 1};
    return g;
}

// Two graphs with the same nodes and the same ordered incoming edges, whose edges were added in another order: `alter` says how.
// The shape of one node, which an update may keep, tells whether that node was paired with itself.
template <typename function_type>
void add_edge_order(suite& all, const std::string& name, const std::string& fact, level l, const graph_spec& plain,
                    std::size_t node, std::size_t other, const function_type& alter) {
    graph_spec from = plain;
    set_cluster(from, node);
    graph_spec to = from;
    for (node_spec& n : to.nodes) std::get<kernel_node>(n).report.a += 50;
    alter(to.edges);
    const change tried{from, to, with_shapes_crossed(to, node, other)};
    all.add("topology, " + name + ", " + name_of(l), updating(fact, at_level(l, tried)));
}

void add_edge_orders(suite& all, level l) {
    const auto reverse = [](std::vector<edge_spec>& edges) { std::reverse(edges.begin(), edges.end()); };
    // No node has two incoming edges, whose order would change as well.
    graph_spec fan{numbered_kernels(1000), {}};
    for (std::size_t i = 1; i < chain_length; ++i) fan.edges.push_back({0, i, {}});
    graph_spec tree{numbered_kernels(1000), {}};
    for (std::size_t i = 1; i < chain_length; ++i) tree.edges.push_back({(i - 1) / 2, i, {}});
    const std::string fact = "order in which edges were added, update";
    for (const auto& [one, other] : {std::pair<std::size_t, std::size_t>{1, 6}, {2, 5}, {6, 1}}) {
        const std::string shaped = ", a cluster at node " + std::to_string(one);
        add_edge_order(all, "dependents of one node added from the last" + shaped, fact, l, fan, one, other, reverse);
        add_edge_order(all, "edges of a tree added from the last" + shaped, fact, l, tree, one,
                       one == 1   ? 2
                       : one == 2 ? 1
                                  : 5,
                       reverse);
    }
    for (const std::size_t fork : {std::size_t{0}, std::size_t{2}, chain_length - 3}) {
        const std::string at = ", fork at node " + std::to_string(fork);
        const auto swap_dependents = [fork](std::vector<edge_spec>& edges) { std::swap(edges[fork], edges[fork + 1]); };
        add_edge_order(all, "the fork's edges added in another order" + at, fact, l, diamond(1000, fork), fork + 1, fork + 2,
                       swap_dependents);
        add_edge_order(all, "the fork's edges added in another order, a cluster at the second" + at, fact, l, diamond(1000, fork),
                       fork + 2, fork + 1, swap_dependents);
        // Not the same ordered incoming edges: this is what a difference in them comes to.
        add_edge_order(all, "the join's edges added in another order" + at, "dependency order with clusters, update", l,
                       diamond(1000, fork), fork + 1, fork + 2, [fork](std::vector<edge_spec>& edges) {
                           graph_spec g{{}, edges};
                           swap_join(g, fork);
                           edges = g.edges;
                       });
    }
    graph_spec loose{numbered_kernels(1000), {}};
    add_edge_order(all, "no edges", fact, l, loose, 2, 4, reverse);
}

void add_reversed_creation(suite& all, level l) {
    graph_spec to = chain(9000);
    std::reverse(to.nodes.begin(), to.nodes.end());
    for (edge_spec& e : to.edges) e = {chain_length - 1 - e.from, chain_length - 1 - e.to, e.data};
    all.add(std::string("topology, a chain created from its end, ") + name_of(l),
            updating("creation order of a chain, update", at_level(l, {chain(1000), to})));
}

}  // namespace

void add_topology_cases(suite& all) {
    for (const level l : {level::top, level::child}) {
        for (const position p : positions) {
            add_edge_changes(all, p, l);
            add_port_changes(all, p, l);
        }
        add_order_changes(all, l);
        add_reversed_creation(all, l);
        add_edge_orders(all, l);
    }
}

}  // namespace graphdedup::conformance
