// Giving memory back.
#pragma once

#include "registry/state.hpp"

namespace graphdedup {

// Destroys executables that no call is using: those that groups have beyond their first, or, if there are none, all. Their
// members are kept and get an executable again when they are replayed. Returns how many were destroyed. Wants no lock held.
std::size_t trim(registry::impl& r);
// The same with the registry's mutex held, and no group's.
std::size_t trim_locked(registry::impl& r);
// Of these, only those that groups have beyond their first.
std::size_t trim_extra_locked(registry::impl& r);

}  // namespace graphdedup
