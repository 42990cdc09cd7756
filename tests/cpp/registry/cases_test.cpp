// Faults that were reported of other programs which share or replay graphs: each test is of the kind of fault, not of one input.
#include "registry/state.hpp"
#include "support/sim_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

namespace {

using namespace graphdedup;
using graphdedup::tests::kernel_spec;
using graphdedup::tests::sim_world;

CUgraph new_graph(const sim_world& world) {
    CUgraph graph = nullptr;
    REQUIRE(world.api().cuGraphCreate(&graph, 0) == CUDA_SUCCESS);
    return graph;
}

void add_edge(const sim_world& world, CUgraph graph, CUgraphNode from, CUgraphNode to, unsigned char port, unsigned char type) {
    CUgraphEdgeData data{};
    data.from_port = port;
    data.type = type;
    REQUIRE(world.api().cuGraphAddDependencies(graph, &from, &to, &data, 1) == CUDA_SUCCESS);
}

void set_priority(const sim_world& world, CUgraphNode node, int priority) {
    CUlaunchAttributeValue value{};
    value.priority = priority;
    REQUIRE(world.api().cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value) == CUDA_SUCCESS);
}

std::vector<gdsim_record> records() {
    std::vector<gdsim_record> all(gdsim_log_count());
    for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(gdsim_log_get(i, &all[i]) == 0);
    return all;
}

// The values that the kernels of one replay were given, in the order in which they ran.
std::vector<std::uint64_t> values_of_replay(sim_world& world, const shared_graph& graph) {
    gdsim_log_clear();
    graph.replay(nullptr);
    std::vector<std::uint64_t> values;
    for (const auto& kernel : world.take_log()) values.push_back(kernel.value);
    return values;
}

// A node, `width` nodes that depend on it, and on from the last of these in a chain, up to `count` nodes.
std::vector<CUgraphNode> add_wide(sim_world& world, CUgraph graph, std::size_t width, std::size_t count, std::uint64_t value) {
    std::vector<CUgraphNode> nodes;
    for (std::size_t i = 0; i < count; ++i) {
        CUgraphNode const after = i == 0 ? nullptr : i <= width ? nodes[0] : nodes[i - 1];
        nodes.push_back(world.add_kernel(graph, {"kernel", value + i}, after));
    }
    return nodes;
}

}  // namespace

TEST_CASE("case 3: kernels of one name are told apart by their handles") {
    sim_world world;
    world.pass_gate();
    const std::size_t offset = 0;
    const std::size_t size = sizeof(std::uint64_t);
    const auto graph_of = [&](std::uintptr_t function) {
        CUgraph graph = new_graph(world);
        std::uint64_t value = 7;
        void* arguments[] = {&value};
        CUDA_KERNEL_NODE_PARAMS_v2 params{};
        params.func = reinterpret_cast<CUfunction>(function);
        params.gridDimX = params.gridDimY = params.gridDimZ = 1;
        params.blockDimX = params.blockDimY = params.blockDimZ = 1;
        params.kernelParams = arguments;
        CUgraphNode node = nullptr;
        REQUIRE(world.api().cuGraphAddKernelNode(&node, graph, nullptr, 0, &params) == CUDA_SUCCESS);
        return graph;
    };
    const std::uintptr_t functions[] = {gdsim_function_create("triton_", &offset, &size, 1, nullptr, nullptr, 0, 0),
                                        gdsim_function_create("triton_", &offset, &size, 1, nullptr, nullptr, 0, 0)};
    REQUIRE(functions[0] != functions[1]);
    for (const vary level : {vary::arguments, vary::grid, vary::kernel}) {
        registry r(world.loaded(), {.may_vary = level});
        const shared_graph graphs[] = {r.add(graph_of(functions[0])), r.add(graph_of(functions[1]))};
        CHECK(r.stats().executable_count == (level == vary::kernel ? 1 : 2));
        for (const std::size_t i : {0U, 1U, 0U, 1U}) {
            gdsim_log_clear();
            graphs[i].replay(nullptr);
            REQUIRE(records().size() == 1);
            CHECK(records()[0].function == functions[i]);
        }
    }
}

