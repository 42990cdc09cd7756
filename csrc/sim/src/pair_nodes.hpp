// Which node of a new graph stands for which node of an executable.
#pragma once

#include "objects.hpp"

namespace graphdedup_sim {

// Puts the nodes of `wanted` into the order of those of `held`, child graphs included, where the two can be paired as a driver
// pairs them: sinks in the order of creation, and from there back along the incoming edges, in their order. Otherwise, and where
// the paired nodes differ in something else, `wanted` is left as it is.
void align_nodes(const exec_graph& held, exec_graph& wanted);

}  // namespace graphdedup_sim
