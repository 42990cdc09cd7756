#include "ledger.hpp"

#include "world.hpp"

#include <algorithm>

namespace graphdedup_sim {
namespace {

world::device_state& state_of(CUdevice device) { return here().devices[static_cast<std::size_t>(device)]; }

std::size_t used_bytes(const world::device_state& device) {
    const std::size_t execs = here().profile.keeps_exec_memory != 0 ? device.exec_reserve_bytes : device.exec_bytes;
    return device.allocation_bytes + execs;
}

}  // namespace

std::size_t total_bytes() { return static_cast<std::size_t>(here().profile.device_memory_bytes); }

std::size_t free_bytes(CUdevice device) {
    const std::size_t used = used_bytes(state_of(device));
    return used < total_bytes() ? total_bytes() - used : 0;
}

bool take_allocation_bytes(CUdevice device, std::size_t size_bytes) {
    if (size_bytes > free_bytes(device)) return false;
    state_of(device).allocation_bytes += size_bytes;
    here().counters.live_allocation_bytes += size_bytes;
    return true;
}

void give_allocation_bytes(CUdevice device, std::size_t size_bytes) {
    state_of(device).allocation_bytes -= size_bytes;
    here().counters.live_allocation_bytes -= size_bytes;
}

bool take_exec_bytes(CUdevice device, std::size_t size_bytes) {
    world::device_state& state = state_of(device);
    const std::size_t kept = here().profile.keeps_exec_memory != 0 ? state.exec_reserve_bytes - state.exec_bytes : 0;
    if (size_bytes > free_bytes(device) + kept) return false;
    state.exec_bytes += size_bytes;
    state.exec_reserve_bytes = std::max(state.exec_reserve_bytes, state.exec_bytes);
    gdsim_counters& counters = here().counters;
    counters.live_exec_bytes += size_bytes;
    counters.peak_exec_bytes = std::max(counters.peak_exec_bytes, counters.live_exec_bytes);
    return true;
}

void give_exec_bytes(CUdevice device, std::size_t size_bytes) {
    state_of(device).exec_bytes -= size_bytes;
    here().counters.live_exec_bytes -= size_bytes;
}

}  // namespace graphdedup_sim
