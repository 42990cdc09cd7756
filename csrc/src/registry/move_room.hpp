// Moving room under a memory budget from groups that rest to groups that switch.
#pragma once

#include "registry/state.hpp"

namespace graphdedup {

// So many switches of a group cost as much as an instantiation; its wish for a further executable is then worth one.
inline constexpr std::size_t denied_before_move = 8;

// Destroys one executable of the group that was replayed longest ago, if that has two or more and has rested since the last call;
// the next load of `g` can then make one. Does nothing where another thread has the registry. Wants no lock held. Never throws.
void move_room(registry::impl& r, group_state& g) noexcept;

}  // namespace graphdedup
