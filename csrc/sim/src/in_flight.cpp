#include "in_flight.hpp"

#include "user_objects.hpp"
#include "world.hpp"

namespace graphdedup_sim {
namespace {

// `lock` is let go around host functions: they may take as long as they like, and may look at the log.
void run(const launch_work& work, std::unique_lock<std::mutex>& lock) {
    for (const launch_work::step& step : work.steps) {
        if (here().faults.sticky_error != CUDA_SUCCESS) return;
        if (const auto* host = std::get_if<host_params>(&step.params)) {
            lock.unlock();
            host->function(host->user_data);
            lock.lock();
        } else {
            run_step(step.params, step.function_name, step.cluster);
        }
    }
}

void run_deferred(std::unique_lock<std::mutex>& lock) {
    std::vector<std::function<void()>> deferred;
    deferred.swap(here().deferred);
    lock.unlock();
    for (const auto& step : deferred) step();
    lock.lock();
}

}  // namespace

void submit(launch_work work) {
    world& w = here();
    retain(work.user_objects);
    w.in_flight.push_back(std::move(work));
    if (!w.launches_held) w.deferred.emplace_back(drain_in_flight);
}

void drain_in_flight() {
    std::unique_lock lock(shared().mutex);
    const std::thread::id self = std::this_thread::get_id();
    if (here().drainer == self) return;
    shared().drained.wait(lock, [] { return here().drainer == std::thread::id{}; });
    here().drainer = self;
    while (!here().in_flight.empty()) {
        const launch_work work = std::move(here().in_flight.front());
        here().in_flight.pop_front();
        run(work, lock);
        release(work.user_objects);
        run_deferred(lock);
    }
    here().drainer = {};
    lock.unlock();
    shared().drained.notify_all();
}

}  // namespace graphdedup_sim
