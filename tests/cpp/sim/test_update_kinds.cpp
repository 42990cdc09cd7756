// Which updates are refused, with which reason, and that a refusal changes nothing.
#include "bench.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace sim_tests;

namespace {

using build_fn = std::function<CUgraphNode(CUgraph, CUgraphNode)>;  // adds a node after another

// A report kernel, then what `tail` adds.
CUgraph with_tail(const bench& b, std::uint64_t a, const build_fn& tail) {
    const CUgraph graph = b.graph();
    const CUgraphNode head = b.kernel(graph, {.slot = 0, .a = a});
    tail(graph, head);
    return graph;
}

CUgraphNode last_node(CUgraph graph) {
    CUgraphNode nodes[8] = {};
    std::size_t count = 8;
    REQUIRE(cu().cuGraphGetNodes(graph, nodes, &count) == CUDA_SUCCESS);
    return nodes[count - 1];
}

// Updates from one tail to the other. Returns the reason, after a look at what then runs.
CUgraphExecUpdateResult update_tail(const bench& b, const build_fn& from, const build_fn& to, cuuint64_t flags = 0) {
    const CUgraphExec exec = b.instantiate(with_tail(b, 1, from), flags);
    const CUgraph next = with_tail(b, 2, to);
    CUgraphExecUpdateResultInfo info{};
    const CUresult status = b.update(exec, next, &info);
    const bool accepted = info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS;
    CHECK(status == (accepted ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE));
    if (!accepted) CHECK(info.errorNode == last_node(next));
    b.launch(exec);
    CHECK(b.report(0)[11] == (accepted ? 2 : 1));
    return info.result;
}

build_fn kernel_tail(const bench& b, const kernel_spec& spec) {
    return [&b, spec](CUgraph graph, CUgraphNode after) { return b.kernel(graph, spec, after); };
}

build_fn copy_tail(const bench& b, CUmemorytype source_type, const void* source, std::size_t width, std::size_t height) {
    return [=, &b](CUgraph graph, CUgraphNode after) {
        CUDA_MEMCPY3D copy{};
        copy.srcMemoryType = source_type;
        copy.srcHost = source;
        copy.srcDevice = b.address(10);
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = b.address(20);
        copy.srcPitch = copy.dstPitch = 32;
        copy.WidthInBytes = width;
        copy.Height = height;
        copy.Depth = 1;
        CUgraphNode made = nullptr;
        REQUIRE(cu().cuGraphAddMemcpyNode(&made, graph, &after, 1, &copy, b.context) == CUDA_SUCCESS);
        return made;
    };
}

build_fn fill_tail(const bench& b, unsigned int value, std::size_t width, std::size_t height) {
    return [=, &b](CUgraph graph, CUgraphNode after) {
        CUDA_MEMSET_NODE_PARAMS fill{};
        fill.dst = b.address(30);
        fill.value = value;
        fill.elementSize = 1;
        fill.pitch = 64;
        fill.width = width;
        fill.height = height;
        CUgraphNode made = nullptr;
        REQUIRE(cu().cuGraphAddMemsetNode(&made, graph, &after, 1, &fill, b.context) == CUDA_SUCCESS);
        return made;
    };
}

build_fn any_tail(CUgraphNodeType type, const std::function<void(CUgraphNodeParams&)>& fill) {
    return [=](CUgraph graph, CUgraphNode after) {
        CUgraphNodeParams params{};
        params.type = type;
        fill(params);
        CUgraphNode made = nullptr;
        REQUIRE(cu().cuGraphAddNode(&made, graph, &after, nullptr, 1, &params) == CUDA_SUCCESS);
        return made;
    };
}

constexpr auto success = CU_GRAPH_EXEC_UPDATE_SUCCESS;
constexpr auto parameters_changed = CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
constexpr auto attributes_changed = CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
constexpr auto topology_changed = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
constexpr auto type_changed = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
constexpr auto function_changed = CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;

}  // namespace

