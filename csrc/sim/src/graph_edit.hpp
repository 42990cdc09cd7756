// Changes to graphs that several functions share. All with the lock held.
#pragma once

#include "objects.hpp"
#include "symbols.hpp"

namespace graphdedup_sim {

[[nodiscard]] CUgraph create_graph();

// Where a node goes. `data` null: default edges.
struct node_place {
    CUgraph graph = nullptr;
    const CUgraphNode* dependencies = nullptr;
    const CUgraphEdgeData* data = nullptr;
    std::size_t count = 0;
};

// CUDA_SUCCESS if a node may be added there.
[[nodiscard]] CUresult check_place(const node_place& place, CUgraphNodeType type, symbol operation);

// The place has been checked.
CUgraphNode insert_node(const node_place& place, CUgraphNodeType type, node_params params);

[[nodiscard]] CUresult check_edge(CUgraph graph, CUgraphNode from, CUgraphNode to, const CUgraphEdgeData& data, symbol operation);

// With all nodes and what they own; lets go of its user objects.
void destroy_graph(CUgraph graph);

// True if the graph can be copied: neither memory nodes nor conditionals, at any depth.
[[nodiscard]] bool can_be_copied(CUgraph graph);

// The graph can be copied. Fresh handles, the same parameters, and references of its own to the user objects.
[[nodiscard]] CUgraph copy_graph(CUgraph original);

// The graphs that a node owns: a child graph, or the bodies of a conditional.
[[nodiscard]] std::vector<CUgraph> owned_graphs(const node_object& node);

}  // namespace graphdedup_sim
