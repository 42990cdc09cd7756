// The registry: graphs that may safely share an executable share one.
#pragma once

#include <graphdedup/driver.hpp>
#include <graphdedup/error.hpp>
#include <graphdedup/export.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

// CUDA's own opaque types, so that no consumer needs cuda.h: CUgraph is CUgraph_st*, CUstream is CUstream_st*; cudaGraph_t and
// cudaStream_t are the same pointers.
struct CUgraph_st;
struct CUstream_st;

namespace graphdedup {

using graph_handle = CUgraph_st*;
using stream_handle = CUstream_st*;
using member_id = std::uint64_t;

// What may differ between graphs that share an executable. Always equal: node kinds and order, edges with ports and types,
// device and context, and each launch attribute that an update does not apply or is not known to apply.
enum class vary : std::uint8_t {
    arguments,  // kernel arguments, addresses, values
    grid,       // also grid dimensions
    kernel,     // also the kernel function, block dimensions and dynamic shared memory
};

// CUgraphInstantiate_flags, as torch.cuda.CUDAGraph passes them from 2.10 on.
inline constexpr std::uint64_t instantiate_auto_free_on_launch = 1;
inline constexpr std::uint64_t instantiate_use_node_priority = 8;

struct registry_options {
    vary may_vary = vary::kernel;
    // Executables that a group may own, at least 1. More let several members stay loaded; a further one is made when a replay
    // or prepare would have to evict a member, never before. Empty: 1, or as many as `memory_budget_bytes` allows where that is
    // set. Executables of members whose update was refused come on top.
    std::optional<std::size_t> execs_per_group = {};
    // Device memory that all executables of the registry may take together, 0 for no limit. Counted in nodes, at a price per
    // node that is measured once on the device (registry_stats::bytes_per_node). A group's first executable is made in any
    // case: without it its members could not run.
    std::uint64_t memory_budget_bytes = 0;
    // Instantiate at the first replay instead of at registration. The driver's check of a new member moves there too.
    bool lazy = false;
    // Any of AUTO_FREE_ON_LAUNCH (1) and USE_NODE_PRIORITY (8).
    std::uint64_t instantiate_flags = instantiate_auto_free_on_launch | instantiate_use_node_priority;
    // Ordinal of the device whose primary context is used; -1: the context that is current to the thread that adds the first
    // graph, and without one the primary context of device 0.
    int device = -1;
};

struct add_options {
    // For messages, the log and statistics; need not be unique. Empty: "graph N", N being the member's id.
    std::string name = {};
    // Held until the member is removed or the registry closed: what must outlive each replay, such as the owner of the graph
    // and of the memory that its kernels use.
    std::shared_ptr<void> keep_alive = {};
    // Called before each launch of this member, on its stream, under a lock that all members with a prologue of this process
    // share: what has to happen on the stream right before the graph, such as setting the state of a random-number generator.
    // An exception from it leaves `replay` before anything is launched.
    std::function<void(stream_handle)> prologue = {};
};

// Times are of the host.
struct registry_stats {
    std::size_t graph_count = 0;       // members now registered
    std::size_t group_count = 0;       // groups with members
    std::size_t executable_count = 0;  // executables now alive
    std::size_t private_count = 0;     // members that share with nobody by rule: see member_info::private_reason
    std::uint64_t instantiation_count = 0;
    std::uint64_t replay_count = 0;      // = hit_count + switch_count + first_load_count + fallback_count
    std::uint64_t hit_count = 0;         // replays of a loaded member
    std::uint64_t switch_count = 0;      // replays that updated an executable
    std::uint64_t first_load_count = 0;  // replays that had to instantiate: lazy, or another executable of a pool
    std::uint64_t fallback_count = 0;    // replays that found their update refused and went on with an executable of their own
    std::uint64_t prepare_count = 0;     // prepares that had to load; no replays
    std::uint64_t prepare_failure_count = 0;  // prepares in the background that could not; the replay then loads
    std::uint64_t bytes_per_node = 0;         // device memory of an executable, as measured; 0 without a memory budget
    std::uint64_t executable_bytes = 0;       // of all executables now alive, at that price
    std::uint64_t refusal_count = 0;          // updates that the driver refused, at registration or at replay
    std::uint64_t register_ns = 0;            // spent in `add`
    std::uint64_t sign_ns = 0;                // of that, in walk and signature
    std::uint64_t instantiate_ns = 0;
    std::uint64_t update_ns = 0;
};

struct member_info {
    member_id id = 0;
    std::string name;
    std::size_t group = 0;       // index of its group among all groups, in the order in which they were made
    std::size_t node_count = 0;  // with those of child graphs
    bool loaded = false;         // an executable holds it now: a replay needs no update
    std::string private_reason;  // why it shares with nobody by rule; empty if it may share
};

// Why two members share or do not. Values are as text.
struct sharing_explanation {
    bool may_share = false;      // by signature
    bool same_group = false;     // and they do; false with may_share: the driver refused, see the log
    std::string first_private;   // why the first shares with nobody; empty if it may share
    std::string second_private;  // and the second
    // The first field that differs; all empty if none does.
    std::string where;  // "node 12", in a child graph "node 3, child node 12", or "graph"
    std::string field;  // "kernel: grid"
    std::string first_value;
    std::string second_value;
    std::string first_kernel;  // kernel at that node; empty if it is of another kind
    std::string second_kernel;
    std::string shared_at;  // the strictest `vary` under which they have one signature: "arguments", "grid", "kernel", or empty
};

class registry;

// One registered graph. A light handle; copies mean the same member. Safe to use from any thread.
class GRAPHDEDUP_EXPORT shared_graph {
  public:
    shared_graph() = default;

