// Host time.
#pragma once

#include <chrono>
#include <cstdint>

namespace graphdedup {

// Adds the time of its scope, in nanoseconds, to a counter.
class stopwatch {
  public:
    explicit stopwatch(std::uint64_t& total_ns) : total_ns_(total_ns), start_(clock::now()) {}
    ~stopwatch() {
        total_ns_ +=
            static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start_).count());
    }
    stopwatch(const stopwatch&) = delete;
    stopwatch& operator=(const stopwatch&) = delete;

  private:
    using clock = std::chrono::steady_clock;
    std::uint64_t& total_ns_;
    clock::time_point start_;
};

}  // namespace graphdedup
