// What launches do to memory, and what the log says of them.
#include "bench.hpp"

#include <doctest/doctest.h>

#include <cstring>

using namespace sim_tests;

namespace {

std::uint64_t hash_of(const std::string& name) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash;
}

void append(void* text) { static_cast<std::string*>(text)->push_back('h'); }

}  // namespace

TEST_CASE("a report kernel says how it was launched") {
    const bench b;
    const CUgraph graph = b.graph_of({{.slot = 1, .a = 11, .b = 12, .grid = 8, .block = 64, .shared_memory_bytes = 512},
                                      {.name = "gd_report_c2", .slot = 2},
                                      {.name = "gd_report_c2", .slot = 3, .cluster = {1, 2, 4}}});
    b.launch(b.instantiate(graph));
    const std::vector<std::uint64_t> expected{hash_of("gd_report_a"), 8, 1, 1, 64, 1, 1, 1, 1, 1, 512, 11, 12, 0, 0, 0};
    CHECK(b.report(1) == expected);
    CHECK(b.report(2)[7] == 2);
    CHECK(b.report(3)[7] == 1);
    CHECK(b.report(3)[8] == 2);
    CHECK(b.report(3)[9] == 4);
}

TEST_CASE("the log has one record a node, in order") {
    const bench b;
    const CUgraph inner = b.graph_of({{.slot = 5, .a = 55}, {.slot = 6, .a = 66, .cluster = {2, 1, 1}}});
    const CUgraph graph = b.graph();
    const CUgraphNode first = b.kernel(graph, {.slot = 1, .a = 9, .priority = -1});
    CUgraphNode child = nullptr;
    REQUIRE(cu().cuGraphAddChildGraphNode(&child, graph, &first, 1, inner) == CUDA_SUCCESS);
    const CUgraphNode fill = b.fill(graph, b.address(7), 0xabcd, 6, child);
    b.empty(graph, fill);
    const CUgraphExec exec = b.instantiate(graph);
    b.launch(exec);
    b.launch(exec);
    REQUIRE(gdsim().log_count() == 10);
    CHECK(record(0).priority == -1);
    CHECK(record(0).exec_id == gdsim().exec_id(value_of(exec)));
    CHECK(record(0).stream == value_of(b.stream));
    CHECK(record(0).function == value_of(b.function("gd_report_a")));
    CHECK(record(0).cluster[0] == 0);
    CHECK(record(1).depth == 1);
    CHECK(record(2).node_index == 1);
    CHECK(record(2).cluster[0] == 2);
    std::uint64_t arguments[3] = {};
    CHECK(gdsim().log_arguments(2, arguments, sizeof arguments) == 24);
    CHECK(arguments[1] == 66);
    CHECK(std::memcmp(record(2).arguments, arguments, sizeof arguments) == 0);
    CHECK(record(3).node_kind == CU_GRAPH_NODE_TYPE_MEMSET);
    CHECK(record(3).destination == b.address(7));
    CHECK(record(3).value == 0xabcd);
    CHECK(record(3).width == 6);
    CHECK(record(4).node_kind == CU_GRAPH_NODE_TYPE_EMPTY);
    CHECK(record(4).launch_index == 0);
    CHECK(record(5).launch_index == 1);
    CHECK(counters().launch_count == 2);
    gdsim().log_clear();
    gdsim().set_log_enabled(0);
    b.launch(exec);
    CHECK(gdsim().log_count() == 0);
    gdsim_record none{};
    CHECK(gdsim().log_get(0, &none) == -1);
}

TEST_CASE("nodes run in an order that the edges allow") {
    const bench b;
    const CUgraph graph = b.graph();
    const CUgraphNode late = b.kernel(graph, {.slot = 1, .a = 2});
    const CUgraphNode early = b.kernel(graph, {.slot = 1, .a = 1});
    REQUIRE(cu().cuGraphAddDependencies(graph, &early, &late, nullptr, 1) == CUDA_SUCCESS);
    b.launch(b.instantiate(graph));
    CHECK(record(0).node_index == 1);
    CHECK(b.report(1)[11] == 2);
}

TEST_CASE("copies, fills, host functions and arithmetic take effect") {
    const bench b;
    const CUgraph graph = b.graph();
    const float in[4] = {1, 2, 3, 4};
    float out[4] = {};
    const CUdeviceptr from = b.address(0);
    const CUdeviceptr to = b.address(1);
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = in;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = from;
    copy.WidthInBytes = sizeof in;
    copy.Height = copy.Depth = 1;
    CUgraphNode last = nullptr;
    REQUIRE(cu().cuGraphAddMemcpyNode(&last, graph, nullptr, 0, &copy, b.context) == CUDA_SUCCESS);
    std::uint64_t count = 4;
    float a = 10;
    float offset = 0.5F;
    CUdeviceptr addresses[2] = {to, from};
    void* arguments[] = {&addresses[0], &addresses[1], &count, &a, &offset};
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    params.func = b.function("gd_axpb");
    params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = arguments;
    REQUIRE(cu().cuGraphAddKernelNode(&last, graph, &last, 1, &params) == CUDA_SUCCESS);
    copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.srcDevice = to;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = out;
    copy.WidthInBytes = sizeof out;
    copy.Height = copy.Depth = 1;
    REQUIRE(cu().cuGraphAddMemcpyNode(&last, graph, &last, 1, &copy, b.context) == CUDA_SUCCESS);
    std::string text;
    CUDA_HOST_NODE_PARAMS host{append, &text};
    REQUIRE(cu().cuGraphAddHostNode(&last, graph, &last, 1, &host) == CUDA_SUCCESS);
    b.fill(graph, to, 7, 1, last);
    b.launch(b.instantiate(graph));
    CHECK(out[0] == 10.5F);
    CHECK(out[3] == 40.5F);
    CHECK(text == "h");
    CHECK(static_cast<std::uint32_t>(b.word(to)) == 7);
}

