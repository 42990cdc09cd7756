// Update on replay.
#include "log.hpp"
#include "registry/load.hpp"
#include "registry/move_room.hpp"
#include "registry/pool.hpp"
#include "registry/state.hpp"
#include "registry/trim.hpp"
#include "registry/usable.hpp"

namespace graphdedup {
namespace {

constexpr const char* replay_operation = "SharedGraph.replay";

void count(replay_counters& counters, way taken) noexcept {
    switch (taken) {
        case way::hit: ++counters.hit_count; return;
        case way::switched: ++counters.switch_count; return;
        case way::first_load: ++counters.first_load_count; return;
        case way::fell_back: ++counters.fallback_count; return;
    }
}

// What was done counts once it is done. True if the group could do with a further executable that the memory budget has no room
// for.
bool run(member_state& m, stream_handle stream, std::string& message) {
    group_state& g = *m.group;
    std::unique_lock lock = lock_settled(replay_operation, m);
    const driver_layer::scoped_context context(g.driver, g.context);
    const driver_layer::call_site site{replay_operation, "graph", m.source};
    const way taken = m.executable != nullptr ? way::hit : load(lock, m, site, message);
    executable& e = *m.executable;
    if (!e.exclusive) g.chooser.note(m.uses, g.executables.size());
    e.handle.launch(stream, site);
    e.uploaded = true;
    e.prepared = false;
    count(g.replays, taken);
    if (taken == way::hit || g.denied_count < denied_before_move) [[likely]]
        return false;
    g.denied_count = 0;
    return true;
}

// Returns what to log.
std::string run_with_retry(member_state& m, stream_handle stream) {
    std::string message;
    if (with_retry(m, [&] { return run(m, stream, message); })) [[unlikely]] {
        if (const auto owner = m.owner.lock()) move_room(*owner, *m.group);
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
    return run_with_retry(m, stream);
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
    log(member_->has_prologue ? run_with_prologue(*member_, stream) : run_with_retry(*member_, stream));
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

}  // namespace graphdedup
