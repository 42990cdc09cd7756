// The driver says no, or fails.
#include "support/sim_world.hpp"

#include <graphdedup/log.hpp>

#include <doctest/doctest.h>

namespace {

using namespace graphdedup;
using graphdedup::tests::kernel_spec;
using graphdedup::tests::sim_world;

std::vector<kernel_spec> specs_of(std::uint64_t value) { return {{"kernel", value}, {"kernel", value + 1}}; }

constexpr int parameters_changed = 5;

class log_lines {
  public:
    log_lines() {
        set_log_sink([this](log_level level, const std::string& text) {
            if (level == log_level::warning) lines_.push_back(text);
        });
    }
    ~log_lines() { set_log_sink({}); }
    [[nodiscard]] const std::vector<std::string>& get() const { return lines_; }

  private:
    std::vector<std::string> lines_;
};

}  // namespace

TEST_CASE("case 6: an update refused at replay is served by an executable of the member's own, counted, logged once") {
    sim_world world;
    world.pass_gate();
    const log_lines log;
    registry r(world.loaded());
    const shared_graph a = r.add(world.chain(specs_of(1)), {.name = "bucket 1"});
    const shared_graph b = r.add(world.chain(specs_of(5)));
    gdsim_log_clear();
    gdsim_refuse_every_nth_update(1, parameters_changed);
    a.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(specs_of(1)));
    CHECK(r.stats().fallback_count == 1);
    CHECK(r.stats().refusal_count == 1);
    CHECK(r.stats().executable_count == 2);
    CHECK(b.loaded());  // the refusal changed nothing
    for (int i = 0; i < 3; ++i) {
        b.replay(nullptr);
        CHECK(world.take_log() == sim_world::expected(specs_of(5)));
        a.replay(nullptr);
        CHECK(world.take_log() == sim_world::expected(specs_of(1)));
    }
    CHECK(r.stats().refusal_count == 1);  // case 5: one attempt
    CHECK(r.stats().hit_count == 6);
    REQUIRE(log.get().size() == 1);
    CHECK(log.get()[0].find("bucket 1") != std::string::npos);
    CHECK(log.get()[0].find("CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE") != std::string::npos);
}

TEST_CASE("case 5: endless refusals end in one executable a graph") {
    sim_world world;
    world.pass_gate();
    gdsim_refuse_every_nth_update(1, parameters_changed);
    registry r(world.loaded());
    std::vector<shared_graph> graphs;
    for (std::uint64_t i = 0; i < 10; ++i) graphs.push_back(r.add(world.chain(specs_of(10 * i))));
    CHECK(r.stats().executable_count == 10);
    const std::uint64_t refusals = r.stats().refusal_count;
    gdsim_log_clear();
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        graphs[i].replay(nullptr);
        CHECK(world.take_log() == sim_world::expected(specs_of(10 * i)));
    }
    CHECK(r.stats().refusal_count == refusals);
    CHECK(r.stats().hit_count == 10);
}

TEST_CASE("case 4: a failure that is no refusal is not read as one") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    const shared_graph a = r.add(world.chain(specs_of(1)));
    // The call fails and leaves its result unwritten: nobody knows what the executable holds now.
    gdsim_fail_call("cuGraphExecUpdate", 1, 1, CUDA_ERROR_UNKNOWN);
    const shared_graph b = r.add(world.chain(specs_of(5)));
    CHECK_FALSE(a.loaded());
    CHECK(b.loaded());
    gdsim_log_clear();
    a.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(specs_of(1)));
    CHECK(r.stats().switch_count == 1);  // it was updated anew rather than trusted
    b.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(specs_of(5)));
}

TEST_CASE("case 14, case 24: an instantiation that fails is a typed error; nothing leaks, other graphs are unharmed") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    const shared_graph a = r.add(world.chain(specs_of(1)));
    const auto before = world.counters();
    auto source = std::make_shared<int>(1);
    gdsim_fail_call("cuGraphInstantiateWithParams", 1, 1, CUDA_ERROR_NOT_SUPPORTED);
    try {
        r.add(world.chain({{"kernel", 9}}), {.keep_alive = source});
        FAIL("nothing was thrown");
    } catch (const driver_error& e) {
        CHECK(e.call() == "cuGraphInstantiateWithParams");
        CHECK(e.status() == CUDA_ERROR_NOT_SUPPORTED);
        CHECK(e.status_name() == "CUDA_ERROR_NOT_SUPPORTED");
    }
    CHECK(source.use_count() == 1);
    CHECK(world.counters().live_exec_count == before.live_exec_count);
    CHECK(r.stats().graph_count == 1);
    gdsim_log_clear();
    a.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(specs_of(1)));
}