TEST_CASE("kernels") {
    const bench b;
    CHECK(update_tail(b, kernel_tail(b, {.slot = 1}), kernel_tail(b, {.name = "gd_report_b", .slot = 1})) == success);
    CHECK(update_tail(b, kernel_tail(b, {.slot = 1}), kernel_tail(b, {.slot = 1, .cooperative = true})) == attributes_changed);
    CHECK(update_tail(b, kernel_tail(b, {.slot = 1, .cooperative = true}), kernel_tail(b, {.slot = 1})) == attributes_changed);
    const build_fn urgent = kernel_tail(b, {.slot = 1, .priority = -5});
    CHECK(update_tail(b, kernel_tail(b, {.slot = 1}), urgent) == success);
    CHECK(update_tail(b, kernel_tail(b, {.slot = 1}), urgent, 8) == attributes_changed);
    CHECK(update_tail(b, urgent, urgent, 8) == success);
    const build_fn nothing = [&b](CUgraph graph, CUgraphNode after) { return b.empty(graph, after); };
    CHECK(update_tail(b, kernel_tail(b, {.slot = 1}), nothing) == type_changed);
}

TEST_CASE("a function of another context, or one that launches from the device") {
    const bench b;
    const std::size_t offset = 0;
    const std::size_t size = 8;
    const auto made_tail = [&](std::uintptr_t function) {
        return build_fn([=, &b](CUgraph graph, CUgraphNode after) {
            CUdeviceptr address = b.address(4);
            void* arguments[] = {&address};
            CUDA_KERNEL_NODE_PARAMS_v2 params{};
            params.func = reinterpret_cast<CUfunction>(function);
            params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
            params.kernelParams = arguments;
            CUgraphNode node = nullptr;
            REQUIRE(cu().cuGraphAddKernelNode(&node, graph, &after, 1, &params) == CUDA_SUCCESS);
            return node;
        });
    };
    const int id = GDSIM_FUNCTION_LAUNCHES_FROM_DEVICE;
    const int yes = 1;
    const build_fn plain = made_tail(gdsim().function_create("k", &offset, &size, 1, nullptr, nullptr, 0, 0));
    const build_fn launching = made_tail(gdsim().function_create("k", &offset, &size, 1, &id, &yes, 1, 0));
    REQUIRE(cu().cuCtxPushCurrent(reinterpret_cast<CUcontext>(gdsim().context_create(0))) == CUDA_SUCCESS);
    const build_fn foreign = made_tail(gdsim().function_create("k", &offset, &size, 1, nullptr, nullptr, 0, 0));
    REQUIRE(cu().cuCtxPopCurrent(nullptr) == CUDA_SUCCESS);
    CHECK(update_tail(b, plain, launching) == function_changed);
    CHECK(update_tail(b, launching, plain) == success);
    CHECK(update_tail(b, plain, foreign) == function_changed);
}

TEST_CASE("copies") {
    const bench b;
    const char host[128] = "from the host";
    const build_fn device = copy_tail(b, CU_MEMORYTYPE_DEVICE, nullptr, 16, 1);
    CHECK(update_tail(b, device, copy_tail(b, CU_MEMORYTYPE_DEVICE, nullptr, 24, 1)) == success);
    CHECK(update_tail(b, device, copy_tail(b, CU_MEMORYTYPE_HOST, host, 16, 1)) == parameters_changed);
    CHECK(update_tail(b, device, copy_tail(b, CU_MEMORYTYPE_UNIFIED, nullptr, 16, 1)) == success);
    const build_fn rows = copy_tail(b, CU_MEMORYTYPE_DEVICE, nullptr, 16, 2);
    CHECK(update_tail(b, rows, rows) == success);
    CHECK(update_tail(b, rows, copy_tail(b, CU_MEMORYTYPE_DEVICE, nullptr, 24, 2)) == parameters_changed);
    CHECK(update_tail(b, device, rows) == parameters_changed);
}

TEST_CASE("fills") {
    const bench b;
    CHECK(update_tail(b, fill_tail(b, 1, 16, 1), fill_tail(b, 2, 24, 1)) == success);
    CHECK(update_tail(b, fill_tail(b, 1, 16, 2), fill_tail(b, 2, 16, 2)) == success);
    CHECK(update_tail(b, fill_tail(b, 1, 16, 2), fill_tail(b, 1, 24, 2)) == parameters_changed);
    CHECK(update_tail(b, fill_tail(b, 1, 16, 1), fill_tail(b, 1, 16, 2)) == parameters_changed);
}

