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

// Does `work` for a member; where that runs out of memory, drops executables that are idle and does it once more: what to serve
// is then decided anew. Wants no lock held.
template <typename function>
auto with_retry(member_state& m, function work) {
    try {
        return work();
    } catch (const out_of_memory&) {
        const auto owner = m.owner.lock();
        if (owner == nullptr || trim(*owner) == 0) throw;
    }
    return work();
}

}  // namespace graphdedup
