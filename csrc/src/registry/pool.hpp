// The executables of one group. All functions want the group's mutex held and its context current.
#pragma once

#include "registry/state.hpp"

namespace graphdedup::pool {

// Makes an executable from `m` and marks it loaded. Throws out_of_memory, driver_error; nothing has changed then.
executable& instantiate(group_state& g, member_state& m, const driver_layer::call_site& site);
// The same where the group may own a further executable that members share, else null.
executable* instantiate_if_room(group_state& g, member_state& m, const driver_layer::call_site& site);

void mark_loaded(executable& e, member_state& m) noexcept;
// Notes an update that was not accepted. A refusal changes nothing; after another failure the executable holds nobody's graph as
// far as anyone knows.
void note_refusal(group_state& g, executable& e, const exec::update_outcome& outcome) noexcept;

// Updates `e` to `m`, and marks it loaded if that was accepted.
[[nodiscard]] exec::update_outcome update(group_state& g, executable& e, member_state& m);

// The executable to give up for another member: an empty one, else the one that the group's chooser names, those that were
// prepared for a replay to come only where there is no other. Null if there is none, or each is busy. Throws std::bad_alloc.
[[nodiscard]] executable* victim(group_state& g);

// Number of executables that members share.
[[nodiscard]] std::size_t shared_count(const group_state& g) noexcept;

// Waits until no thread works on an executable of the group without its mutex.
void wait_until_settled(group_state& g, std::unique_lock<std::mutex>& lock);

// Destroys executables that `condition` selects, busy ones excepted; members that they held are no longer loaded. Returns how
// many.
template <typename predicate>
std::size_t destroy_if(group_state& g, predicate condition) {
    return std::erase_if(g.executables, [&](const std::unique_ptr<executable>& e) {
        if (e->busy || !condition(*e)) return false;
        if (e->loaded != nullptr) e->loaded->executable = nullptr;
        return true;
    });
}

}  // namespace graphdedup::pool