TEST_CASE("semaphores and memory") {
    const bench b;
    const auto signals = [](unsigned int count) {
        return any_tail(CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, [=](CUgraphNodeParams& p) { p.extSemSignal.numExtSems = count; });
    };
    CHECK(update_tail(b, signals(2), signals(2)) == success);
    CHECK(update_tail(b, signals(2), signals(3)) == parameters_changed);
    const build_fn allocation = any_tail(CU_GRAPH_NODE_TYPE_MEM_ALLOC, [](CUgraphNodeParams& p) { p.alloc.bytesize = 64; });
    CHECK(update_tail(b, allocation, allocation) == success);
    // The source must not be an executable of its own.
    const CUgraphExec exec = b.instantiate(with_tail(b, 1, allocation));
    const CUgraph taken = with_tail(b, 2, allocation);
    CHECK(b.instantiate(taken) != nullptr);
    CUgraphExecUpdateResultInfo info{};
    CHECK(b.update(exec, taken, &info) == CUDA_ERROR_NOT_SUPPORTED);
}

TEST_CASE("another number of nodes") {
    const bench b;
    const CUgraphExec exec = b.instantiate(b.graph_of({{.a = 1}, {.slot = 1}}));
    CUgraphExecUpdateResultInfo info{};
    CHECK(b.update(exec, b.graph_of({{.a = 2}}), &info) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == topology_changed);
    CHECK(info.errorNode == nullptr);
    b.launch(exec);
    CHECK(b.report(0)[11] == 1);
}

TEST_CASE("edges in another order, or with other data") {
    const bench b;
    const auto join = [&](bool swapped, unsigned char port) {
        const CUgraph graph = b.graph();
        const CUgraphNode heads[] = {b.kernel(graph, {.slot = 0}), b.kernel(graph, {.slot = 1})};
        const CUgraphNode tail = b.kernel(graph, {.slot = 2});
        CUgraphEdgeData data{};
        data.from_port = port;
        for (const int i : {swapped ? 1 : 0, swapped ? 0 : 1}) {
            REQUIRE(cu().cuGraphAddDependencies(graph, &heads[i], &tail, &data, 1) == CUDA_SUCCESS);
        }
        return graph;
    };
    const CUgraphExec exec = b.instantiate(join(false, 0));
    CHECK(b.update(exec, join(false, 0)) == CUDA_SUCCESS);
    CHECK(b.update(exec, join(true, 0)) == CUDA_SUCCESS);  // the heads are alike: either may be paired with either
    const CUgraph other = join(false, 2);
    CUgraphExecUpdateResultInfo info{};
    CHECK(b.update(exec, other, &info) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == topology_changed);
    CHECK(info.errorNode == last_node(other));
    CHECK(info.errorFromNode != nullptr);
}

TEST_CASE("a refusal inside a child graph changes nothing either") {
    const bench b;
    const auto nested = [&](std::uint64_t a, bool cooperative) {
        return with_tail(b, a, [&b, a, cooperative](CUgraph graph, CUgraphNode after) {
            const CUgraph inner = b.graph_of({{.slot = 1, .a = a}, {.slot = 2, .a = a, .cooperative = cooperative}});
            CUgraphNode child = nullptr;
            REQUIRE(cu().cuGraphAddChildGraphNode(&child, graph, &after, 1, inner) == CUDA_SUCCESS);
            return child;
        });
    };
    const CUgraphExec exec = b.instantiate(nested(1, false));
    CHECK(b.update(exec, nested(2, true)) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    b.launch(exec);
    for (std::size_t slot = 0; slot < 3; ++slot) CHECK(b.report(slot)[11] == 1);
    gdsim().set_refusal_is_partial(1);
    CHECK(b.update(exec, nested(3, true)) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    b.launch(exec);
    CHECK(b.report(0)[11] == 3);
    CHECK(b.report(1)[11] == 3);
    CHECK(b.report(2)[11] == 1);
}
