// Loading and uploading ahead of a replay.
#include "log.hpp"
#include "registry/load.hpp"
#include "registry/state.hpp"
#include "registry/trim.hpp"
#include "registry/usable.hpp"

namespace graphdedup {
namespace {

constexpr const char* operation = "SharedGraph.prepare";

// Prepares that had to load count once they are done.
void run(member_state& m, stream_handle stream, std::string& message) {
    group_state& g = *m.group;
    std::unique_lock lock = lock_settled(operation, m);
    const driver_layer::scoped_context context(g.driver, g.context);
    const driver_layer::call_site site{operation, "graph", m.source};
    const way taken = m.executable != nullptr ? way::hit : load(lock, m, site, message);
    upload(lock, m, stream, site);
    m.executable->prepared = true;
    if (taken != way::hit) ++g.replays.prepare_count;
}

// Nothing is retried: the replay that follows does that.
void run_in_background(member_state& m, stream_handle stream) noexcept {
    std::string message;
    try {
        run(m, stream, message);
    } catch (const registry_closed&) {  // it went meanwhile
    } catch (const std::exception& e) {
        const std::scoped_lock lock(m.group->mutex);
        ++m.group->replays.prepare_failure_count;
        message = e.what();
    }
    if (!message.empty()) write_log(log_level::warning, message);
}

}  // namespace

void shared_graph::prepare(stream_handle stream) const {
    if (member_ == nullptr) throw invalid_argument(operation, "shared graph", "the handle is empty");
    std::string message;
    with_retry(*member_, [&] { run(*member_, stream, message); });
    if (!message.empty()) write_log(log_level::warning, message);
}

void shared_graph::prepare_in_background() const {
    if (member_ == nullptr) throw invalid_argument(operation, "shared graph", "the handle is empty");
    member_state& m = *member_;
    {
        require_calls_allowed(operation, m);
        const std::scoped_lock lock(m.group->mutex);
        require_usable(operation, m);
        if (m.loading) return;
        if (m.executable != nullptr && m.executable->uploaded) {
            m.executable->prepared = true;
            return;
        }
    }
    const auto owner = m.owner.lock();
    preparer::job work = [held = member_](CUstream stream) { run_in_background(*held, stream); };
    if (owner == nullptr || !owner->background.submit(m.group.get(), m.group->context, work)) {
        throw registry_closed(operation, describe(m), "the registry is closed");
    }
}

}  // namespace graphdedup
