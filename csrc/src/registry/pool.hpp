// The executables of one group. All functions want the group's mutex held and its context current.
#pragma once

#include "registry/state.hpp"

namespace graphdedup::pool {

// Makes an executable from `m` and marks it loaded. Throws out_of_memory, driver_error; nothing has changed then.
executable& instantiate(group_state& g, member_state& m, const driver_layer::call_site& site);

// Updates `e` to `m`, and marks it loaded if that was accepted. A refusal changes nothing; after another failure `e` holds
// nobody's graph as far as anyone knows.
[[nodiscard]] exec::update_outcome update(group_state& g, executable& e, member_state& m);

// The executable to give up for another member: the one used least recently. Null if there is none to give up.
[[nodiscard]] executable* victim(group_state& g) noexcept;

// Number of executables that members share.
[[nodiscard]] std::size_t shared_count(const group_state& g) noexcept;

// Destroys executables that `condition` selects; members that they held are no longer loaded. Returns how many.
template <typename predicate>
std::size_t destroy_if(group_state& g, predicate condition) {
    return std::erase_if(g.executables, [&](const std::unique_ptr<executable>& e) {
        if (!condition(*e)) return false;
        if (e->loaded != nullptr) e->loaded->executable = nullptr;
        return true;
    });
}

}  // namespace graphdedup::pool