TEST_CASE("a copy of rows honours pitches and offsets") {
    const bench b;
    const CUgraph graph = b.graph();
    unsigned char source[64];
    for (unsigned int i = 0; i < sizeof source; ++i) source[i] = static_cast<unsigned char>(i);
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = source;
    copy.srcPitch = 16;
    copy.srcXInBytes = 3;
    copy.srcY = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = b.memory;
    copy.dstPitch = 8;
    copy.WidthInBytes = 2;
    copy.Height = 3;
    copy.Depth = 1;
    CUgraphNode node = nullptr;
    REQUIRE(cu().cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, b.context) == CUDA_SUCCESS);
    b.launch(b.instantiate(graph));
    CHECK(b.word(b.memory) == 0x1413);
    CHECK(b.word(b.memory + 8) == 0x2423);
    CHECK(b.word(b.memory + 16) == 0x3433);
    CHECK(record(0).height == 3);
}

TEST_CASE("work on freed memory is a fault that sticks") {
    const bench b;
    CUdeviceptr memory = 0;
    REQUIRE(cu().cuMemAlloc(&memory, 64) == CUDA_SUCCESS);
    const CUgraph graph = b.graph();
    b.fill(graph, memory, 1, 16);
    const CUgraphExec exec = b.instantiate(graph);
    b.launch(exec);
    REQUIRE(cu().cuMemFree(memory) == CUDA_SUCCESS);
    gdsim().set_address_checks(0);
    b.launch(exec);
    CHECK(counters().misuse_count == 0);
    gdsim().set_address_checks(1);
    CHECK(cu().cuGraphLaunch(exec, b.stream) == CUDA_SUCCESS);
    CHECK(cu().cuStreamSynchronize(b.stream) == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(cu().cuGraphLaunch(exec, b.stream) == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(last_misuse() == "a fill touches device memory that is not allocated");
}

TEST_CASE("a launch of an unloaded function is refused and noted") {
    const bench b;
    const CUgraphExec exec = b.instantiate(b.graph_of({{}}));
    REQUIRE(cu().cuModuleUnload(b.module) == CUDA_SUCCESS);
    CHECK(cu().cuGraphLaunch(exec, b.stream) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(last_misuse() == "cuGraphLaunch: function gd_report_a was unloaded");
    CHECK(gdsim().log_count() == 0);
}

TEST_CASE("held launches run later, as they were when launched") {
    const bench b;
    const CUgraph graph = b.graph_of({{.slot = 1, .a = 1}});
    const CUgraphExec exec = b.instantiate(graph);
    gdsim().set_launches_held(1);
    REQUIRE(cu().cuGraphLaunch(exec, b.stream) == CUDA_SUCCESS);
    REQUIRE(b.update(exec, b.graph_of({{.slot = 2, .a = 2}})) == CUDA_SUCCESS);
    REQUIRE(cu().cuGraphLaunch(exec, b.stream) == CUDA_SUCCESS);
    REQUIRE(cu().cuGraphExecDestroy(exec) == CUDA_SUCCESS);
    CHECK(gdsim().held_launch_count() == 2);
    CHECK(gdsim().log_count() == 2);
    CHECK(b.report(1)[11] == 1);  // reading waits for the device
    CHECK(b.report(2)[11] == 2);
    CHECK(gdsim().held_launch_count() == 0);
    CHECK(counters().misuse_count == 0);
}

TEST_CASE("the default streams can be launched on") {
    const bench b;
    const CUgraphExec exec = b.instantiate(b.graph_of({{}}));
    for (std::uintptr_t stream = 0; stream <= 2; ++stream) {
        CHECK(cu().cuGraphLaunch(exec, reinterpret_cast<CUstream>(stream)) == CUDA_SUCCESS);
        CHECK(record(stream).stream == stream);
    }
    CHECK(cu().cuGraphLaunch(exec, reinterpret_cast<CUstream>(std::uintptr_t{3})) == CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(cu().cuStreamDestroy(b.stream) == CUDA_SUCCESS);
    CHECK(cu().cuGraphLaunch(exec, b.stream) == CUDA_ERROR_INVALID_HANDLE);
}
