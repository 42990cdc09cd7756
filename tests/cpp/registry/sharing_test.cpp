// Who shares with whom, and what replays then run.
#include "registry/state.hpp"
#include "support/sim_world.hpp"

#include <doctest/doctest.h>

#include <random>

namespace {

using namespace graphdedup;
using graphdedup::tests::kernel_spec;
using graphdedup::tests::ran;
using graphdedup::tests::sim_world;

std::vector<kernel_spec> three(std::uint64_t value, unsigned int blocks = 4) {
    return {{"first", value, {blocks, 1, 1}}, {"second", value + 1, {blocks, 2, 1}}, {"third", value + 2, {1, 1, 1}}};
}

}  // namespace

TEST_CASE("a first graph instantiates once; a second updates the live executable and is then loaded") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    const std::uint64_t before = world.counters().instantiation_count;
    const shared_graph a = r.add(world.chain(three(10)));
    CHECK(a.loaded());
    CHECK(world.counters().instantiation_count == before + 1);
    const shared_graph b = r.add(world.chain(three(20, 8)));
    CHECK(world.counters().instantiation_count == before + 1);
    CHECK(b.loaded());
    CHECK_FALSE(a.loaded());

    const std::uint64_t updates = world.counters().update_count;
    b.replay(nullptr);
    CHECK(world.counters().update_count == updates);
    CHECK(world.take_log() == sim_world::expected(three(20, 8)));
    const registry_stats stats = r.stats();
    CHECK(stats.graph_count == 2);
    CHECK(stats.group_count == 1);
    CHECK(stats.executable_count == 1);
    CHECK(stats.instantiation_count == 1);
    CHECK(stats.hit_count == 1);
    CHECK(stats.switch_count == 0);
    CHECK(stats.refusal_count == 0);
}

TEST_CASE("members of a group alternate in any order, and each replay runs its own graph") {
    sim_world world;
    registry r(world.loaded());
    std::vector<std::vector<kernel_spec>> specs;
    std::vector<shared_graph> graphs;
    for (std::uint64_t i = 0; i < 5; ++i) {
        specs.push_back(three(100 * i, static_cast<unsigned int>(i + 1)));
        if (i % 2 == 1) specs.back()[1].name = "another";
        specs.back()[2].block = {static_cast<unsigned int>(32 * (i + 1)), 1, 1};
        specs.back()[0].shared_memory_bytes = static_cast<unsigned int>(512 * i);
        graphs.push_back(r.add(world.chain(specs.back())));
    }
    REQUIRE(r.stats().executable_count == 1);
    gdsim_log_clear();
    std::mt19937 random(7);
    std::uint64_t switches = 0;
    std::size_t last = 4;
    for (int step = 0; step < 300; ++step) {
        const std::size_t next = random() % graphs.size();
        graphs[next].replay(nullptr);
        CHECK(world.take_log() == sim_world::expected(specs[next]));
        switches += next != last ? 1 : 0;
        last = next;
    }
    const registry_stats stats = r.stats();
    CHECK(stats.switch_count == switches);
    CHECK(stats.hit_count == 300 - switches);
    CHECK(stats.replay_count == 300);
    CHECK(world.counters().misuse_count == 0);
}

TEST_CASE("each level of vary shares what it says") {
    sim_world world;
    auto grid = three(1);
    grid[0].grid = {9, 9, 9};
    auto function = three(1);
    function[1].name = "another";
    auto block = three(1);
    block[1].block = {64, 1, 1};
    auto shared = three(1);
    shared[1].shared_memory_bytes = 64;
    struct row {
        vary level;
        std::size_t groups;
    };
    for (const row& expected : {row{vary::arguments, 5}, row{vary::grid, 4}, row{vary::kernel, 1}}) {
        registry r(world.loaded(), {.may_vary = expected.level});
        r.add(world.chain(three(1)));
        r.add(world.chain(three(2)));
        for (const auto& specs : {grid, function, block, shared}) r.add(world.chain(specs));
        CHECK(r.stats().graph_count == 6);
        CHECK(r.stats().group_count == expected.groups);
    }
}

