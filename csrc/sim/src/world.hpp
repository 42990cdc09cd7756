// All state of the simulated driver. One lock guards it; `world` is what a reset replaces.
#pragma once

#include "faults.hpp"
#include "handle_table.hpp"
#include "launch_log.hpp"
#include "objects.hpp"
#include "symbols.hpp"

#include "graphdedup_sim/control.h"

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace graphdedup_sim {

struct allocation {
    void* memory = nullptr;
    std::size_t size_bytes = 0;
    CUdevice device = 0;
    bool is_pooled = false;
};

// What one launch does, copied out of its executable: that may change, or be destroyed, while the launch is in flight.
struct launch_work {
    struct step {
        node_params params;
        std::string function_name;
        dimensions cluster{};
    };
    std::vector<step> steps;
    holdings user_objects;  // kept until the launch is done
};

struct world {
    explicit world(const gdsim_profile& profile);
    ~world();
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    gdsim_profile profile;
    std::uint64_t generation;  // of the state: thread-local state of an older one is void
    bool initialised = false;
    bool handle_reuse = false;
    bool address_checks = true;
    bool launches_held = false;
    std::array<bool, symbol_count> hidden{};
    std::array<bool, symbol_count> forbidden_during_capture{};
    fault_plan faults;

    handle_table<CUcontext, context_object> contexts;
    handle_table<CUstream, stream_object> streams;
    handle_table<CUevent, event_object> events;
    handle_table<CUmodule, module_object> modules;
    handle_table<CUfunction, function_object> functions;
    handle_table<CUkernel, function_object> kernels;
    handle_table<CUgraph, graph_object> graphs;
    handle_table<CUgraphNode, node_object> nodes;
    handle_table<CUgraphExec, exec_object> execs;
    handle_table<CUuserObject, user_object> user_objects;
    std::map<CUdeviceptr, allocation> allocations;  // by address
    std::set<void*> pinned_allocations;

    struct device_state {
        CUcontext primary = nullptr;
        unsigned int primary_count = 0;  // of retains
        std::size_t allocation_bytes = 0;
        std::size_t exec_bytes = 0;
        std::size_t exec_reserve_bytes = 0;  // the most that executables held at once
    };
    std::vector<device_state> devices;

    gdsim_counters counters{};
    std::array<std::uint64_t, symbol_count> call_counts{};
    std::string last_misuse;
    launch_log log;
    std::uint64_t graph_count = 0;   // ever made
    std::uint64_t exec_count = 0;    // ever made
    std::uint64_t launch_count = 0;  // of graphs and kernels
    CUgraphConditionalHandle conditional_count = 0;

    std::deque<launch_work> in_flight;
    std::thread::id drainer;  // the thread that runs the work in flight, if any

    // To be called when the lock has been let go: callbacks of the user, and what may call them.
    std::vector<std::function<void()>> deferred;
};

struct shared_state {
    std::mutex mutex;
    std::condition_variable drained;
    world* current;  // never null, never destroyed at exit: threads may outlive static destructors

    shared_state();
};

[[nodiscard]] shared_state& shared();

// With the lock held.
[[nodiscard]] inline world& here() { return *shared().current; }

// With the lock held: remembers what a real driver need not notice.
void note_misuse(std::string text);

// The object, or null and a misuse noted if the handle once stood for one. `operation`: of the caller, for the text.
template <typename handle_type, typename object_type>
[[nodiscard]] object_type* lookup(const handle_table<handle_type, object_type>& table, handle_type handle, symbol operation) {
    object_type* found = table.find(handle);
    if (found == nullptr && was_handle_value(table.to_value(handle))) {
        note_misuse(std::string(info_of(operation).name) + ": stale handle");
    }
    return found;
}

}  // namespace graphdedup_sim
