// The log of what really ran.
#pragma once

#include "graphdedup_sim/control.h"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace graphdedup_sim {

class launch_log {
  public:
    struct entry {
        gdsim_record record{};  // its pointers are filled in by get
        std::string function_name;
        std::vector<std::byte> arguments;
    };

    void append(entry added) {
        if (enabled) entries_.push_back(std::move(added));
    }
    void clear() { entries_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    // Null when out of range. Stays where it is until the log is cleared.
    [[nodiscard]] const entry* find(std::size_t index) const { return index < entries_.size() ? &entries_[index] : nullptr; }

    bool enabled = true;

  private:
    std::deque<entry> entries_;
};

}  // namespace graphdedup_sim
