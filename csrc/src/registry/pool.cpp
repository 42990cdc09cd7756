#include "registry/pool.hpp"

#include "registry/clock.hpp"

#include <algorithm>

namespace graphdedup::pool {
namespace {

void mark_loaded(group_state& g, executable& e, member_state& m) noexcept {
    if (e.loaded != nullptr) e.loaded->executable = nullptr;
    e.loaded = &m;
    m.executable = &e;
    e.last_use = ++g.clock;
}

}  // namespace

executable& instantiate(group_state& g, member_state& m, const driver_layer::call_site& site) {
    g.executables.reserve(g.executables.size() + 1);
    const stopwatch watch(g.instantiate_ns);
    auto made = std::make_unique<executable>(exec::graph_exec(g.driver, m.source, g.options.instantiate_flags, site));
    ++g.instantiation_count;
    executable& added = *g.executables.emplace_back(std::move(made));
    mark_loaded(g, added, m);
    return added;
}

exec::update_outcome update(group_state& g, executable& e, member_state& m) {
    const stopwatch watch(g.update_ns);
    const exec::update_outcome outcome = e.handle.update(m.source);
    if (outcome.accepted()) {
        mark_loaded(g, e, m);
        return outcome;
    }
    ++g.refusal_count;
    if (!outcome.refused() && e.loaded != nullptr) {
        e.loaded->executable = nullptr;
        e.loaded = nullptr;
    }
    return outcome;
}

executable* victim(group_state& g) noexcept {
    executable* oldest = nullptr;
    for (const auto& e : g.executables) {
        if (e->exclusive) continue;
        if (e->loaded == nullptr) return e.get();  // evicts nobody
        if (oldest == nullptr || e->last_use < oldest->last_use) oldest = e.get();
    }
    return oldest;
}

std::size_t shared_count(const group_state& g) noexcept {
    return static_cast<std::size_t>(
        std::count_if(g.executables.begin(), g.executables.end(), [](const auto& e) { return !e->exclusive; }));
}

}  // namespace graphdedup::pool
