// Reads what cuGraphDebugDotPrint writes with its verbose flag.
#pragma once

#include "snapshot/snapshot.hpp"

#include <string_view>

namespace graphdedup::snapshot {

// The dump has node kinds, kernel names and handles, grid, block, dynamic shared memory, priority, cooperative, edges and the
// place of each edge among a node's incoming ones (headlabel). It lacks cluster shapes, edge types and ports, argument bytes
// and all other attributes: the result has `exact == false`.
//
// `origin` names the text in errors. Throws format_error on a text that is not such a dump, or ends early.
[[nodiscard]] graph read_dot(std::string_view text, std::string_view origin);

// True if the text starts like a DOT file.
[[nodiscard]] bool is_dot(std::string_view text) noexcept;

}  // namespace graphdedup::snapshot
