#include "registry/preparer.hpp"

#include "driver/context.hpp"
#include "driver/process.hpp"

#include <algorithm>
#include <set>

namespace graphdedup {
namespace {

struct all_preparers {
    std::mutex mutex;  // before a preparer's own
    std::set<preparer*> alive;
};

// Leaked on purpose: a registry may outlive static destruction.
all_preparers& all() {
    static auto* const instance = new all_preparers();
    return *instance;
}

}  // namespace

preparer::preparer(const driver_layer::api& driver) : driver_(driver) {
    const std::scoped_lock lock(all().mutex);
    all().alive.insert(this);
}

preparer::~preparer() {
    // In a forked child there is no such thread, and at exit it may never end: neither can be waited for.
    if (driver_layer::calls_allowed()) {
        stop();
        const std::scoped_lock lock(all().mutex);
        all().alive.erase(this);
    }
    if (thread_.joinable()) thread_.detach();
}

bool preparer::submit(const void* key, CUcontext context, job& work) {
    const std::scoped_lock lock(mutex_);
    if (stopped_) return false;
    const auto waiting = std::ranges::find(queue_, key, &entry::key);
    if (waiting != queue_.end()) {
        waiting->work.swap(work);  // the old one goes with the caller's, after the lock
        return true;
    }
    queue_.push_back({key, context, std::move(work)});
    if (!thread_.joinable()) {
        try {
            thread_ = std::thread(&preparer::run, this);
        } catch (...) {
            queue_.pop_back();
            throw;
        }
    }
    changed_.notify_one();
    return true;
}

void preparer::stop() {
    std::thread ended;
    std::deque<entry> given_up;  // goes without the lock, as in run()
    {
        const std::scoped_lock lock(mutex_);
        stopped_ = true;
        given_up.swap(queue_);
        ended.swap(thread_);
        changed_.notify_all();
    }
    if (ended.joinable()) ended.join();
}

void preparer::stop_all() {
    if (!driver_layer::calls_allowed()) return;
    const std::scoped_lock lock(all().mutex);
    for (preparer* const p : all().alive) p->stop();
}

void preparer::run() {
    CUstream stream = nullptr;  // made with the first job, in its context
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return stopped_ || !queue_.empty(); });
        if (stopped_) break;
        entry next = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        if (driver_layer::calls_allowed()) run_one(next, stream);
        next.work = {};  // without the lock: it may hold the last reference to much
        lock.lock();
    }
    lock.unlock();
    if (stream != nullptr && driver_layer::calls_allowed()) static_cast<void>(driver_.cuStreamDestroy(stream));
}

void preparer::run_one(const entry& next, CUstream& stream) const {
    const driver_layer::scoped_context context(driver_, next.context);
    const driver_layer::relaxed_capture relaxed(driver_);
    if (stream == nullptr && driver_.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) stream = nullptr;
    next.work(stream);  // without a stream of its own on the default one: late, and right
}

}  // namespace graphdedup