TEST_CASE("case 7: an equal topology built in another order is another graph, and no update is tried") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    // 1 -> 2 -> 4 and 1 -> 3 -> 4, where the second graph makes the node with 3 before the one with 2.
    const auto diamond = [&](std::uint64_t second, std::uint64_t third, bool swapped) {
        CUgraph graph = new_graph(world);
        CUgraphNode const top = world.add_kernel(graph, {"kernel", 1});
        CUgraphNode const a = world.add_kernel(graph, {"kernel", second}, top);
        CUgraphNode const b = world.add_kernel(graph, {"kernel", third}, top);
        CUgraphNode const bottom = world.add_kernel(graph, {"kernel", 4}, swapped ? b : a);
        add_edge(world, graph, swapped ? a : b, bottom, 0, 0);
        return graph;
    };
    const shared_graph first = r.add(diamond(2, 3, false));
    const shared_graph permuted = r.add(diamond(3, 2, true));
    CHECK(r.stats().executable_count == 2);
    CHECK(r.stats().refusal_count == 0);
    for (int round = 0; round < 2; ++round) {
        CHECK(values_of_replay(world, first) == std::vector<std::uint64_t>{1, 2, 3, 4});
        CHECK(values_of_replay(world, permuted) == std::vector<std::uint64_t>{1, 3, 2, 4});
    }
}

TEST_CASE("case 8: no scratch executables, and no address in a key") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    const auto before = world.counters();
    std::vector<shared_graph> graphs;
    std::vector<std::pair<CUdeviceptr, CUdeviceptr>> places;
    for (std::uint64_t i = 0; i < 12; ++i) {
        CUdeviceptr from = 0;
        CUdeviceptr to = 0;
        REQUIRE(world.api().cuMemAlloc(&from, 256) == CUDA_SUCCESS);
        REQUIRE(world.api().cuMemAlloc(&to, 256) == CUDA_SUCCESS);
        CUgraph graph = world.chain({{"kernel", 100 * i}});  // an argument that could be an address
        CUDA_MEMCPY3D copy{};
        copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = from;
        copy.dstDevice = to;
        copy.WidthInBytes = 16 + i;
        copy.Height = copy.Depth = 1;
        CUgraphNode node = nullptr;
        REQUIRE(world.api().cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, world.context()) == CUDA_SUCCESS);
        CUDA_HOST_NODE_PARAMS host{};
        host.fn = [](void*) {};
        host.userData = &places;
        REQUIRE(world.api().cuGraphAddHostNode(&node, graph, nullptr, 0, &host) == CUDA_SUCCESS);
        graphs.push_back(r.add(graph));
        places.emplace_back(from, to);
    }
    CHECK(world.counters().instantiation_count == before.instantiation_count + 1);
    CHECK(world.counters().peak_exec_bytes - before.peak_exec_bytes <= world.counters().live_exec_bytes);
    CHECK(r.stats().group_count == 1);
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        gdsim_log_clear();
        graphs[i].replay(nullptr);
        REQUIRE(records().size() == 3);
        CHECK(records()[1].source == places[i].first);
        CHECK(records()[1].destination == places[i].second);
        CHECK(records()[1].width == 16 + i);
    }
    CHECK(world.counters().instantiation_count == before.instantiation_count + 1);
}

