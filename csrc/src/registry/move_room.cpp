#include "registry/move_room.hpp"

#include "driver/process.hpp"
#include "registry/pool.hpp"

#include <utility>

namespace graphdedup {
namespace {

std::uint64_t replays_of(const group_state& g) {
    const replay_counters& c = g.replays;
    return c.hit_count + c.switch_count + c.first_load_count + c.fallback_count;
}

// Whether the group could give one; notes when it was last seen at work.
bool rests(group_state& g, std::uint64_t now) {
    if (const std::uint64_t replays = replays_of(g); std::exchange(g.replays_when_seen, replays) != replays) g.active_at = now;
    return g.active_at < now && g.busy_count == 0 && pool::shared_count(g) > 1;
}

group_state* longest_at_rest(registry::impl& r, const group_state& asking) {
    group_state* found = nullptr;
    for (const auto& g : r.groups) {
        if (g.get() == &asking) continue;
        const std::unique_lock lock(g->mutex, std::try_to_lock);
        if (lock.owns_lock() && rests(*g, r.room_clock) && (found == nullptr || g->active_at < found->active_at)) found = g.get();
    }
    return found;
}

void move(registry::impl& r, group_state& g) {
    const std::unique_lock registry_lock(r.mutex, std::try_to_lock);
    if (!registry_lock.owns_lock() || r.is_closed) return;
    ++r.room_clock;
    group_state* const donor = longest_at_rest(r, g);
    if (donor == nullptr) return;
    const std::unique_lock lock(donor->mutex, std::try_to_lock);
    if (!lock.owns_lock() || pool::shared_count(*donor) < 2) return;
    const driver_layer::scoped_context context(r.api, donor->context);
    const executable* const given = pool::victim(*donor);
    pool::destroy_if(*donor, [given](const executable& e) { return &e == given; });
}

}  // namespace

void move_room(registry::impl& r, group_state& g) noexcept {
    if (!driver_layer::calls_allowed()) return;
    try {
        move(r, g);
    } catch (...) {  // no memory for a list: the next wish tries again
    }
}

}  // namespace graphdedup