TEST_CASE("case 2: no kernel runs under a cluster shape that it was not captured with") {
    sim_world world;
    registry r(world.loaded());
    std::vector<std::vector<kernel_spec>> specs;
    for (const std::array<unsigned int, 3> shape :
         {std::array<unsigned int, 3>{0, 0, 0}, {2, 1, 1}, {4, 1, 1}, {1, 2, 1}, {1, 1, 2}}) {
        specs.push_back(three(10, 4));
        specs.back()[0].grid = {4, 4, 4};
        specs.back()[0].cluster = shape;
        specs.push_back(specs.back());
        specs.back()[1].value += 1000;
    }
    std::vector<shared_graph> graphs;
    for (const auto& s : specs) graphs.push_back(r.add(world.chain(s)));
    CHECK(r.stats().group_count == 5);
    CHECK(r.stats().executable_count == 5);
    gdsim_log_clear();
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < graphs.size(); ++i) {
            graphs[i].replay(nullptr);
            CHECK(world.take_log() == sim_world::expected(specs[i]));
        }
    }
}

TEST_CASE("a clash of signatures: the refused newcomer gets its own executable, the first still replays right") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    force_signature(r, std::vector<std::byte>(3));
    const shared_graph first = r.add(world.chain(three(1)));
    auto longer = three(50);
    longer.push_back({"fourth", 53});
    const shared_graph second = r.add(world.chain(longer));
    CHECK(first.loaded());
    CHECK(second.loaded());
    CHECK(r.stats().refusal_count == 1);
    CHECK(r.stats().group_count == 2);
    CHECK(r.stats().executable_count == 2);
    first.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(three(1)));
    second.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(longer));
    CHECK(r.stats().hit_count == 2);
    // A third one joins whichever group takes it.
    const shared_graph third = r.add(world.chain(longer));
    CHECK(r.stats().group_count == 2);
    CHECK(third.info().group == second.info().group);
}

TEST_CASE("private graphs have their own executable and say why") {
    sim_world world;
    registry r(world.loaded());
    CUgraph graph = world.chain(three(1));
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    params.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.alloc.bytesize = 256;
    CUgraphNode node = nullptr;
    REQUIRE(world.api().cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &params) == CUDA_SUCCESS);
    const shared_graph a = r.add(graph, {.name = "decode 8"});
    const shared_graph b = r.add(world.chain(three(1)));
    CHECK(a.info().private_reason.find("memory allocation") != std::string::npos);
    CHECK(a.info().name == "decode 8");
    CHECK(b.info().private_reason.empty());
    CHECK(a.info().group != b.info().group);
    CHECK(r.stats().private_count == 1);
}

TEST_CASE("where the driver breaks a guarantee, graphs do not share") {
    sim_world world;
    gdsim_set_refusal_is_partial(1);
    registry r(world.loaded());
    const shared_graph a = r.add(world.chain(three(1)));
    const shared_graph b = r.add(world.chain(three(2)));
    CHECK(r.stats().executable_count == 2);
    CHECK(b.info().private_reason.find("a refused update changes nothing") != std::string::npos);
    gdsim_log_clear();
    a.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(three(1)));
    b.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(three(2)));
}

TEST_CASE("explain names what keeps two members apart") {
    sim_world world;
    registry r(world.loaded(), {.may_vary = vary::grid});
    auto other = three(1);
    other[1].block = {64, 2, 1};
    const shared_graph a = r.add(world.chain(three(1)));
    const shared_graph b = r.add(world.chain(other));
    const shared_graph c = r.add(world.chain(three(9, 3)));
    const sharing_explanation apart = r.explain(a, b);
    CHECK_FALSE(apart.may_share);
    CHECK(apart.where == "node 1");
    CHECK(apart.field == "kernel: block");
    CHECK(apart.first_value == "(128, 1, 1)");
    CHECK(apart.second_value == "(64, 2, 1)");
    CHECK(apart.first_kernel == "second");
    CHECK(apart.shared_at == "kernel");
    const sharing_explanation together = r.explain(a, c);
    CHECK(together.may_share);
    CHECK(together.same_group);
    c.remove();
    CHECK_THROWS_AS(static_cast<void>(r.explain(a, c)), registry_closed);
}

TEST_CASE("case 1: a preferred cluster that the driver hides and the device honours is never shared") {
    for (const char* profile : {"driver580-h200", "driver580-b200", "clean"}) {
        sim_world world(profile);
        registry r(world.loaded());
        auto specs = three(1);
        specs[0].grid = {8, 1, 1};
        specs[0].cluster = {2, 1, 1};
        const shared_graph a = r.add(world.chain(specs));
        const shared_graph b = r.add(world.chain(specs));
        const bool hidden = std::string(profile) == "driver580-b200";
        CHECK_MESSAGE(r.stats().executable_count == (hidden ? 2 : 1), profile);
        CHECK_MESSAGE(b.info().private_reason.empty() == !hidden, profile);
    }
}
