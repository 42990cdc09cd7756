#include "registry/release.hpp"

#include "driver/process.hpp"
#include "registry/bind.hpp"
#include "registry/pool.hpp"

#include <iterator>

namespace graphdedup {
namespace {

void add_counters(registry_stats& totals, const group_state& g) {
    totals.hit_count += g.replays.hit_count;
    totals.switch_count += g.replays.switch_count;
    totals.first_load_count += g.replays.first_load_count;
    totals.fallback_count += g.replays.fallback_count;
    totals.prepare_count += g.replays.prepare_count;
    totals.prepare_failure_count += g.replays.prepare_failure_count;
    totals.refusal_count += g.refusal_count;
    totals.instantiation_count += g.instantiation_count;
    totals.instantiate_ns += g.instantiate_ns;
    totals.update_ns += g.update_ns;
}

void destroy_executables(group_state& g) {
    const driver_layer::scoped_context context(g.driver, g.context);
    pool::destroy_if(g, [](const executable&) { return true; });
}

// Forgets a group without members, keeping what it counted.
void drop_group(registry::impl& r, const std::shared_ptr<group_state>& g) {
    add_counters(r.totals, *g);
    std::erase(r.groups, g);
    for (auto entry = r.signatures.begin(); entry != r.signatures.end();) {
        std::erase(entry->second.groups, g);
        entry = entry->second.groups.empty() ? r.signatures.erase(entry) : std::next(entry);
    }
}

// Wants the registry's mutex held.
void remove_member(registry::impl& r, const std::shared_ptr<member_state>& m, released& out) {
    const std::shared_ptr<group_state> g = m->group;
    std::unique_lock lock(g->mutex);
    if (m->removed || g->closed) return;
    m->removed = true;  // so that no replay of it begins while this one waits
    g->settled.wait(lock, [&] { return !m->loading && !m->evicted; });
    executable* held = m->executable;
    release(*m, out);
    r.members.erase(m->id);
    r.sources.erase(m->source);
    if (--g->member_count == 0) {
        pool::wait_until_settled(*g, lock);
        destroy_executables(*g);
        drop_group(r, g);
    } else if (held != nullptr && held->exclusive) {
        const driver_layer::scoped_context context(g->driver, g->context);
        pool::destroy_if(*g, [held](const executable& e) { return &e == held; });
    }
}

}  // namespace

void release(member_state& m, released& out) {
    if (m.executable != nullptr) m.executable->loaded = nullptr;
    m.executable = nullptr;
    m.removed = true;
    m.group->chooser.forget(m.uses);
    out.keep_alives.push_back(std::move(m.keep_alive));
    out.prologues.push_back(std::move(m.prologue));
}

void shared_graph::remove() const {
    if (member_ == nullptr || !driver_layer::calls_allowed()) return;
    const auto owner = member_->owner.lock();
    if (owner == nullptr) return;
    released gone;  // before the lock, so that it goes after it
    const std::scoped_lock lock(owner->mutex);
    remove_member(*owner, member_, gone);
}

void registry::close() {
    if (!driver_layer::calls_allowed()) return;
    released gone;  // before the lock, so that it goes after it
    const std::scoped_lock closing(impl_->closing);
    if (impl_->is_closed) return;
    impl_->is_closed = true;
    impl_->background.stop();  // before the lock: what it waits for may want that
    const std::scoped_lock lock(impl_->mutex);
    for (const auto& g : impl_->groups) {
        std::unique_lock group_lock(g->mutex);
        g->closed = true;
        pool::wait_until_settled(*g, group_lock);
        destroy_executables(*g);
        add_counters(impl_->totals, *g);
    }
    for (const auto& [id, m] : impl_->members) {
        const std::scoped_lock group_lock(m->group->mutex);
        release(*m, gone);
    }
    impl_->members.clear();
    impl_->sources.clear();
    impl_->groups.clear();
    impl_->signatures.clear();
    impl_->forget_walks();
    unbind_context(*impl_);
}

// The rest of the statistics is summed where the counters are added up.
registry_stats registry::stats() const {
    if (!driver_layer::calls_allowed()) return {};
    const std::scoped_lock lock(impl_->mutex);
    registry_stats total = impl_->totals;
    total.graph_count = impl_->members.size();
    total.group_count = impl_->groups.size();
    for (const auto& g : impl_->groups) {
        const std::scoped_lock group_lock(g->mutex);
        add_counters(total, *g);
        total.executable_count += g->executables.size();
        total.private_count += g->private_reason.empty() ? 0 : g->member_count;
    }
    total.bytes_per_node = impl_->budget->bytes_per_node();
    total.executable_bytes = impl_->budget->used_bytes();
    total.replay_count = total.hit_count + total.switch_count + total.first_load_count + total.fallback_count;
    return total;
}

}  // namespace graphdedup
