// User objects: how long an executable holds what its graphs retained.
#include "cases.hpp"
#include "change.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace graphdedup::conformance {
namespace {

// Told by the driver, on a thread of its own, that the last reference is gone.
class release_flag {
  public:
    static void CUDA_CB set(void* flag) { static_cast<release_flag*>(flag)->set(); }

    [[nodiscard]] bool is_set() {
        const std::scoped_lock lock(mutex_);
        return is_set_;
    }
    // False if it does not come in a time that is long for any driver.
    [[nodiscard]] bool wait() {
        constexpr std::chrono::seconds limit{20};
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, limit, [&] { return is_set_; });
    }

  private:
    void set() {
        const std::scoped_lock lock(mutex_);
        is_set_ = true;
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_set_ = false;
};

// A flag must outlive its object, also where a case fails: all are kept to the end.
release_flag& new_flag() {
    static std::vector<std::unique_ptr<release_flag>> all;
    return *all.emplace_back(std::make_unique<release_flag>());
}

void retain(bench& where, CUgraph graph, release_flag& flag) {
    CUuserObject object = nullptr;
    REQUIRE(where.driver().cuUserObjectCreate(&object, &flag, release_flag::set, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) ==
            CUDA_SUCCESS);
    REQUIRE(where.driver().cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE) == CUDA_SUCCESS);
}

built_graph graph_with(bench& where, release_flag& flag, std::uint64_t base, std::uint64_t busy_ns = 0) {
    built_graph made = build(where, chain_of({spin_node{busy_ns}, numbered_kernel(0, base)}));
    retain(where, made.graph.get(), flag);
    return made;
}

// Releases run one after the other: one that was asked for later has come, so those before it have.
void pass_fence(bench& where) {
    release_flag& fence = new_flag();
    static_cast<void>(graph_with(where, fence, 1));
    REQUIRE(fence.wait());
}

std::string graph_alone(bench& where) {
    release_flag& flag = new_flag();
    {
        const built_graph graph = graph_with(where, flag, 1);
        pass_fence(where);
        CHECK(!flag.is_set());
    }
    CHECK(flag.wait());
    return {};
}

std::string held_by_executable(bench& where, bool launched) {
    release_flag& flag = new_flag();
    std::optional<built_graph> graph(graph_with(where, flag, 1));
    {
        const exec::graph_exec executable = where.instantiate(graph->graph.get());
        graph.reset();
        if (launched) static_cast<void>(where.run(executable));
        pass_fence(where);
        CHECK(!flag.is_set());
    }
    CHECK(flag.wait());
    return {};
}

std::string held_in_flight(bench& where) {
    release_flag& flag = new_flag();
    constexpr std::uint64_t busy_ns = 3'000'000;
    std::optional<built_graph> graph(graph_with(where, flag, 1, busy_ns));
    {
        const exec::graph_exec executable = where.instantiate(graph->graph.get());
        graph.reset();
        where.launch(executable);
    }
    where.synchronize();
    CHECK(flag.wait());
    return {};
}

std::string held_by_clone(bench& where) {
    release_flag& flag = new_flag();
    std::optional<built_graph> graph(graph_with(where, flag, 1));
    CUgraph clone = nullptr;
    REQUIRE(where.driver().cuGraphClone(&clone, graph->graph.get()) == CUDA_SUCCESS);
    {
        const driver_layer::owned_graph owner(where.driver(), clone);
        graph.reset();
        pass_fence(where);
        CHECK(!flag.is_set());
    }
    CHECK(flag.wait());
    return {};
}

std::string held_by_child(bench& where) {
    release_flag& flag = new_flag();
    CUgraph outer = nullptr;
    REQUIRE(where.driver().cuGraphCreate(&outer, 0) == CUDA_SUCCESS);
    std::optional<driver_layer::owned_graph> owner(std::in_place, where.driver(), outer);
    {
        const built_graph inner = graph_with(where, flag, 1);
        CUgraphNode node = nullptr;
        REQUIRE(where.driver().cuGraphAddChildGraphNode(&node, outer, nullptr, 0, inner.graph.get()) == CUDA_SUCCESS);
    }
    {
        const exec::graph_exec executable = where.instantiate(outer);
        owner.reset();
        pass_fence(where);
        CHECK(!flag.is_set());
    }
    CHECK(flag.wait());
    return {};
}

// An executable of one graph, updated to another; both graphs are destroyed then.
struct updated {
    release_flag& old_flag = new_flag();
    release_flag& new_flag_ = new_flag();
    std::optional<exec::graph_exec> executable;

    explicit updated(bench& where, bool valid) {
        const built_graph first = graph_with(where, old_flag, 1);
        built_graph second = graph_with(where, new_flag_, 2);
        CUgraphNode extra = nullptr;
        if (!valid) REQUIRE(where.driver().cuGraphAddEmptyNode(&extra, second.graph.get(), nullptr, 0) == CUDA_SUCCESS);
        executable.emplace(where.instantiate(first.graph.get()));
        REQUIRE(executable->update(second.graph.get()).accepted() == valid);
    }
};

std::string new_object_after_update(bench& where) {
    updated made(where, true);
    pass_fence(where);
    const outcome seen = made.new_flag_.is_set() ? outcome::no : outcome::yes;
    check_fact(where.known_as(), "an accepted update retains the new graph's user objects", seen);
    made.executable.reset();
    CHECK(made.new_flag_.wait());
    CHECK(made.old_flag.wait());
    return std::string(name_of(seen));
}

std::string old_object_after_update(bench& where) {
    updated made(where, true);
    pass_fence(where);
    const outcome seen = made.old_flag.is_set() ? outcome::yes : outcome::no;
    check_fact(where.known_as(), "an accepted update releases the old graph's user objects", seen);
    made.executable.reset();
    CHECK(made.old_flag.wait());
    return std::string(name_of(seen));
}

std::string objects_after_refusal(bench& where) {
    updated made(where, false);
    pass_fence(where);
    CHECK(made.new_flag_.is_set());
    CHECK(!made.old_flag.is_set());
    made.executable.reset();
    CHECK(made.old_flag.wait());
    return {};
}

}  // namespace

void add_user_object_cases(suite& all) {
    all.add("user object, held by a graph", graph_alone);
    all.add("user object, held by an executable", [](bench& where) { return held_by_executable(where, false); });
    all.add("user object, held by an executable that ran", [](bench& where) { return held_by_executable(where, true); });
    all.add("user object, the executable destroyed in flight", held_in_flight);
    all.add("user object, held by a clone", held_by_clone);
    all.add("user object, held by a child graph", held_by_child);
    all.add("user object, the new graph's after an update", new_object_after_update);
    all.add("user object, the old graph's after an update", old_object_after_update);
    all.add("user object, both graphs' after a refused update", objects_after_refusal);
}

}  // namespace graphdedup::conformance
