#include "handle_table.hpp"

#include <atomic>

namespace graphdedup_sim {
namespace {

// Outside of what a Linux process maps by default, so that following a handle faults.
constexpr std::uintptr_t first_value = 0x0051'0000'0000'0000;
constexpr std::uintptr_t step = 0x40;

std::atomic<std::uintptr_t> next_value = first_value;

}  // namespace

std::uintptr_t next_handle_value() noexcept { return next_value.fetch_add(step, std::memory_order_relaxed); }

bool was_handle_value(std::uintptr_t value) noexcept {
    return value >= first_value && value < next_value.load(std::memory_order_relaxed);
}

}  // namespace graphdedup_sim
