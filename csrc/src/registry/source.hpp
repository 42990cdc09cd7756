// Reading a member's graph while no replay reads it: no graph call of CUDA is thread-safe on one graph.
#pragma once

#include "registry/state.hpp"
#include "snapshot/snapshot.hpp"

namespace graphdedup {

// The graph as plain data, with names and arguments. Throws registry_closed, driver_error.
[[nodiscard]] snapshot::graph read_source(member_state& m, const char* operation);

}  // namespace graphdedup
