// Several executables a group, and none before it is needed.
#include "support/sim_world.hpp"

#include <doctest/doctest.h>

namespace {

using namespace graphdedup;
using graphdedup::tests::kernel_spec;
using graphdedup::tests::sim_world;

std::vector<kernel_spec> specs_of(std::uint64_t value) { return {{"kernel", value}, {"kernel", value + 1}}; }

}  // namespace

TEST_CASE("lazy: nothing is instantiated before the first replay") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded(), {.lazy = true});
    const shared_graph a = r.add(world.chain(specs_of(1)));
    const shared_graph b = r.add(world.chain(specs_of(5)));
    CHECK(r.stats().executable_count == 0);
    CHECK(r.stats().group_count == 1);
    CHECK_FALSE(a.loaded());
    b.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(specs_of(5)));
    CHECK(r.stats().executable_count == 1);
    CHECK(r.stats().first_load_count == 1);
    a.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(specs_of(1)));
    CHECK(r.stats().executable_count == 1);
    CHECK(r.stats().switch_count == 1);
}

TEST_CASE("a second executable is made when a replay would evict, and the least recently used is given up") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded(), {.execs_per_group = 2});
    std::vector<shared_graph> graphs;
    for (std::uint64_t i = 0; i < 3; ++i) graphs.push_back(r.add(world.chain(specs_of(10 * i))));
    CHECK(r.stats().executable_count == 1);
    graphs[2].replay(nullptr);  // loaded by its registration
    CHECK(r.stats().executable_count == 1);
    graphs[0].replay(nullptr);  // would evict 2
    CHECK(r.stats().executable_count == 2);
    CHECK(r.stats().first_load_count == 1);
    graphs[2].replay(nullptr);
    CHECK(r.stats().hit_count == 2);
    graphs[1].replay(nullptr);  // evicts 0
    CHECK(r.stats().executable_count == 2);
    CHECK_FALSE(graphs[0].loaded());
    CHECK(graphs[1].loaded());
    CHECK(graphs[2].loaded());
    CHECK(r.stats().switch_count == 1);
    gdsim_log_clear();
    for (std::size_t i : {0U, 1U, 2U, 1U, 0U}) {
        graphs[i].replay(nullptr);
        CHECK(world.take_log() == sim_world::expected(specs_of(10 * i)));
    }
}

TEST_CASE("an executable that holds nobody's graph is used before another is made") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded(), {.execs_per_group = 3});
    const shared_graph a = r.add(world.chain(specs_of(1)));
    const shared_graph b = r.add(world.chain(specs_of(5)));
    b.remove();  // its executable stays, for a
    a.replay(nullptr);
    CHECK(r.stats().executable_count == 1);
    CHECK(world.take_log() == sim_world::expected(specs_of(1)));
}

TEST_CASE("prepare moves update and upload ahead of the launch") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    const shared_graph a = r.add(world.chain(specs_of(1)));
    const shared_graph b = r.add(world.chain(specs_of(5)));
    b.replay(nullptr);
    a.prepare(nullptr);
    CHECK(a.loaded());
    CHECK(r.stats().replay_count == 1);
    CHECK(r.stats().prepare_count == 1);
    CHECK(world.take_log() == sim_world::expected(specs_of(5)));  // nothing ran for a yet
    const auto before = world.counters();
    a.replay(nullptr);
    const auto after = world.counters();
    CHECK(after.update_count == before.update_count);
    CHECK(after.launch_without_upload_count == before.launch_without_upload_count);
    CHECK(world.take_log() == sim_world::expected(specs_of(1)));
    // A wrong prediction costs nothing but time.
    b.prepare(nullptr);
    a.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(specs_of(1)));
}

TEST_CASE("a cycle longer than the pool keeps all but one executable") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded(), {.execs_per_group = 4});
    std::vector<shared_graph> graphs;
    for (std::uint64_t i = 0; i < 6; ++i) graphs.push_back(r.add(world.chain(specs_of(10 * i))));
    const auto cycle = [&] {
        for (std::uint64_t i = 0; i < graphs.size(); ++i) {
            graphs[i].replay(nullptr);
            CHECK(world.take_log() == sim_world::expected(specs_of(10 * i)));
        }
    };
    for (int warm = 0; warm < 4; ++warm) cycle();
    const std::uint64_t before = r.stats().switch_count;
    for (int n = 0; n < 10; ++n) cycle();
    CHECK(r.stats().switch_count - before == 24);  // least recently used would miss each time: 60
}

