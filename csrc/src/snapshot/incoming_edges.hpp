// From edges as a file lists them to edges as a graph keeps them.
#pragma once

#include "snapshot/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace graphdedup::snapshot {

// Fills `g.edges` and each node's `incoming`. Edges into the same node keep their order. All ends are nodes of `g`.
inline void set_edges(graph& g, std::span<const edge> edges) {
    for (const edge& e : edges) ++g.nodes[e.to].incoming.count;
    std::vector<std::uint32_t> next;
    next.reserve(g.nodes.size());
    std::uint32_t begin = 0;
    for (node& n : g.nodes) {
        n.incoming.begin = begin;
        next.push_back(begin);
        begin += n.incoming.count;
    }
    g.edges.resize(edges.size());
    for (const edge& e : edges) g.edges[next[e.to]++] = e;
}

// A graph that was captured never has a cycle, and what follows edges would never end on one.
inline bool has_cycle(const graph& g) {
    std::vector<std::uint32_t> waiting_for(g.nodes.size());
    std::vector<std::vector<std::uint32_t>> followers(g.nodes.size());
    for (const edge& e : g.edges) {
        ++waiting_for[e.to];
        followers[e.from].push_back(e.to);
    }
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < g.nodes.size(); ++i) {
        if (waiting_for[i] == 0) ready.push_back(i);
    }
    std::size_t done = 0;
    for (; !ready.empty(); ++done) {
        const std::uint32_t node = ready.back();
        ready.pop_back();
        for (const std::uint32_t follower : followers[node]) {
            if (--waiting_for[follower] == 0) ready.push_back(follower);
        }
    }
    return done != g.nodes.size();
}

}  // namespace graphdedup::snapshot
