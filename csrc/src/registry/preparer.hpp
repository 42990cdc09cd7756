// The thread that prepares members in the background.
#pragma once

#include "driver/api.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace graphdedup {

// Runs jobs one after the other on one thread, which starts with the first job. `key` is the group: a job that has not begun is
// replaced by a newer one of the same key, since the newest prediction is the best one. Thread-safe.
class preparer {
  public:
    // A job gets a stream to upload on. It must not throw.
    using job = std::function<void(CUstream)>;

    explicit preparer(const driver_layer::api& driver);
    ~preparer();
    preparer(const preparer&) = delete;
    preparer& operator=(const preparer&) = delete;

    // Takes `work`, or leaves in it the job that it replaces. False after stop(). `context` is current when the job runs. Throws
    // std::system_error where no thread can be started.
    bool submit(const void* key, CUcontext context, job& work);
    // Gives up what has not begun, waits for what has, and takes no more. Idempotent.
    void stop();
    // The same for every preparer of the process: before it exits, since a driver that is being torn down must not be in use by
    // another thread. Does nothing in a forked child.
    static void stop_all();

  private:
    struct entry {
        const void* key;
        CUcontext context;
        job work;
    };

    void run();
    void run_one(const entry& next, CUstream& stream) const;

    const driver_layer::api& driver_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<entry> queue_;
    bool stopped_ = false;
    std::thread thread_;
};

}  // namespace graphdedup
