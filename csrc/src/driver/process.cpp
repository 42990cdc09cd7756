#include "driver/process.hpp"

#include <pthread.h>

#include <atomic>
#include <mutex>

namespace graphdedup::driver_layer {
namespace {

std::atomic<bool> allowed{true};

}  // namespace

bool calls_allowed() noexcept { return allowed.load(std::memory_order_relaxed); }

void prevent_calls() noexcept { allowed.store(false, std::memory_order_relaxed); }

void watch_forks() noexcept {
    static std::once_flag once;
    std::call_once(once, [] { pthread_atfork(nullptr, nullptr, prevent_calls); });
}

}  // namespace graphdedup::driver_layer