TEST_CASE("out of memory drops idle executables and tries once more") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    const shared_graph a = r.add(world.chain(specs_of(1)));
    // Room for one executable of this size, not for two.
    const std::uint64_t one = world.counters().live_exec_bytes;
    gdsim_set_memory_limit(world.counters().live_allocation_bytes + one + one / 2);
    const shared_graph b = r.add(world.chain({{"kernel", 9}}));
    CHECK(b.loaded());
    CHECK_FALSE(a.loaded());
    CHECK(r.stats().executable_count == 1);
    gdsim_log_clear();
    a.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(specs_of(1)));
    b.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected({{"kernel", 9}}));
    // No room at all: a typed error, and the state is as before.
    gdsim_set_memory_limit(world.counters().live_allocation_bytes + 1);
    CHECK_THROWS_AS(r.add(world.chain({{"kernel", 9}, {"kernel", 9}, {"kernel", 9}})), out_of_memory);
    CHECK(r.stats().graph_count == 2);
    gdsim_set_memory_limit(std::uint64_t{1} << 30);
    a.replay(nullptr);
    b.replay(nullptr);
    CHECK(world.take_log().size() == 3);
}

TEST_CASE("an executable that cannot be made again is not dropped to make room") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    CUgraph updatable = nullptr;
    REQUIRE(world.api().cuGraphCreate(&updatable, 0) == CUDA_SUCCESS);
    const CUgraphNode node = world.add_kernel(updatable, {"kernel", 1});
    CUlaunchAttributeValue on{};
    on.deviceUpdatableKernelNode.deviceUpdatable = 1;
    REQUIRE(world.api().cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &on) ==
            CUDA_SUCCESS);
    const shared_graph a = r.add(updatable);
    const shared_graph b = r.add(world.chain(specs_of(5)));
    CHECK_FALSE(a.info().private_reason.empty());
    gdsim_fail_call("cuGraphLaunch", 1, 1, CUDA_ERROR_OUT_OF_MEMORY);
    gdsim_log_clear();
    b.replay(nullptr);  // after its own executable was dropped and made again
    CHECK(world.take_log() == sim_world::expected(specs_of(5)));
    CHECK(a.loaded());
    a.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected({{"kernel", 1}}));
    CHECK(r.stats().executable_count == 2);
}

TEST_CASE("a pool that finds no memory for another executable serves with those that it has") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded(), {.execs_per_group = 4});
    const shared_graph a = r.add(world.chain(specs_of(1)));
    const shared_graph b = r.add(world.chain(specs_of(5)));
    gdsim_fail_call("cuGraphInstantiateWithParams", 1, 0, CUDA_ERROR_OUT_OF_MEMORY);
    gdsim_log_clear();
    a.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(specs_of(1)));
    b.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(specs_of(5)));
    CHECK(r.stats().executable_count == 1);
    CHECK(r.stats().switch_count == 2);
}

TEST_CASE("a launch that fails is a typed error, and the next one is served") {
    sim_world world;
    registry r(world.loaded());
    const shared_graph a = r.add(world.chain(specs_of(1)));
    gdsim_fail_call("cuGraphLaunch", 1, 1, CUDA_ERROR_LAUNCH_FAILED);
    try {
        a.replay(nullptr);
        FAIL("nothing was thrown");
    } catch (const driver_error& e) {
        CHECK(e.call() == "cuGraphLaunch");
        CHECK(e.operation() == "SharedGraph.replay");
    }
    CHECK(r.stats().replay_count == 0);  // what was not launched was no replay
    gdsim_log_clear();
    a.replay(nullptr);
    CHECK(world.take_log() == sim_world::expected(specs_of(1)));
}

TEST_CASE("a failure of any call that registration makes leaves the state of before") {
    for (const char* call : {"cuInit", "cuGraphGetNodes", "cuGraphGetEdges", "cuGraphNodeGetDependencies", "cuGraphNodeGetType",
                             "cuGraphKernelNodeGetParams", "cuGraphKernelNodeGetAttribute", "cuGraphInstantiateWithParams"}) {
        CAPTURE(call);
        sim_world world;
        registry r(world.loaded());
        const CUgraph graph = world.chain(specs_of(1));
        auto source = std::make_shared<int>(1);
        gdsim_fail_call(call, 1, 1, CUDA_ERROR_UNKNOWN);
        CHECK_THROWS_AS(r.add(graph, {.keep_alive = source}), driver_error);
        CHECK(source.use_count() == 1);
        CHECK(r.stats().graph_count == 0);
        CHECK(r.stats().executable_count == 0);
        CHECK(world.counters().live_exec_count == 0);
        const shared_graph a = r.add(graph);
        gdsim_log_clear();
        a.replay(nullptr);
        CHECK(world.take_log() == sim_world::expected(specs_of(1)));
    }
}