TEST_CASE("case 9: nothing is cut off at 128 nodes or 16 dependents") {
    sim_world world;
    world.pass_gate();
    constexpr std::size_t count = 130;
    registry r(world.loaded());
    const auto build = [&](std::uint64_t value, int last_priority, bool swapped) {
        CUgraph graph = new_graph(world);
        const std::vector<CUgraphNode> nodes = add_wide(world, graph, 17, count - 1, value);
        // Node 129 waits for the 17 wide ones; two of these change places.
        CUgraphNode const last = world.add_kernel(graph, {"kernel", value + count - 1});
        for (std::size_t i = 1; i <= 17; ++i) {
            const std::size_t from = swapped && i >= 16 ? 33 - i : i;
            add_edge(world, graph, nodes[from], last, 0, 0);
        }
        set_priority(world, last, last_priority);
        return graph;
    };
    const shared_graph first = r.add(build(1000, 0, false));
    const shared_graph other_values = r.add(build(5000, 0, false));
    CHECK(r.stats().executable_count == 1);
    const shared_graph other_last = r.add(build(1000, -3, false));
    CHECK(r.stats().executable_count == 2);
    const shared_graph other_order = r.add(build(1000, 0, true));
    CHECK(r.stats().executable_count == 3);
    CHECK(r.stats().refusal_count == 0);
    CHECK(r.explain(first, other_last).where == "node 129");
    CHECK(r.explain(first, other_last).field == "kernel: priority");
    CHECK(r.explain(first, other_order).where == "node 129");
    for (const auto& [graph, value, priority] :
         {std::tuple(first, 1000U, 0), std::tuple(other_last, 1000U, -3), std::tuple(other_values, 5000U, 0)}) {
        const std::vector<std::uint64_t> values = values_of_replay(world, graph);
        REQUIRE(values.size() == count);
        for (std::size_t i = 0; i < count; ++i) CHECK(std::ranges::count(values, value + i) == 1);
        graph.replay(nullptr);
        CHECK(std::ranges::count_if(records(), [p = priority](const auto& k) { return k.priority == p; }) ==
              (priority == 0 ? count : 1));
    }
}

TEST_CASE("case 10: programmatic edges are read with their data, and count") {
    sim_world world;
    world.pass_gate();
    const auto build = [&](std::uint64_t value, unsigned char port, unsigned char type) {
        CUgraph graph = new_graph(world);
        CUgraphNode const first = world.add_kernel(graph, {"kernel", value});
        CUgraphNode const second = world.add_kernel(graph, {"kernel", value + 1});
        add_edge(world, graph, first, second, port, type);
        return graph;
    };
    CUgraph programmatic = build(1, 1, 1);
    // To read such edges without their data is an error of the driver's.
    std::size_t count = 1;
    CUgraphNode from = nullptr;
    CUgraphNode to = nullptr;
    REQUIRE(world.api().cuGraphGetEdges(programmatic, &from, &to, nullptr, &count) == CUDA_ERROR_LOSSY_QUERY);
    registry r(world.loaded());
    const shared_graph graphs[] = {r.add(programmatic), r.add(build(11, 1, 1)), r.add(build(21, 2, 1)), r.add(build(31, 0, 0))};
    CHECK(graphs[0].info().group == graphs[1].info().group);
    CHECK(r.stats().group_count == 3);
    CHECK(r.stats().refusal_count == 0);
    CHECK(r.explain(graphs[0], graphs[2]).field == "edge: ports");
    for (const std::uint64_t i : {0U, 1U, 2U, 3U, 0U}) {
        CHECK(values_of_replay(world, graphs[i]) == std::vector<std::uint64_t>{10 * i + 1, 10 * i + 2});
    }
}

