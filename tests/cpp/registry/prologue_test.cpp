// What happens on the stream right before a launch.
#include "support/sim_world.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace {

using namespace graphdedup;
using graphdedup::tests::sim_world;

}  // namespace

TEST_CASE("case 15: the prologue runs before each launch of its member, on its stream, and of no other") {
    sim_world world;
    world.pass_gate();
    CUstream stream = nullptr;
    REQUIRE(world.api().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    registry r(world.loaded());
    std::vector<std::pair<stream_handle, std::size_t>> calls;  // stream, kernels that had run by then
    const shared_graph a =
        r.add(world.chain({{"kernel", 1}}), {.prologue = [&](stream_handle s) { calls.emplace_back(s, gdsim_log_count()); }});
    const shared_graph b = r.add(world.chain({{"kernel", 2}}));
    a.replay(stream);
    b.replay(stream);
    a.replay(nullptr);
    a.prepare(stream);
    REQUIRE(calls.size() == 2);
    CHECK(calls[0] == std::pair<stream_handle, std::size_t>(stream, 0));
    CHECK(calls[1] == std::pair<stream_handle, std::size_t>(nullptr, 2));
}

TEST_CASE("an exception of the prologue leaves replay before anything is launched") {
    sim_world world;
    registry r(world.loaded());
    bool fails = true;
    const shared_graph a = r.add(world.chain({{"kernel", 1}}), {.prologue = [&](stream_handle) {
                                     if (fails) throw std::runtime_error("no");
                                 }});
    CHECK_THROWS_AS(a.replay(nullptr), std::runtime_error);
    CHECK(world.take_log().empty());
    CHECK(r.stats().replay_count == 0);
    fails = false;
    a.replay(nullptr);
    CHECK(world.take_log().size() == 1);
}

TEST_CASE("a prologue may replay another member that has one") {
    sim_world world;
    registry r(world.loaded());
    const shared_graph inner = r.add(world.chain({{"inner", 1}}), {.prologue = [](stream_handle) {}});
    const shared_graph outer =
        r.add(world.chain({{"outer", 2}, {"outer", 3}}), {.prologue = [&](stream_handle s) { inner.replay(s); }});
    outer.replay(nullptr);
    const auto log = world.take_log();
    REQUIRE(log.size() == 3);
    CHECK(log[0].name == "inner");
}
