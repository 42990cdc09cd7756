#include "usage.hpp"

#include "world.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace graphdedup_sim {
namespace {

struct usage_table {
    std::mutex mutex;
    std::unordered_map<const void*, std::vector<std::thread::id>> users;
};

usage_table& table() {
    static auto* made = new usage_table;
    return *made;
}

std::atomic<std::int64_t> delay_us = 0;

// True if another thread is in the object.
bool enter(const void* object) {
    usage_table& known = table();
    const std::thread::id self = std::this_thread::get_id();
    const std::lock_guard lock(known.mutex);
    std::vector<std::thread::id>& users = known.users[object];
    const bool contended = std::any_of(users.begin(), users.end(), [self](std::thread::id user) { return user != self; });
    users.push_back(self);
    return contended;
}

void leave(const void* object) {
    usage_table& known = table();
    const std::lock_guard lock(known.mutex);
    const auto at = known.users.find(object);
    if (at == known.users.end()) return;
    std::vector<std::thread::id>& users = at->second;
    const auto self = std::find(users.begin(), users.end(), std::this_thread::get_id());
    if (self != users.end()) users.erase(self);
    if (users.empty()) known.users.erase(at);
}

}  // namespace

usage_marks::usage_marks(symbol operation, std::initializer_list<const void*> objects) {
    for (const void* object : objects) {
        if (object == nullptr) continue;
        objects_.push_back(object);
        if (!enter(object)) continue;
        const std::lock_guard lock(shared().mutex);
        note_misuse(std::string(info_of(operation).name) + ": another thread uses the same object");
    }
    const std::int64_t linger_us = delay_us.load(std::memory_order_relaxed);
    if (!objects_.empty() && linger_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(linger_us));
}

usage_marks::~usage_marks() {
    for (const void* object : objects_) leave(object);
}

void set_call_delay(std::chrono::microseconds delay) { delay_us.store(delay.count(), std::memory_order_relaxed); }

}  // namespace graphdedup_sim