TEST_CASE("case 11: priorities stay, by torch's flags and by a key that holds them") {
    for (const std::uint64_t flags : {std::uint64_t{9}, std::uint64_t{1}, std::uint64_t{0}}) {
        CAPTURE(flags);
        sim_world world;
        world.pass_gate();
        registry r(world.loaded(), flags == 9 ? registry_options{} : registry_options{.instantiate_flags = flags});
        const auto build = [&](std::uint64_t value, int priority) {
            CUgraph graph = new_graph(world);
            set_priority(world, world.add_kernel(graph, {"kernel", value}), priority);
            return graph;
        };
        const int priorities[] = {0, -5, 0, -5};
        std::vector<shared_graph> graphs;
        for (std::uint64_t i = 0; i < 4; ++i) graphs.push_back(r.add(build(i, priorities[i])));
        CHECK(r.stats().executable_count == 2);
        for (const auto& g : r.internal().groups) {
            for (const auto& e : g->executables) {
                CHECK(gdsim_exec_flags(reinterpret_cast<std::uintptr_t>(e->handle.get())) == flags);
            }
        }
        for (const std::size_t i : {0U, 1U, 2U, 3U, 1U, 0U}) {
            gdsim_log_clear();
            graphs[i].replay(nullptr);
            REQUIRE(records().size() == 1);
            CHECK(records()[0].priority == priorities[i]);
        }
    }
}

TEST_CASE("case 12: 2D and 3D copies share as far as the driver updates them, and run right in any case") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    struct shape {
        std::size_t height;
        std::size_t depth;
        std::size_t width_bytes;
    };
    const shape shapes[] = {{1, 1, 16}, {1, 1, 8}, {4, 1, 16}, {4, 1, 16}, {2, 1, 16}, {4, 2, 16}, {4, 2, 16}};
    std::vector<CUDA_MEMCPY3D> copies;
    std::vector<shared_graph> graphs;
    for (const shape& s : shapes) {
        CUDA_MEMCPY3D copy{};
        copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        REQUIRE(world.api().cuMemAlloc(&copy.srcDevice, 1024) == CUDA_SUCCESS);
        REQUIRE(world.api().cuMemAlloc(&copy.dstDevice, 1024) == CUDA_SUCCESS);
        copy.srcPitch = copy.dstPitch = 32;
        copy.srcHeight = copy.dstHeight = s.height;
        copy.WidthInBytes = s.width_bytes;
        copy.Height = s.height;
        copy.Depth = s.depth;
        CUgraph graph = new_graph(world);
        CUgraphNode node = nullptr;
        REQUIRE(world.api().cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, world.context()) == CUDA_SUCCESS);
        graphs.push_back(r.add(graph));
        copies.push_back(copy);
    }
    CHECK(graphs[0].info().group == graphs[1].info().group);
    // One each of the four shapes; what the driver refused beyond has an executable of its own.
    CHECK(r.stats().executable_count == 4 + r.stats().refusal_count);
    for (int round = 0; round < 2; ++round) {
        for (std::size_t i = 0; i < graphs.size(); ++i) {
            gdsim_log_clear();
            graphs[i].replay(nullptr);
            REQUIRE(records().size() == 1);
            const gdsim_record ran = records()[0];
            CHECK(ran.source == copies[i].srcDevice);
            CHECK(ran.destination == copies[i].dstDevice);
            CHECK(ran.width == copies[i].WidthInBytes);
            CHECK(ran.height == copies[i].Height);
            CHECK(ran.depth_count == copies[i].Depth);
        }
    }
    CHECK(r.stats().fallback_count == 0);
}