TEST_CASE("a memory budget bounds the executables of all groups, and gives each group its first") {
    sim_world world;
    world.pass_gate();
    const std::uint64_t node_bytes = 2662 + 32768 / 512;  // of the profile, in a graph as long as the one it is measured with
    registry r(world.loaded(), {.memory_budget_bytes = 6 * (node_bytes + 200)});
    std::vector<shared_graph> graphs;
    std::vector<std::vector<kernel_spec>> specs;
    for (std::uint64_t i = 0; i < 6; ++i) {
        std::vector<kernel_spec> spec = specs_of(10 * i);
        if (i >= 4) spec.push_back({"kernel", 10 * i + 2});  // another group
        graphs.push_back(r.add(world.chain(spec)));
        specs.push_back(spec);
    }
    gdsim_log_clear();
    CHECK(r.stats().bytes_per_node >= node_bytes);
    CHECK(r.stats().bytes_per_node < node_bytes + 200);
    CHECK(r.stats().executable_count == 2);
    for (int n = 0; n < 3; ++n) {
        for (std::size_t i = 0; i < graphs.size(); ++i) {
            graphs[i].replay(nullptr);
            CHECK(world.take_log() == sim_world::expected(specs[i]));
            CHECK(r.stats().executable_bytes <= 6 * (node_bytes + 200));
        }
    }
    CHECK(r.stats().group_count == 2);
    // 2 + 3 nodes for the first two, which leaves 1: not enough for a third.
    CHECK(r.stats().executable_count == 2);
}

TEST_CASE("the first executable of a new group takes the place of others' further ones") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded(), {.memory_budget_bytes = 5 * 2900});
    std::vector<shared_graph> graphs;
    for (std::uint64_t i = 0; i < 2; ++i) graphs.push_back(r.add(world.chain(specs_of(10 * i))));
    for (const shared_graph& g : graphs) g.replay(nullptr);
    CHECK(r.stats().executable_count == 2);
    const shared_graph other = r.add(world.chain({{"kernel", 1}, {"kernel", 2}, {"kernel", 3}}));
    CHECK(r.stats().executable_count == 2);
    CHECK(r.stats().executable_bytes <= 5 * 2900);
    gdsim_log_clear();
    for (std::uint64_t i = 0; i < 2; ++i) {
        graphs[i].replay(nullptr);
        CHECK(world.take_log() == sim_world::expected(specs_of(10 * i)));
    }
}

TEST_CASE("room under a memory budget moves from a group that rests to one that switches") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded(), {.memory_budget_bytes = 3 * 2 * 2900});  // three executables of two nodes
    std::vector<shared_graph> resting;
    for (std::uint64_t i = 0; i < 2; ++i) resting.push_back(r.add(world.chain(specs_of(10 * i))));
    for (const shared_graph& g : resting) g.replay(nullptr);
    std::vector<shared_graph> busy;  // of a group of its own, by another cluster shape
    const auto busy_specs = [](std::uint64_t value) {
        std::vector<kernel_spec> specs = specs_of(value);
        for (kernel_spec& k : specs) k.cluster = {2, 1, 1};
        return specs;
    };
    for (std::uint64_t i = 0; i < 2; ++i) busy.push_back(r.add(world.chain(busy_specs(100 + 10 * i))));
    CHECK(r.stats().group_count == 2);
    CHECK(r.stats().executable_count == 3);
    gdsim_log_clear();
    for (std::uint64_t n = 0; n < 40; ++n) {
        busy[n % 2].replay(nullptr);
        CHECK(world.take_log() == sim_world::expected(busy_specs(100 + 10 * (n % 2))));
        CHECK(r.stats().executable_count <= 3);
    }
    CHECK(busy[0].loaded());
    CHECK(busy[1].loaded());  // the second executable of the other group became theirs
    CHECK(r.stats().executable_count == 3);
    CHECK(r.stats().switch_count < 20);
    for (std::uint64_t i = 0; i < 2; ++i) {
        resting[i].replay(nullptr);
        CHECK(world.take_log() == sim_world::expected(specs_of(10 * i)));
    }
}
