// Finds objects that two threads use at once, which the graph API does not allow.
#pragma once

#include "symbols.hpp"

#include <chrono>
#include <initializer_list>
#include <vector>

namespace graphdedup_sim {

// Marks objects as used by this thread for the scope. Two overlapping scopes of two threads count as misuse. Taken before the
// lock of the world: with it, no two calls would ever be seen to overlap.
class usage_marks {
  public:
    usage_marks(symbol operation, std::initializer_list<const void*> objects);
    ~usage_marks();
    usage_marks(const usage_marks&) = delete;
    usage_marks& operator=(const usage_marks&) = delete;

  private:
    std::vector<const void*> objects_;
};

void set_call_delay(std::chrono::microseconds delay);

}  // namespace graphdedup_sim
