// Update on replay.
#include "driver/process.hpp"
#include "log.hpp"
#include "registry/pool.hpp"
#include "registry/state.hpp"
#include "registry/trim.hpp"

namespace graphdedup {
namespace {

constexpr const char* replay_operation = "SharedGraph.replay";
constexpr const char* prepare_operation = "SharedGraph.prepare";

std::string describe(const member_state& m) { return "member " + std::to_string(m.id) + " (" + m.name + ")"; }

// Also where the member's source may still be read: a removed one's may be gone.
void require_usable(const member_state& m, const char* operation) {
    if (!driver_layer::calls_allowed()) [[unlikely]] {
        throw registry_closed(
            operation, describe(m),
            "no driver call is possible here: the process is exiting, or was forked from the one that made the registry");
    }
    if (m.group->closed) [[unlikely]]
        throw registry_closed(operation, describe(m), "the registry is closed");
    if (m.removed) [[unlikely]]
        throw registry_closed(operation, describe(m), "the graph was removed from the registry");
}

// An executable of the member's own, after a refusal. What to log goes to `message`.
void fall_back(group_state& g, member_state& m, const exec::update_outcome& outcome, const driver_layer::call_site& site,
               std::string& message) {
    executable& own = pool::instantiate(g, m, site);
    own.exclusive = true;
    ++g.replays.fallback_count;
    if (std::exchange(m.fallback_logged, true)) return;
    message = describe(m) + " got an executable of its own: the driver refused to update one to it, " +
              exec::describe(g.driver, outcome);
}

void load(group_state& g, member_state& m, const driver_layer::call_site& site, std::string& message) {
    executable* victim = pool::victim(g);
    const bool evicts = victim == nullptr || victim->loaded != nullptr;
    if (evicts && pool::shared_count(g) < g.options.execs_per_group) {
        try {
            pool::instantiate(g, m, site);
            ++g.replays.first_load_count;
            return;
        } catch (const out_of_memory&) {
            if (victim == nullptr) throw;  // else served by one that exists
        }
    }
    const exec::update_outcome outcome = pool::update(g, *victim, m);
    if (outcome.accepted()) {
        ++g.replays.switch_count;
    } else {
        fall_back(g, m, outcome, site, message);
    }
}

enum class action { launch, upload };

void run(member_state& m, stream_handle stream, action wanted, std::string& message) {
    const char* operation = wanted == action::launch ? replay_operation : prepare_operation;
    group_state& g = *m.group;
    const std::scoped_lock lock(g.mutex);
    require_usable(m, operation);
    const driver_layer::scoped_context context(g.driver, g.context);
    const driver_layer::call_site site{operation, "graph", m.source};
    const bool hit = m.executable != nullptr;
    if (!hit) {
        load(g, m, site, message);
    } else if (wanted == action::launch) {
        ++g.replays.hit_count;
    }
    executable& e = *m.executable;
    e.last_use = ++g.clock;
    if (wanted == action::launch) {
        e.handle.launch(stream, site);
    } else {
        e.handle.upload(stream, site);
    }
}

// Out of memory is met by dropping executables that are idle; what to serve is then decided anew.
void run_with_retry(member_state& m, stream_handle stream, action wanted) {
    std::string message;
    try {
        run(m, stream, wanted, message);
    } catch (const out_of_memory&) {
        const auto owner = m.owner.lock();
        if (owner == nullptr || trim(*owner) == 0) throw;
        run(m, stream, wanted, message);
    }
    if (!message.empty()) [[unlikely]]
        write_log(log_level::warning, message);
}

std::shared_ptr<const std::function<void(stream_handle)>> prologue_of(member_state& m) {
    const std::scoped_lock lock(m.group->mutex);
    require_usable(m, replay_operation);
    return m.prologue;
}

}  // namespace

std::recursive_mutex& prologue_mutex() noexcept {
    static auto* const mutex = new std::recursive_mutex();  // leaked: replays may outlive static destruction
    return *mutex;
}

void shared_graph::replay(stream_handle stream) const {
    if (member_ == nullptr) throw invalid_argument(replay_operation, "shared graph", "the handle is empty");
    if (!member_->has_prologue) return run_with_retry(*member_, stream, action::launch);
    const std::scoped_lock lock(prologue_mutex());
    if (const auto prologue = prologue_of(*member_)) (*prologue)(stream);
    run_with_retry(*member_, stream, action::launch);
}

void shared_graph::set_prologue(std::function<void(stream_handle)> prologue) const {
    constexpr const char* operation = "SharedGraph.set_prologue";
    if (member_ == nullptr) throw invalid_argument(operation, "shared graph", "the handle is empty");
    std::shared_ptr<const std::function<void(stream_handle)>> replacement;  // the old one goes after the lock
    if (prologue) replacement = std::make_shared<const std::function<void(stream_handle)>>(std::move(prologue));
    const std::scoped_lock lock(member_->group->mutex);
    require_usable(*member_, operation);
    member_->has_prologue = replacement != nullptr;
    member_->prologue.swap(replacement);
}

void shared_graph::prepare(stream_handle stream) const {
    if (member_ == nullptr) throw invalid_argument(prepare_operation, "shared graph", "the handle is empty");
    run_with_retry(*member_, stream, action::upload);
}

}  // namespace graphdedup
