#include "registry/load.hpp"

#include "registry/clock.hpp"
#include "registry/pool.hpp"
#include "registry/usable.hpp"

namespace graphdedup {
namespace {

// Gives up the group's lock while one executable is worked on; see state.hpp.
class busy_scope {
  public:
    busy_scope(std::unique_lock<std::mutex>& lock, executable& e, member_state& m) : lock_(lock), executable_(e), member_(m) {
        executable_.busy = true;
        member_.loading = true;
        ++member_.group->busy_count;
        lock_.unlock();
    }
    ~busy_scope() {
        lock_.lock();
        executable_.busy = false;
        member_.loading = false;
        --member_.group->busy_count;
        member_.group->settled.notify_all();
    }
    busy_scope(const busy_scope&) = delete;
    busy_scope& operator=(const busy_scope&) = delete;

  private:
    std::unique_lock<std::mutex>& lock_;
    executable& executable_;
    member_state& member_;
};

// Whoever the executable held is not loaded meanwhile: it must not be launched.
exec::update_outcome update(std::unique_lock<std::mutex>& lock, executable& e, member_state& m) {
    group_state& g = *m.group;
    member_state* const held = std::exchange(e.loaded, nullptr);
    if (held != nullptr) {
        held->executable = nullptr;
        held->evicted = true;
    }
    exec::update_outcome outcome;
    std::uint64_t spent_ns = 0;
    {
        const busy_scope busy(lock, e, m);
        const stopwatch watch(spent_ns);
        outcome = e.handle.update(m.source);
    }
    g.update_ns += spent_ns;
    if (held != nullptr) held->evicted = false;
    if (outcome.accepted()) {
        pool::mark_loaded(e, m);
        return outcome;
    }
    // The executable is as it was; its member may have found another one since.
    if (held != nullptr && held->executable == nullptr && !held->loading) {
        e.loaded = held;
        held->executable = &e;
    }
    pool::note_refusal(g, e, outcome);
    return outcome;
}

// An executable of the member's own, after a refusal.
void fall_back(member_state& m, const exec::update_outcome& outcome, const driver_layer::call_site& site, std::string& message) {
    executable& own = pool::instantiate(*m.group, m, site);
    own.exclusive = true;
    if (std::exchange(m.fallback_logged, true)) return;
    message = describe(m) + " got an executable of its own: the driver refused to update one to it, " +
              exec::describe(m.group->driver, outcome);
}

bool instantiate_if_room(group_state& g, member_state& m, bool otherwise_served, const driver_layer::call_site& site) {
    try {
        return pool::instantiate_if_room(g, m, site) != nullptr;
    } catch (const out_of_memory&) {
        if (!otherwise_served) throw;
        return false;
    }
}

}  // namespace

std::unique_lock<std::mutex> lock_settled(const char* operation, member_state& m) {
    require_calls_allowed(operation, m);
    std::unique_lock lock(m.group->mutex);
    while (m.loading) [[unlikely]]
        m.group->settled.wait(lock);
    require_usable(operation, m);
    return lock;
}

way load(std::unique_lock<std::mutex>& lock, member_state& m, const driver_layer::call_site& site, std::string& message) {
    group_state& g = *m.group;
    executable* victim = pool::victim(g);
    while (true) {
        const bool evicts = victim == nullptr || victim->loaded != nullptr;
        if (evicts && instantiate_if_room(g, m, victim != nullptr, site)) return way::first_load;
        if (victim != nullptr) break;
        g.settled.wait(lock);  // each is busy
        while (m.loading) g.settled.wait(lock);
        require_usable(site.operation, m);
        if (m.executable != nullptr) return way::hit;
        victim = pool::victim(g);
    }
    const exec::update_outcome outcome = update(lock, *victim, m);
    if (outcome.accepted()) return way::switched;
    fall_back(m, outcome, site, message);
    return way::fell_back;
}

void upload(std::unique_lock<std::mutex>& lock, member_state& m, CUstream stream, const driver_layer::call_site& site) {
    executable& e = *m.executable;
    if (e.uploaded) return;
    {
        const busy_scope busy(lock, e, m);
        e.handle.upload(stream, site);
    }
    e.uploaded = true;
}

}  // namespace graphdedup
