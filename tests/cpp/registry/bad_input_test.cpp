// Bad input: a typed error that names operation and object, and nothing changes.
#include "support/sim_world.hpp"

#include <doctest/doctest.h>

#include <functional>

namespace {

using namespace graphdedup;
using graphdedup::tests::sim_world;

template <typename error_type>
void refuses(const std::function<void()>& call, const std::string& operation, const std::string& object) {
    try {
        call();
        FAIL("nothing was thrown");
    } catch (const error_type& e) {
        CHECK(e.operation() == operation);
        CHECK(e.object().find(object) == 0);
        CHECK(std::string(e.what()).find(operation) == 0);
    }
}

}  // namespace

TEST_CASE("graphs that cannot be registered") {
    sim_world world;
    registry r(world.loaded());
    const CUgraph good = world.chain({{}});
    r.add(good);
    const auto unchanged = [&] { return r.stats().graph_count == 1 && r.stats().executable_count == 1; };

    refuses<invalid_graph>([&] { r.add(good); }, "Registry.register", "graph 0x");  // twice
    CHECK(unchanged());
    refuses<invalid_graph>([&] { r.add(nullptr); }, "Registry.register", "graph 0x0");
    CHECK(unchanged());
    CUgraph stale = world.chain({{}});
    REQUIRE(world.api().cuGraphDestroy(stale) == CUDA_SUCCESS);
    refuses<invalid_graph>([&] { r.add(stale); }, "Registry.register", "graph 0x");
    CHECK(unchanged());

    // A graph of a second context.
    REQUIRE(world.api().cuCtxPushCurrent(reinterpret_cast<CUcontext>(gdsim_context_create(0))) == CUDA_SUCCESS);
    const CUgraph foreign = world.chain({{"foreign"}});
    CUcontext popped = nullptr;
    REQUIRE(world.api().cuCtxPopCurrent(&popped) == CUDA_SUCCESS);
    refuses<wrong_device>([&] { r.add(foreign); }, "Registry.register", "graph 0x");
    CHECK(unchanged());

    r.seal();
    refuses<registry_sealed>([&] { r.add(good); }, "Registry.register", "graph 0x");
    CHECK(unchanged());
    r.close();
    refuses<registry_closed>([&] { r.add(good); }, "Registry.register", "graph 0x");
}

TEST_CASE("options that no registry takes") {
    sim_world world;
    refuses<invalid_argument>([&] { registry(world.loaded(), {.execs_per_group = 0}); }, "Registry", "execs_per_group");
    refuses<invalid_argument>([&] { registry(world.loaded(), {.device = -2}); }, "Registry", "device");
    refuses<invalid_argument>([&] { registry(world.loaded(), {.instantiate_flags = 4}); }, "Registry", "instantiate_flags");
    refuses<invalid_argument>([&] { registry(world.loaded(), {.may_vary = static_cast<vary>(7)}); }, "Registry", "vary");
    refuses<invalid_argument>([] { registry(nullptr); }, "Registry", "driver");
}

TEST_CASE("a device that there is not") {
    sim_world world;
    registry r(world.loaded(), {.device = 5});
    try {
        r.add(world.chain({{}}));
        FAIL("nothing was thrown");
    } catch (const driver_error& e) {
        CHECK(e.call() == "cuDeviceGet");
        CHECK(e.status_name() == "CUDA_ERROR_INVALID_DEVICE");
        CHECK(e.operation() == "Registry.register");
    }
    CHECK(r.stats().graph_count == 0);
}

TEST_CASE("replays after the end") {
    sim_world world;
    registry r(world.loaded());
    const shared_graph a = r.add(world.chain({{}}));
    const shared_graph b = r.add(world.chain({{}}));
    a.remove();
    refuses<registry_closed>([&] { a.replay(nullptr); }, "SharedGraph.replay", "member 1");
    r.close();
    refuses<registry_closed>([&] { b.replay(nullptr); }, "SharedGraph.replay", "member 2");
    refuses<registry_closed>([&] { b.prepare(nullptr); }, "SharedGraph.prepare", "member 2");
    refuses<invalid_argument>([] { shared_graph().replay(nullptr); }, "SharedGraph.replay", "shared graph");
}

TEST_CASE("graphs of another registry cannot be explained") {
    sim_world world;
    registry r(world.loaded());
    registry other(world.loaded());
    const shared_graph a = r.add(world.chain({{}}));
    const shared_graph foreign = other.add(world.chain({{}, {}}));  // the same id, in its own registry
    REQUIRE(a.id() == foreign.id());
    refuses<registry_closed>([&] { static_cast<void>(r.explain(a, foreign)); }, "Registry.explain", "member 1");
    refuses<registry_closed>([&] { static_cast<void>(r.explain(foreign, a)); }, "Registry.explain", "member 1");
    refuses<registry_closed>([&] { static_cast<void>(r.explain(a, {})); }, "Registry.explain", "shared graph");
}

TEST_CASE("a driver that cannot be used") {
    refuses<driver_not_found>([] { static_cast<void>(driver::open("/nonexistent/libcuda.so.1")); }, "load CUDA driver",
                              "/nonexistent/libcuda.so.1");
    refuses<driver_not_found>([] { static_cast<void>(driver::open("libm.so.6")); }, "load CUDA driver", "libm.so.6");
}