    // Runs the graph on `stream` (null: the legacy default stream): brings an executable to this graph unless one holds it,
    // then launches it. Returns when the launch is queued.
    // Throws registry_closed; driver_error when the launch itself fails; out_of_memory. A refused update does not throw.
    void replay(stream_handle stream) const;

    // Brings an executable to this graph and uploads it on `stream`, so that the next replay only launches. Replays of other
    // members go on meanwhile where they have an executable. Throws like replay.
    void prepare(stream_handle stream) const;
    // The same in a thread of the registry's, on a stream of its own; returns at once. A replay that comes before it has begun
    // loads by itself, one that comes while it runs waits for it. One that has not begun is given up for a newer one of the
    // same group. A failure is counted, and leaves it to the replay. Throws registry_closed.
    void prepare_in_background() const;

    // True if an executable holds this graph now. Another thread may change that at once.
    [[nodiscard]] bool loaded() const;

    // Writes the graph as a DOT file (cuGraphDebugDotPrint; flag 1 is verbose), while no replay reads it. Throws registry_closed,
    // driver_error.
    void debug_dump(const std::string& path, unsigned int flags = 1) const;

    // Replaces the member's prologue (see add_options); an empty one ends it. For callers that find out about it only after
    // registration. Replays that have begun may still run the old one. Throws registry_closed.
    void set_prologue(std::function<void(stream_handle)> prologue) const;

    // Forgets this member and lets go of its keep-alive; the executables of its group stay for the other members. Idempotent.
    void remove() const;

    [[nodiscard]] member_info info() const;
    [[nodiscard]] member_id id() const noexcept;
    explicit operator bool() const noexcept { return member_ != nullptr; }

    struct member;  // graphdedup's own
    [[nodiscard]] const std::shared_ptr<member>& internal() const noexcept { return member_; }

  private:
    friend class registry;
    explicit shared_graph(std::shared_ptr<member> m);
    std::shared_ptr<member> member_;
};

// Owns the executables. All methods may be called from any thread. In a child made by fork() there is no CUDA context, and
// another thread of the parent may have held any lock: there `close` and `remove` do nothing, statistics are empty, and what
// would have to call the driver throws registry_closed.
class GRAPHDEDUP_EXPORT registry {
  public:
    // Touches no device. Throws invalid_argument.
    explicit registry(std::shared_ptr<const driver> d, const registry_options& options = {});
    ~registry();  // closes
    registry(const registry&) = delete;
    registry& operator=(const registry&) = delete;

    // Registers a captured graph. `graph` must stay alive, and must not be changed, until the member is removed or the registry
    // closed: an update reads it again. The first graph of a signature is instantiated; a further one updates the live
    // executable and is then loaded. If the driver refuses that update the graph gets an executable of its own.
    // Throws invalid_graph, wrong_device, registry_sealed, registry_closed, driver_error, out_of_memory; nothing has changed
    // then.
    shared_graph add(graph_handle graph, add_options options = {});

    // No more graphs. Idempotent.
    void seal();
    // Destroys every executable and lets go of every source. Waits for calls that are under way in other threads, not for the
    // device: an executable in flight is freed by the driver when it is done. Idempotent.
    void close();
    [[nodiscard]] bool sealed() const;
    [[nodiscard]] bool closed() const;

    [[nodiscard]] registry_stats stats() const;
    // All members by rising id.
    [[nodiscard]] std::vector<member_info> members() const;
    // Index of the candidate whose replay would cost least now: one that is loaded, else one that is being prepared, else the
    // one with the fewest nodes to update; of equals the first. For callers that may choose, such as between two batch sizes
    // to pad to. Throws invalid_argument where there is no candidate, or one is not registered here.
    [[nodiscard]] std::size_t cheapest(std::span<const shared_graph> candidates) const;
    // Reads both graphs again and names the first field that keeps them apart. Throws registry_closed where one of them is no
    // longer registered here; driver_error.
    [[nodiscard]] sharing_explanation explain(const shared_graph& a, const shared_graph& b) const;
    [[nodiscard]] const registry_options& options() const noexcept;
    // Ordinal of the device that the registry was bound to by its first graph; -1 before.
    [[nodiscard]] int device() const;

    struct impl;  // graphdedup's own
    [[nodiscard]] impl& internal() const noexcept { return *impl_; }

  private:
    std::shared_ptr<impl> impl_;
};

}  // namespace graphdedup
