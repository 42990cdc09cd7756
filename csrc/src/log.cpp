#include "log.hpp"

#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>

namespace graphdedup {
namespace {

struct shared_sink {
    std::mutex mutex;
    std::shared_ptr<const log_sink> sink;
};

// Leaked on purpose: a registry may log while statics are being destroyed.
shared_sink& current() {
    static auto* const instance = new shared_sink();
    return *instance;
}

}  // namespace

void set_log_sink(log_sink sink) {
    auto replacement = sink ? std::make_shared<const log_sink>(std::move(sink)) : nullptr;
    {
        const std::scoped_lock lock(current().mutex);
        current().sink.swap(replacement);
    }
    // The old sink goes here, outside the lock: destroying it may run foreign code.
}

void write_log(log_level level, const std::string& message) {
    std::shared_ptr<const log_sink> sink;
    {
        const std::scoped_lock lock(current().mutex);
        sink = current().sink;
    }
    if (sink != nullptr) {
        try {
            (*sink)(level, message);
        } catch (...) {  // what was done is done: a sink that fails must not make it look failed
        }
    } else if (level == log_level::warning) {
        std::fprintf(stderr, "graphdedup: %s\n", message.c_str());
    }
}

}  // namespace graphdedup
