// Who keeps what alive, and for how long.
#include "support/sim_world.hpp"

#include <doctest/doctest.h>

#include <thread>

namespace {

using namespace graphdedup;
using graphdedup::tests::kernel_spec;
using graphdedup::tests::sim_world;

}  // namespace

TEST_CASE("seal and close are idempotent; close destroys each executable once and lets go of every source") {
    sim_world world;
    const std::uint64_t before = world.counters().live_exec_count;
    auto source = std::make_shared<int>(1);
    auto prologue_state = std::make_shared<int>(2);
    registry r(world.loaded());
    r.add(world.chain({{}}), {.keep_alive = source});
    r.add(world.chain({{}, {}}), {.keep_alive = source, .prologue = [prologue_state](stream_handle) {}});
    CHECK(source.use_count() == 3);
    CHECK(world.counters().live_exec_count == before + 2);
    r.seal();
    r.seal();
    CHECK(r.sealed());
    r.close();
    r.close();
    CHECK(r.closed());
    CHECK(source.use_count() == 1);
    CHECK(prologue_state.use_count() == 1);
    CHECK(world.counters().live_exec_count == before);
    CHECK(world.counters().misuse_count == 0);
    CHECK(r.stats().graph_count == 0);
    CHECK(r.stats().executable_count == 0);
}

TEST_CASE("the end of a registry closes it; its graphs' handles outlive it") {
    sim_world world;
    shared_graph left;
    {
        registry r(world.loaded());
        left = r.add(world.chain({{}}));
    }
    CHECK(world.counters().live_exec_count == 0);
    CHECK_FALSE(left.loaded());
    CHECK_THROWS_AS(left.replay(nullptr), registry_closed);
    left.remove();
}

TEST_CASE("a removed member is forgotten; the others go on") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    auto source = std::make_shared<int>(1);
    const std::vector<kernel_spec> first = {{"kernel", 1}};
    const std::vector<kernel_spec> second = {{"kernel", 2}};
    const shared_graph a = r.add(world.chain(first));
    const shared_graph b = r.add(world.chain(second), {.keep_alive = source});
    b.remove();
    b.remove();
    CHECK(source.use_count() == 1);
    CHECK(r.stats().graph_count == 1);
    CHECK(r.stats().executable_count == 1);
    a.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(first));
    a.remove();
    CHECK(r.stats().group_count == 0);
    CHECK(r.stats().executable_count == 0);
    CHECK(world.counters().live_exec_count == 0);
    // What was counted is kept.
    CHECK(r.stats().instantiation_count == 1);
    CHECK(r.stats().switch_count == 1);
}

TEST_CASE("a handle that the driver gives again is another member") {
    sim_world world;
    gdsim_set_handle_reuse(1);
    registry r(world.loaded());
    CUgraph first = world.chain({{"kernel", 1}});
    const shared_graph a = r.add(first);
    a.remove();
    REQUIRE(world.api().cuGraphDestroy(first) == CUDA_SUCCESS);
    CUgraph second = world.chain({{"kernel", 2, {9, 1, 1}}});
    REQUIRE(second == first);
    const shared_graph b = r.add(second);
    CHECK(a.id() != b.id());
    CHECK_THROWS_AS(a.replay(nullptr), registry_closed);
    gdsim_log_clear();
    b.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected({{"kernel", 2, {9, 1, 1}}}));
}

TEST_CASE("case 13: what a source graph retains lives as long as an executable can run it") {
    sim_world world;
    world.pass_gate();
    static int destroyed;
    destroyed = 0;
    CUuserObject object = nullptr;
    REQUIRE(world.api().cuUserObjectCreate(
                &object, nullptr, [](void*) { ++destroyed; }, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) == CUDA_SUCCESS);
    CUgraph graph = world.chain({{"kernel", 1}});
    REQUIRE(world.api().cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE) == CUDA_SUCCESS);
    registry r(world.loaded());
    const shared_graph a = r.add(graph);
    const shared_graph b = r.add(world.chain({{"kernel", 2}}));
    a.replay(nullptr);
    REQUIRE(world.api().cuGraphDestroy(graph) == CUDA_SUCCESS);
    CHECK(destroyed == 0);  // the executable holds it
    b.replay(nullptr);
    CHECK(destroyed == 1);  // the update replaced what it held
}

TEST_CASE("case 21: after close nobody holds a captured graph's objects, also after refused updates") {
    sim_world world;
    world.pass_gate();
    static int destroyed;
    destroyed = 0;
    CUuserObject object = nullptr;
    REQUIRE(world.api().cuUserObjectCreate(
                &object, nullptr, [](void*) { ++destroyed; }, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) == CUDA_SUCCESS);
    registry r(world.loaded());
    CUgraph graph = world.chain({{"kernel", 1}});
    REQUIRE(world.api().cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE) == CUDA_SUCCESS);
    const shared_graph a = r.add(graph);
    gdsim_refuse_every_nth_update(1, 5);
    r.add(world.chain({{"kernel", 2}}));
    CHECK(r.stats().refusal_count == 1);
    gdsim_refuse_every_nth_update(0, 0);
    a.replay(nullptr);
    r.close();
    REQUIRE(world.api().cuGraphDestroy(graph) == CUDA_SUCCESS);
    CHECK(destroyed == 1);
}

TEST_CASE("case 18: registering, replaying and closing spoil no capture of another thread") {
    sim_world world;
    world.pass_gate();
    CUstream stream = nullptr;
    REQUIRE(world.api().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    REQUIRE(world.api().cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    const CUgraph first = world.chain({{"kernel", 1}});
    const CUgraph second = world.chain({{"kernel", 2}});
    std::thread other([&] {
        CHECK(world.api().cuCtxPushCurrent(world.context()) == CUDA_SUCCESS);
        registry r(world.loaded());
        const shared_graph a = r.add(first);
        const shared_graph b = r.add(second);
        CUstream own = nullptr;
        CHECK(world.api().cuStreamCreate(&own, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
        a.replay(own);
        b.replay(own);
        r.close();
    });
    other.join();
    CUstreamCaptureStatus status{};
    REQUIRE(world.api().cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS);
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CUgraph captured = nullptr;
    CHECK(world.api().cuStreamEndCapture(stream, &captured) == CUDA_SUCCESS);
}
