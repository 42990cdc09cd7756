#include "held_calls.hpp"

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace graphdedup_sim {
namespace {

struct held_calls {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<symbol, std::thread::id> held;  // with the thread that holds them, and whose own calls go on
    std::size_t waiting = 0;
    std::atomic<bool> any = false;
};

held_calls& all() {
    static auto* made = new held_calls;
    return *made;
}

}  // namespace

void set_calls_held(symbol id, bool held) {
    const std::lock_guard lock(all().mutex);
    if (held) {
        all().held[id] = std::this_thread::get_id();
    } else {
        all().held.erase(id);
    }
    all().any = !all().held.empty();
    all().changed.notify_all();
}

void release_held_calls() {
    const std::lock_guard lock(all().mutex);
    all().held.clear();
    all().any = false;
    all().changed.notify_all();
}

void wait_for_held_call() {
    std::unique_lock lock(all().mutex);
    all().changed.wait(lock, [] { return all().waiting > 0; });
}

void wait_while_held(symbol id) {
    if (!all().any.load(std::memory_order_relaxed)) return;
    std::unique_lock lock(all().mutex);
    const auto must_wait = [id] {
        const auto at = all().held.find(id);
        return at != all().held.end() && at->second != std::this_thread::get_id();
    };
    if (!must_wait()) return;
    ++all().waiting;
    all().changed.notify_all();
    all().changed.wait(lock, [&] { return !must_wait(); });
    --all().waiting;
}

}  // namespace graphdedup_sim
