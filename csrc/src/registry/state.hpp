// What a registry holds, and in which order its locks are taken.
//
// Lock order, outermost first: prologue mutex (replays of members with a prologue), closing mutex, registry mutex (tables), group
// mutex (executables of one group), the preparer's mutex (its queue). Replays of members without a prologue take the group mutex
// only. An update and an upload run without it: the executable is marked busy and its member loading instead, and whoever needs
// one of the two, the member's graph included, waits for `settled`; no thread that works on an executable takes another lock
// than the group's, so that it can be waited for with the registry mutex held. No foreign code runs under a
// registry or group mutex: prologues run before the group mutex is taken, keep-alives and log messages are released after.
// A caller that holds an interpreter lock releases it before any of these (Python's GIL is the outermost of all).
#pragma once

#include "driver/check.hpp"
#include "driver/context.hpp"
#include "exec/graph_exec.hpp"
#include "registry/eviction.hpp"
#include "registry/memory_budget.hpp"
#include "registry/preparer.hpp"
#include "signature/signature.hpp"
#include "snapshot/walk.hpp"

#include <graphdedup/registry.hpp>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>

namespace graphdedup {

struct group_state;

// One registered graph. Fields from `executable` on are guarded by the group's mutex; those before never change once the
// member is registered.
struct shared_graph::member {
    member_id id = 0;
    std::string name;
    CUgraph source = nullptr;
    std::size_t node_count = 0;
    std::weak_ptr<registry::impl> owner;
    std::shared_ptr<group_state> group;
    std::atomic<bool> has_prologue{false};  // as `prologue`; read without the mutex, to choose the way of a replay

    struct executable* executable = nullptr;  // the one that holds this member now; null if none does
    bool loading = false;                     // an update to it, or its upload, is under way without the group's mutex
    bool evicted = false;                     // an update away from it is under way without the group's mutex
    eviction::uses uses;
    bool removed = false;
    bool fallback_logged = false;
    std::shared_ptr<void> keep_alive;
    std::shared_ptr<const std::function<void(stream_handle)>> prologue;
};

using member_state = shared_graph::member;

struct executable {
    executable(exec::graph_exec e, memory_share taken) : handle(std::move(e)), memory(std::move(taken)) {}

    exec::graph_exec handle;
    memory_share memory;
    member_state* loaded = nullptr;  // the member that a launch would run; null when no member's, or nobody knows whose
    bool exclusive = false;          // made for a member whose update was refused: never updated, never evicted
    bool busy = false;               // one thread works on it without the group's mutex: not to be touched by another
    bool uploaded = false;           // what it holds is on the device: a launch has nothing to upload
    bool prepared = false;           // brought to its member for a replay that has not come yet
};

struct replay_counters {
    std::uint64_t hit_count = 0;
    std::uint64_t switch_count = 0;
    std::uint64_t first_load_count = 0;
    std::uint64_t fallback_count = 0;
    std::uint64_t prepare_count = 0;
    std::uint64_t prepare_failure_count = 0;
};

// Members that the driver accepts for the same executables.
struct group_state {
    group_state(const driver_layer::api& d, CUcontext c, const registry_options& o, std::shared_ptr<memory_budget> b)
        : driver(d),
          context(c),
          options(o),
          budget(std::move(b)) {}

    const driver_layer::api& driver;
    const CUcontext context;
    const registry_options options;
    const std::shared_ptr<memory_budget> budget;
    std::size_t index = 0;
    std::string private_reason;
    bool is_instantiated_once = false;  // its executable cannot be made again, and is not dropped to make room

    std::mutex mutex;
    std::condition_variable settled;  // told when an executable is no longer busy
    std::size_t busy_count = 0;       // executables that are
    bool closed = false;
    eviction::chooser chooser;
    std::size_t denied_count = 0;         // loads since the last further executable that the budget had no room for
    std::uint64_t replays_when_seen = 0;  // of move_room: how many there were when it last looked,
    std::uint64_t active_at = 0;          // and when they last had become more
    std::vector<std::unique_ptr<executable>> executables;
    std::size_t member_count = 0;
    replay_counters replays;
    std::uint64_t refusal_count = 0;
    std::uint64_t instantiation_count = 0;
    std::uint64_t instantiate_ns = 0;
    std::uint64_t update_ns = 0;
};

// All graphs of one signature. More than one group where the driver refused what the signature allows.
struct signature_entry {
    std::vector<std::byte> bytes;
    std::vector<std::shared_ptr<group_state>> groups;
};

// What has to be let go of after the locks.
struct released {
    std::vector<std::shared_ptr<void>> keep_alives;
    std::vector<std::shared_ptr<const std::function<void(stream_handle)>>> prologues;
};

struct registry::impl : std::enable_shared_from_this<registry::impl> {
    impl(std::shared_ptr<const driver> d, const registry_options& o) : owner(std::move(d)), api(owner->api()), options(o) {}

    // Gives back the memory that only registrations use. Wants the mutex held.
    void forget_walks() {
        walks = {};
        std::vector<std::byte>().swap(signature_bytes);
    }

    const std::shared_ptr<const driver> owner;
    const driver_layer::api& api;
    const registry_options options;

    const std::shared_ptr<memory_budget> budget = std::make_shared<memory_budget>(options.memory_budget_bytes);
    preparer background{api};

    std::mutex closing;  // over the whole of close; before `mutex`
    mutable std::mutex mutex;
    std::atomic<bool> is_sealed{false};  // changed with the mutex held, read also without
    std::atomic<bool> is_closed{false};
    CUcontext context = nullptr;  // null before the first graph
    CUdevice device = 0;
    bool retained_primary = false;
    member_id next_member = 1;
    std::size_t next_group = 0;
    std::map<member_id, std::shared_ptr<member_state>> members;
    std::set<CUgraph> sources;  // of the members: a graph is registered once, since its members would read it at the same time
    std::vector<std::shared_ptr<group_state>> groups;  // those with members, by rising index
    std::multimap<signature::digest, signature_entry> signatures;
    snapshot::walk_memory walks;                             // of registrations, until the registry is sealed or closed
    std::vector<std::byte> signature_bytes;                  // memory of the last signature, for the next
    registry_stats totals;                                   // of what is gone, and of work outside of groups
    std::uint64_t room_clock = 0;                            // counts calls of move_room
    std::optional<std::vector<std::byte>> forced_signature;  // tests only: see force_signature
};

// The lock of all replays with a prologue, in the whole process: generators are shared among graphs of any registry.
[[nodiscard]] std::recursive_mutex& prologue_mutex() noexcept;

// The rest is for tests. From now on each graph added gets these canonical bytes, so that a clash of signatures can be seen;
// empty restores the rules.
void force_signature(registry& r, std::optional<std::vector<std::byte>> bytes);

}  // namespace graphdedup
