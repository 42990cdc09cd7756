// The control interface: profiles, behaviour, faults, counters.
#include "graphdedup_sim/control.h"

#include "held_calls.hpp"
#include "in_flight.hpp"
#include "profile.hpp"
#include "usage.hpp"
#include "world.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

namespace {

using namespace graphdedup_sim;

void change_profile(const auto& change) {
    const std::lock_guard lock(shared().mutex);
    change(here().profile);
}

// Applies `change` to the place of the symbol in a table; -1 for an unknown name.
int change_symbol(const char* name, const auto& change) {
    const std::optional<symbol> id = name != nullptr ? find_symbol(name) : std::nullopt;
    if (!id) return -1;
    const std::lock_guard lock(shared().mutex);
    change(here(), *id);
    return 0;
}

}  // namespace

int gdsim_version(void) { return GDSIM_VERSION; }

std::size_t gdsim_profile_count(void) { return known_profiles().size(); }

const char* gdsim_profile_name(std::size_t index) {
    return index < known_profiles().size() ? known_profiles()[index].name : nullptr;
}

int gdsim_profile_get(const char* name, gdsim_profile* profile) {
    const gdsim_profile* found = name != nullptr ? find_profile(name) : nullptr;
    if (found == nullptr || profile == nullptr) return -1;
    *profile = *found;
    return 0;
}

int gdsim_reset(const char* profile_name) {
    const gdsim_profile* found = profile_name != nullptr ? find_profile(profile_name) : nullptr;
    return found != nullptr ? gdsim_reset_to(found) : -1;
}

int gdsim_reset_to(const gdsim_profile* profile) {
    if (profile == nullptr || !is_usable(*profile)) return -1;
    set_call_delay(std::chrono::microseconds(0));
    release_held_calls();
    const std::lock_guard lock(shared().mutex);
    const std::unique_ptr<world> before(shared().current);
    shared().current = new world(*profile);
    return 0;
}

int gdsim_get_profile(gdsim_profile* profile) {
    if (profile == nullptr) return -1;
    change_profile([profile](const gdsim_profile& current) { *profile = current; });
    return 0;
}

int gdsim_set_profile(const gdsim_profile* profile) {
    if (profile == nullptr || !is_usable(*profile)) return -1;
    change_profile([profile](gdsim_profile& current) {
        const int device_count = current.device_count;
        current = *profile;
        current.device_count = device_count;
    });
    return 0;
}

void gdsim_set_stale_attributes(std::uint64_t mask) {
    change_profile([mask](gdsim_profile& profile) { profile.stale_attributes = mask; });
}

void gdsim_set_stale_static_cluster(int on) {
    change_profile([on](gdsim_profile& profile) { profile.stale_static_cluster = on; });
}

void gdsim_set_readable_attributes(std::uint64_t mask) {
    change_profile([mask](gdsim_profile& profile) { profile.readable_attributes = mask; });
}

void gdsim_set_honours_preferred_cluster(int on) {
    change_profile([on](gdsim_profile& profile) { profile.honours_preferred_cluster = on; });
}

void gdsim_set_refusal_is_partial(int on) {
    change_profile([on](gdsim_profile& profile) { profile.refusal_is_partial = on; });
}

int gdsim_set_memory_limit(std::uint64_t bytes) {
    change_profile([bytes](gdsim_profile& profile) { profile.device_memory_bytes = bytes; });
    return 0;
}

void gdsim_set_handle_reuse(int on) {
    const std::lock_guard lock(shared().mutex);
    here().handle_reuse = on != 0;
}

int gdsim_hide_symbol(const char* symbol_name, int hidden) {
    return change_symbol(symbol_name, [hidden](world& w, symbol id) { w.hidden[static_cast<std::size_t>(id)] = hidden != 0; });
}

int gdsim_forbid_during_capture(const char* symbol_name, int forbidden) {
    return change_symbol(symbol_name, [forbidden](world& w, symbol id) {
        w.forbidden_during_capture[static_cast<std::size_t>(id)] = forbidden != 0;
    });
}

void gdsim_set_address_checks(int on) {
    const std::lock_guard lock(shared().mutex);
    here().address_checks = on != 0;
}

void gdsim_set_launches_held(int held) {
    {
        const std::lock_guard lock(shared().mutex);
        here().launches_held = held != 0;
    }
    if (held == 0) drain_in_flight();
}

std::uint64_t gdsim_held_launch_count(void) {
    const std::lock_guard lock(shared().mutex);
    return here().in_flight.size();
}

int gdsim_set_calls_held(const char* symbol_name, int held) {
    return change_symbol(symbol_name, [held](world&, symbol id) { set_calls_held(id, held != 0); });
}

void gdsim_wait_for_held_call(void) { wait_for_held_call(); }

void gdsim_set_call_delay_us(std::uint64_t microseconds) { set_call_delay(std::chrono::microseconds(microseconds)); }

int gdsim_fail_call(const char* symbol_name, std::uint64_t nth, std::uint64_t count, int status) {
    if (nth == 0 || status == CUDA_SUCCESS) return -1;
    return change_symbol(symbol_name, [=](world& w, symbol id) { w.faults.fail(id, nth, count, static_cast<CUresult>(status)); });
}

void gdsim_clear_faults(void) {
    const std::lock_guard lock(shared().mutex);
    here().faults.clear();
}

void gdsim_refuse_every_nth_update(std::uint64_t nth, int reason) {
    const std::lock_guard lock(shared().mutex);
    here().faults.refuse_updates(nth, static_cast<CUgraphExecUpdateResult>(reason));
}

void gdsim_set_sticky_error(int status) {
    const std::lock_guard lock(shared().mutex);
    here().faults.sticky_error = static_cast<CUresult>(status);
}

int gdsim_get_counters(gdsim_counters* counters) {
    if (counters == nullptr) return -1;
    const std::lock_guard lock(shared().mutex);
    const world& w = here();
    *counters = w.counters;
    counters->live_graph_count = w.graphs.size();
    counters->live_node_count = w.nodes.size();
    counters->live_exec_count = w.execs.size();
    counters->live_user_object_count = w.user_objects.size();
    counters->live_allocation_count = w.allocations.size();
    counters->live_module_count = w.modules.size();
    counters->live_stream_count = w.streams.size();
    counters->live_event_count = w.events.size();
    return 0;
}

std::uint64_t gdsim_call_count(const char* symbol_name) {
    std::uint64_t count = 0;
    change_symbol(symbol_name, [&count](const world& w, symbol id) { count = w.call_counts[static_cast<std::size_t>(id)]; });
    return count;
}

std::size_t gdsim_last_misuse(char* buffer, std::size_t size_bytes) {
    const std::lock_guard lock(shared().mutex);
    const std::string& text = here().last_misuse;
    if (buffer != nullptr && size_bytes != 0) {
        const std::size_t copied = std::min(text.size(), size_bytes - 1);
        std::memcpy(buffer, text.data(), copied);
        buffer[copied] = '\0';
    }
    return text.size();
}
