#include "registry/trim.hpp"

#include "driver/context.hpp"
#include "registry/pool.hpp"

namespace graphdedup {
namespace {

// Of a group that is in use right now nothing is idle.
template <typename function>
std::size_t for_idle_groups(registry::impl& r, function destroy) {
    std::size_t destroyed = 0;
    for (const auto& g : r.groups) {
        if (g->is_instantiated_once) continue;
        const std::unique_lock lock(g->mutex, std::try_to_lock);
        if (!lock.owns_lock()) continue;
        const driver_layer::scoped_context context(r.api, g->context);
        destroyed += destroy(*g);
    }
    return destroyed;
}

// All but the one used last.
std::size_t destroy_extra(group_state& g) {
    const auto last_use = [](const executable& e) { return e.loaded != nullptr ? e.loaded->uses.last_use : 0; };
    const executable* kept = nullptr;
    for (const auto& e : g.executables) {
        if (!e->exclusive && (kept == nullptr || last_use(*e) > last_use(*kept))) kept = e.get();
    }
    return pool::destroy_if(g, [&](const executable& e) { return !e.exclusive && &e != kept; });
}

}  // namespace

std::size_t trim_extra_locked(registry::impl& r) { return for_idle_groups(r, destroy_extra); }

std::size_t trim_locked(registry::impl& r) {
    const std::size_t extra = trim_extra_locked(r);
    if (extra > 0) return extra;
    return for_idle_groups(r, [](group_state& g) { return pool::destroy_if(g, [](const executable&) { return true; }); });
}

std::size_t trim(registry::impl& r) {
    const std::scoped_lock lock(r.mutex);
    return trim_locked(r);
}

}  // namespace graphdedup
