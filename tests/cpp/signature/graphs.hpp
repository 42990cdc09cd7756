// Graphs as plain data, for tests of the rules.
#pragma once

#include "snapshot/snapshot.hpp"

#include <cstdint>
#include <initializer_list>

namespace graphdedup::tests {

using snapshot::graph;

// Sets the value of a readable attribute of a kernel, adding the attribute if need be.
void set_attribute(graph& g, snapshot::kernel_params& kernel, std::uint16_t id, std::initializer_list<std::uint32_t> words);
// Makes the attribute unreadable.
void hide_attribute(graph& g, const snapshot::kernel_params& kernel, std::uint16_t id);

// A kernel node without edges, with the attributes that a driver of CUDA 13.0 tells of a plain launch.
snapshot::kernel_params& add_kernel(graph& g);
void add_edge(graph& g, std::uint32_t from, std::uint32_t to);

// Nodes 0 to 6: two kernels, a 1D copy, a 2D copy, a 1D memset, a 2D memset, a host node; 7: an event record;
// 8: a child graph with one kernel. Each depends on the one before.
graph one_of_each();

}  // namespace graphdedup::tests