namespace {

// A capture of another stream, in the mode in which most calls of any thread spoil it.
class capture {
  public:
    explicit capture(const sim_world& world) : world_(world) {
        REQUIRE(world.api().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
        REQUIRE(world.api().cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    }
    ~capture() {
        CUstreamCaptureStatus status{};
        CHECK(world_.api().cuStreamIsCapturing(stream_, &status) == CUDA_SUCCESS);
        CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
        CUgraph captured = nullptr;
        CHECK(world_.api().cuStreamEndCapture(stream_, &captured) == CUDA_SUCCESS);
    }
    capture(const capture&) = delete;
    capture& operator=(const capture&) = delete;

  private:
    const sim_world& world_;
    CUstream stream_ = nullptr;
};

}  // namespace

TEST_CASE("case 16: whatever a registry does for the first time, it spoils no capture of its own thread") {
    sim_world world;  // whose driver has not been tried out: that loads a module
    const CUgraph plain[] = {world.chain({{"kernel", 1}}), world.chain({{"kernel", 2}})};
    const CUgraph clustered = world.chain({{.name = "kernel", .value = 3, .grid = {4, 1, 1}, .cluster = {2, 1, 1}}});
    CUstream own = nullptr;
    REQUIRE(world.api().cuStreamCreate(&own, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    for (const bool lazy : {false, true}) {
        CAPTURE(lazy);
        const capture running(world);
        registry r(world.loaded(), {.execs_per_group = 2, .lazy = lazy});
        const shared_graph graphs[] = {r.add(plain[0]), r.add(plain[1]), r.add(clustered)};
        CHECK(graphs[0].info().group == graphs[1].info().group);
        for (const shared_graph& graph : graphs) {
            gdsim_log_clear();
            graph.prepare(own);
            graph.replay(own);
            CHECK(gdsim_log_count() == 1);
        }
        graphs[1].remove();
        r.close();
    }
    CHECK(world.counters().misuse_count == 0);
}

TEST_CASE("case 19: the end of a registry during a capture leaves the capture alone") {
    sim_world world;
    world.pass_gate();
    auto r = std::make_unique<registry>(world.loaded());
    r->add(world.chain({{"kernel", 1}}));
    r->add(world.chain({{"kernel", 2}, {"kernel", 3}}));
    const std::uint64_t live = world.counters().live_exec_count;
    const capture running(world);
    r.reset();
    CHECK(world.counters().live_exec_count == live - 2);
}

TEST_CASE("case 23: a replay runs in its registry's context, whichever is current, and leaves the caller's") {
    gdsim_profile two{};
    REQUIRE(gdsim_profile_get("driver580-h200", &two) == 0);
    two.device_count = 2;
    sim_world world(two);
    world.pass_gate();
    CUcontext second = nullptr;
    REQUIRE(world.api().cuDevicePrimaryCtxRetain(&second, 1) == CUDA_SUCCESS);
    REQUIRE(world.api().cuCtxPushCurrent(second) == CUDA_SUCCESS);
    const CUgraph on_second[] = {world.chain({{"kernel of device 1", 5}}), world.chain({{"kernel of device 1", 6}})};
    CUcontext current = nullptr;
    REQUIRE(world.api().cuCtxPopCurrent(&current) == CUDA_SUCCESS);
    const CUgraph on_first[] = {world.chain({{"kernel", 1}}), world.chain({{"kernel", 2}})};

    registry r(world.loaded());
    const shared_graph graphs[] = {r.add(on_first[0]), r.add(on_first[1])};
    CHECK_THROWS_AS(r.add(on_second[0]), wrong_device);
    const auto check_replays = [&](CUcontext expected) {
        for (const std::uint64_t i : {0U, 1U, 0U}) {
            gdsim_log_clear();
            graphs[i].replay(nullptr);  // the default stream is that of the current context
            REQUIRE(records().size() == 1);
            CHECK(records()[0].device == 0);
            CHECK(world.take_log() == sim_world::expected({{"kernel", i + 1}}));
            graphs[1 - i].prepare(nullptr);
            CUcontext after = nullptr;
            REQUIRE(world.api().cuCtxGetCurrent(&after) == CUDA_SUCCESS);
            CHECK(after == expected);
        }
    };
    check_replays(world.context());
    REQUIRE(world.api().cuCtxPushCurrent(second) == CUDA_SUCCESS);
    check_replays(second);
    // Its own graphs are the business of a registry of its own.
    registry other(world.loaded());
    const shared_graph theirs = other.add(on_second[1]);
    REQUIRE(world.api().cuCtxPopCurrent(&current) == CUDA_SUCCESS);
    gdsim_log_clear();
    theirs.replay(nullptr);
    REQUIRE(records().size() == 1);
    CHECK(records()[0].device == 1);
    std::thread([&] { check_replays(nullptr); }).join();  // a thread without a context
    CHECK(world.counters().misuse_count == 0);
}
