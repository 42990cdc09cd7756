// Stream capture.
#include "bench.hpp"

#include <doctest/doctest.h>

#include <thread>

using namespace sim_tests;

namespace {

CUresult launch_kernel(const bench& b, std::vector<CUlaunchAttribute> attributes = {}, const char* name = "gd_count") {
    CUdeviceptr address = b.memory;
    std::uint64_t unused = 0;
    void* arguments[] = {&address, &unused, &unused};
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    config.hStream = b.stream;
    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned int>(attributes.size());
    return cu().cuLaunchKernelEx(&config, b.function(name), arguments, nullptr);
}

CUlaunchAttribute overlapping() {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    return attribute;
}

CUstreamCaptureStatus status_of(CUstream stream) {
    CUstreamCaptureStatus status{};
    REQUIRE(cu().cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS);
    return status;
}

}  // namespace

TEST_CASE("launches into a capturing stream become nodes and do not run") {
    const bench b;
    REQUIRE(cu().cuStreamBeginCapture(b.stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    CHECK(status_of(b.stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CHECK(cu().cuStreamBeginCapture(b.stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_ERROR_ILLEGAL_STATE);
    CUlaunchAttribute priority{};
    priority.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
    priority.value.priority = -3;
    CHECK(launch_kernel(b) == CUDA_SUCCESS);
    CHECK(launch_kernel(b, {overlapping(), priority}) == CUDA_SUCCESS);
    CHECK(launch_kernel(b) == CUDA_SUCCESS);
    CHECK(gdsim().log_count() == 0);
    CUgraph graph = nullptr;
    REQUIRE(cu().cuStreamEndCapture(b.stream, &graph) == CUDA_SUCCESS);
    CHECK(status_of(b.stream) == CU_STREAM_CAPTURE_STATUS_NONE);
    CHECK(b.word(b.memory) == 0);

    CUgraphNode from[4] = {};
    CUgraphNode to[4] = {};
    CUgraphEdgeData data[4] = {};
    std::size_t count = 4;
    REQUIRE(cu().cuGraphGetEdges(graph, from, to, data, &count) == CUDA_SUCCESS);
    REQUIRE(count == 2);
    CHECK(data[0].type == 1);
    CHECK(data[0].from_port == 1);
    CHECK(data[1].type == 0);
    CUlaunchAttributeValue value{};
    CHECK(cu().cuGraphKernelNodeGetAttribute(to[0], CU_LAUNCH_ATTRIBUTE_PRIORITY, &value) == CUDA_SUCCESS);
    CHECK(value.priority == -3);
    b.launch(b.instantiate(graph));
    CHECK(b.word(b.memory) == 3);
    CHECK(record(1).priority == -3);
    CHECK(cu().cuStreamEndCapture(b.stream, &graph) == CUDA_ERROR_ILLEGAL_STATE);
}

TEST_CASE("launches into an idle stream run at once") {
    const bench b;
    CHECK(launch_kernel(b) == CUDA_SUCCESS);
    CHECK(b.word(b.memory) == 1);
    CHECK(record(0).exec_id == 0);
    CHECK(std::string(record(0).function_name) == "gd_count");
}

TEST_CASE("a preferred cluster that was captured cannot be read and counts only where it is honoured") {
    for (const bool honoured : {false, true}) {
        const bench b(honoured ? "driver580-b200" : "driver580-h200");
        CUlaunchAttribute regular{};
        regular.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        regular.value.clusterDim = {2, 1, 1};
        CUlaunchAttribute preferred{};
        preferred.id = static_cast<CUlaunchAttributeID>(11);
        preferred.value.clusterDim = {4, 1, 1};
        REQUIRE(cu().cuStreamBeginCapture(b.stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
        REQUIRE(launch_kernel(b, {regular, preferred}, "gd_report_a") == CUDA_SUCCESS);
        CUgraph graph = nullptr;
        REQUIRE(cu().cuStreamEndCapture(b.stream, &graph) == CUDA_SUCCESS);
        CUgraphNode node = nullptr;
        std::size_t count = 1;
        REQUIRE(cu().cuGraphGetNodes(graph, &node, &count) == CUDA_SUCCESS);
        CUlaunchAttributeValue value{};
        CHECK(cu().cuGraphKernelNodeGetAttribute(node, preferred.id, &value) == CUDA_ERROR_INVALID_VALUE);
        const CUgraphExec exec = b.instantiate(graph);
        b.launch(exec);
        CHECK(b.report(0)[7] == (honoured ? 4 : 2));
        // Hidden, and sticky across updates.
        CHECK(b.update(exec, b.graph_of({{.a = 3, .cluster = {2, 1, 1}}})) == CUDA_SUCCESS);
        b.launch(exec);
        CHECK(b.report(0)[7] == (honoured ? 4 : 2));
        CHECK(b.report(0)[11] == 3);
    }
}

TEST_CASE("an unsafe call spoils a capture in global mode") {
    const bench b;
    REQUIRE(cu().cuStreamBeginCapture(b.stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    CUmodule module = nullptr;
    CHECK(cu().cuModuleLoadData(&module, module_text) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK(counters().live_module_count == 1);
    CHECK(status_of(b.stream) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CHECK(launch_kernel(b) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CUgraph graph = b.graph();
    CHECK(cu().cuStreamEndCapture(b.stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(graph == nullptr);
    CHECK(counters().live_graph_count == 1);
    CHECK(cu().cuModuleLoadData(&module, module_text) == CUDA_SUCCESS);
}

TEST_CASE("a relaxed thread spoils nothing") {
    const bench b;
    const CUgraphExec exec = b.instantiate(b.graph_of({{}}));
    REQUIRE(cu().cuStreamBeginCapture(b.stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    REQUIRE(cu().cuThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS);
    CHECK(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
    CHECK(cu().cuGraphExecDestroy(exec) == CUDA_SUCCESS);
    REQUIRE(cu().cuThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS);
    CHECK(mode == CU_STREAM_CAPTURE_MODE_RELAXED);
    CHECK(status_of(b.stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CUgraph graph = nullptr;
    CHECK(cu().cuStreamEndCapture(b.stream, &graph) == CUDA_SUCCESS);
}

TEST_CASE("the mode of a capture says whose calls spoil it") {
    const bench b;
    const CUgraphExec exec = b.instantiate(b.graph_of({{}}));
    const auto destroy_elsewhere = [exec] {
        CUresult status = CUDA_SUCCESS;
        std::thread([&] { status = cu().cuGraphExecDestroy(exec); }).join();
        return status;
    };
    CUgraph graph = nullptr;
    REQUIRE(cu().cuStreamBeginCapture(b.stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    CHECK(destroy_elsewhere() == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK(counters().live_exec_count == 1);
    CHECK(cu().cuStreamEndCapture(b.stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

    REQUIRE(cu().cuStreamBeginCapture(b.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS);
    CHECK(destroy_elsewhere() == CUDA_SUCCESS);
    CUdeviceptr memory = 0;
    CHECK(cu().cuMemAlloc(&memory, 8) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK(cu().cuStreamEndCapture(b.stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

    REQUIRE(cu().cuStreamBeginCapture(b.stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
    CHECK(cu().cuMemAlloc(&memory, 8) == CUDA_SUCCESS);
    CHECK(cu().cuStreamEndCapture(b.stream, &graph) == CUDA_SUCCESS);
}

TEST_CASE("which calls are unsafe can be chosen") {
    const bench b;
    REQUIRE(gdsim().forbid_during_capture("cuMemAlloc", 0) == 0);
    REQUIRE(gdsim().forbid_during_capture("cuGraphClone", 1) == 0);
    CHECK(gdsim().forbid_during_capture("cuNothing", 1) == -1);
    REQUIRE(cu().cuStreamBeginCapture(b.stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    CUdeviceptr memory = 0;
    CHECK(cu().cuMemAlloc(&memory, 8) == CUDA_SUCCESS);
    CHECK(status_of(b.stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CUgraph copy = nullptr;
    CHECK(cu().cuGraphClone(&copy, b.graph()) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK(status_of(b.stream) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
}

TEST_CASE("a capture belongs to its stream and its thread") {
    const bench b;
    CHECK(cu().cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    REQUIRE(cu().cuStreamBeginCapture(b.stream, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    std::thread([&] {
        CUgraph graph = nullptr;
        CHECK(cu().cuStreamEndCapture(b.stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    }).join();
    CHECK(cu().cuStreamSynchronize(b.stream) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK(status_of(b.stream) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CHECK(cu().cuStreamDestroy(b.stream) == CUDA_SUCCESS);
    CHECK(counters().live_graph_count == 0);
    CUstream blocking = nullptr;
    REQUIRE(cu().cuStreamCreate(&blocking, CU_STREAM_DEFAULT) == CUDA_SUCCESS);
    REQUIRE(cu().cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    CUstreamCaptureStatus status{};
    CHECK(cu().cuStreamIsCapturing(nullptr, &status) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
}
