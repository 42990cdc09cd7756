#include "registry/pool.hpp"

#include "registry/clock.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace graphdedup::pool {
namespace {

executable& add_executable(group_state& g, member_state& m, memory_share memory, const driver_layer::call_site& site) {
    g.executables.reserve(g.executables.size() + 1);
    const stopwatch watch(g.instantiate_ns);
    auto made =
        std::make_unique<executable>(exec::graph_exec(g.driver, m.source, g.options.instantiate_flags, site), std::move(memory));
    ++g.instantiation_count;
    executable& added = *g.executables.emplace_back(std::move(made));
    mark_loaded(added, m);
    return added;
}

std::size_t most_shared(const group_state& g) noexcept {
    const std::size_t otherwise = g.budget->limited() ? std::numeric_limits<std::size_t>::max() : 1;
    return g.options.execs_per_group.value_or(otherwise);
}

}  // namespace

void mark_loaded(executable& e, member_state& m) noexcept {
    if (e.loaded != nullptr) e.loaded->executable = nullptr;
    e.loaded = &m;
    e.uploaded = false;
    e.prepared = false;
    m.executable = &e;
}

void note_refusal(group_state& g, executable& e, const exec::update_outcome& outcome) noexcept {
    ++g.refusal_count;
    if (outcome.refused() || e.loaded == nullptr) return;
    e.loaded->executable = nullptr;
    e.loaded = nullptr;
}

executable& instantiate(group_state& g, member_state& m, const driver_layer::call_site& site) {
    g.budget->take(m.node_count);
    return add_executable(g, m, memory_share(g.budget, m.node_count), site);
}

executable* instantiate_if_room(group_state& g, member_state& m, const driver_layer::call_site& site) {
    const std::size_t count = shared_count(g);
    if (count == 0) return &instantiate(g, m, site);
    if (count >= most_shared(g)) return nullptr;
    if (!g.budget->try_take(m.node_count)) {
        ++g.denied_count;
        return nullptr;
    }
    g.denied_count = 0;
    return &add_executable(g, m, memory_share(g.budget, m.node_count), site);
}

exec::update_outcome update(group_state& g, executable& e, member_state& m) {
    const stopwatch watch(g.update_ns);
    const exec::update_outcome outcome = e.handle.update(m.source);
    if (outcome.accepted()) {
        mark_loaded(e, m);
    } else {
        note_refusal(g, e, outcome);
    }
    return outcome;
}

executable* victim(group_state& g) {
    std::vector<executable*> candidates;
    std::vector<const eviction::uses*> uses;
    bool only_prepared = true;
    for (const auto& e : g.executables) {
        if (e->exclusive || e->busy) continue;
        if (e->loaded == nullptr) return e.get();  // evicts nobody
        if (e->prepared && !only_prepared) continue;
        if (!e->prepared && std::exchange(only_prepared, false)) {
            candidates.clear();
            uses.clear();
        }
        candidates.push_back(e.get());
        uses.push_back(&e->loaded->uses);
    }
    return candidates.empty() ? nullptr : candidates[g.chooser.choose(uses)];
}

std::size_t shared_count(const group_state& g) noexcept {
    return static_cast<std::size_t>(
        std::count_if(g.executables.begin(), g.executables.end(), [](const auto& e) { return !e->exclusive; }));
}

void wait_until_settled(group_state& g, std::unique_lock<std::mutex>& lock) {
    g.settled.wait(lock, [&g] { return g.busy_count == 0; });
}

}  // namespace graphdedup::pool
