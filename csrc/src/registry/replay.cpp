// Update on replay.
#include "log.hpp"
#include "registry/pool.hpp"
#include "registry/state.hpp"
#include "registry/trim.hpp"
#include "registry/usable.hpp"

namespace graphdedup {
namespace {

constexpr const char* replay_operation = "SharedGraph.replay";
constexpr const char* prepare_operation = "SharedGraph.prepare";

// How a member came to be loaded.
enum class way { hit, switched, first_load, fell_back };

// An executable of the member's own, after a refusal. What to log goes to `message`.
void fall_back(group_state& g, member_state& m, const exec::update_outcome& outcome, const driver_layer::call_site& site,
               std::string& message) {
    executable& own = pool::instantiate(g, m, site);
    own.exclusive = true;
    if (std::exchange(m.fallback_logged, true)) return;
    message = describe(m) + " got an executable of its own: the driver refused to update one to it, " +
              exec::describe(g.driver, outcome);
}

way load(group_state& g, member_state& m, const driver_layer::call_site& site, std::string& message) {
    executable* victim = pool::victim(g);
    const bool evicts = victim == nullptr || victim->loaded != nullptr;
    if (evicts && pool::shared_count(g) < g.options.execs_per_group) {
        try {
            pool::instantiate(g, m, site);
            return way::first_load;
        } catch (const out_of_memory&) {
            if (victim == nullptr) throw;  // else served by one that exists
        }
    }
    const exec::update_outcome outcome = pool::update(g, *victim, m);
    if (outcome.accepted()) return way::switched;
    fall_back(g, m, outcome, site, message);
    return way::fell_back;
}

void count(replay_counters& counters, way taken) noexcept {
    switch (taken) {
        case way::hit: ++counters.hit_count; return;
        case way::switched: ++counters.switch_count; return;
        case way::first_load: ++counters.first_load_count; return;
        case way::fell_back: ++counters.fallback_count; return;
    }
}

enum class action { launch, upload };

// What was done counts once it is done.
void run(member_state& m, stream_handle stream, action wanted, std::string& message) {
    const char* operation = wanted == action::launch ? replay_operation : prepare_operation;
    require_calls_allowed(operation, m);
    group_state& g = *m.group;
    const std::scoped_lock lock(g.mutex);
    require_usable(operation, m);
    const driver_layer::scoped_context context(g.driver, g.context);
    const driver_layer::call_site site{operation, "graph", m.source};
    const way taken = m.executable != nullptr ? way::hit : load(g, m, site, message);
    executable& e = *m.executable;
    e.last_use = ++g.clock;
    if (wanted == action::launch) {
        e.handle.launch(stream, site);
        count(g.replays, taken);
    } else {
        e.handle.upload(stream, site);
        if (taken != way::hit) ++g.replays.prepare_count;
    }
}

// Out of memory is met by dropping executables that are idle; what to serve is then decided anew. Returns what to log.
std::string run_with_retry(member_state& m, stream_handle stream, action wanted) {
    std::string message;
    try {
        run(m, stream, wanted, message);
    } catch (const out_of_memory&) {
        const auto owner = m.owner.lock();
        if (owner == nullptr || trim(*owner) == 0) throw;
        run(m, stream, wanted, message);
    }
    return message;
}

std::shared_ptr<const std::function<void(stream_handle)>> prologue_of(member_state& m) {
    const std::scoped_lock lock(m.group->mutex);
    require_usable(replay_operation, m);
    return m.prologue;
}

std::string run_with_prologue(member_state& m, stream_handle stream) {
    require_calls_allowed(replay_operation, m);
    const std::scoped_lock lock(prologue_mutex());
    if (const auto prologue = prologue_of(m)) (*prologue)(stream);
    return run_with_retry(m, stream, action::launch);
}

// With no lock held.
void log(const std::string& message) {
    if (!message.empty()) [[unlikely]]
        write_log(log_level::warning, message);
}

}  // namespace

std::recursive_mutex& prologue_mutex() noexcept {
    static auto* const mutex = new std::recursive_mutex();  // leaked: replays may outlive static destruction
    return *mutex;
}

void shared_graph::replay(stream_handle stream) const {
    if (member_ == nullptr) throw invalid_argument(replay_operation, "shared graph", "the handle is empty");
    log(member_->has_prologue ? run_with_prologue(*member_, stream) : run_with_retry(*member_, stream, action::launch));
}

void shared_graph::set_prologue(std::function<void(stream_handle)> prologue) const {
    constexpr const char* operation = "SharedGraph.set_prologue";
    if (member_ == nullptr) throw invalid_argument(operation, "shared graph", "the handle is empty");
    std::shared_ptr<const std::function<void(stream_handle)>> replacement;  // the old one goes after the lock
    if (prologue) replacement = std::make_shared<const std::function<void(stream_handle)>>(std::move(prologue));
    require_calls_allowed(operation, *member_);
    const std::scoped_lock lock(member_->group->mutex);
    require_usable(operation, *member_);
    member_->has_prologue = replacement != nullptr;
    member_->prologue.swap(replacement);
}

void shared_graph::prepare(stream_handle stream) const {
    if (member_ == nullptr) throw invalid_argument(prepare_operation, "shared graph", "the handle is empty");
    log(run_with_retry(*member_, stream, action::upload));
}

}  // namespace graphdedup
