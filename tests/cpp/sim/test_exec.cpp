// Executables: memory, flags, lifetime.
#include "bench.hpp"

#include <doctest/doctest.h>

using namespace sim_tests;

TEST_CASE("an executable takes memory by its nodes and gives it back") {
    const bench b;
    std::size_t before = 0;
    std::size_t total = 0;
    REQUIRE(cu().cuMemGetInfo(&before, &total) == CUDA_SUCCESS);
    const CUgraph graph = b.graph_of(std::vector<kernel_spec>(540));
    const CUgraphExec exec = b.instantiate(graph);
    std::size_t after = 0;
    REQUIRE(cu().cuMemGetInfo(&after, &total) == CUDA_SUCCESS);
    const std::uint64_t size_bytes = gdsim().exec_size_bytes(value_of(exec));
    CHECK(before - after == size_bytes);
    CHECK(size_bytes > 1400000);
    CHECK(size_bytes < 1500000);
    CHECK(cu().cuGraphExecDestroy(exec) == CUDA_SUCCESS);
    REQUIRE(cu().cuMemGetInfo(&after, &total) == CUDA_SUCCESS);
    CHECK(before == after);
    CHECK(counters().peak_exec_bytes == size_bytes);
    CHECK(counters().instantiation_count == 1);
}

TEST_CASE("memory of executables may be kept for the next ones") {
    const bench b;
    gdsim_profile profile{};
    REQUIRE(gdsim().get_profile(&profile) == 0);
    profile.keeps_exec_memory = 1;
    REQUIRE(gdsim().set_profile(&profile) == 0);
    const CUgraphExec exec = b.instantiate(b.graph_of({{}, {}}));
    std::size_t held = 0;
    std::size_t total = 0;
    REQUIRE(cu().cuMemGetInfo(&held, &total) == CUDA_SUCCESS);
    CHECK(cu().cuGraphExecDestroy(exec) == CUDA_SUCCESS);
    std::size_t after = 0;
    REQUIRE(cu().cuMemGetInfo(&after, &total) == CUDA_SUCCESS);
    CHECK(after == held);
    CHECK(counters().live_exec_bytes == 0);
    CHECK(gdsim().set_memory_limit(total - held) == 0);  // not a byte free but what was kept
    CHECK(b.instantiate(b.graph_of({{}, {}})) != nullptr);
}

TEST_CASE("without memory nothing is instantiated and nothing is left behind") {
    const bench b;
    const CUgraph graph = b.graph_of({{}, {}});
    const gdsim_counters before = counters();
    CHECK(gdsim().set_memory_limit(before.live_allocation_bytes + 1000) == 0);
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    CUgraphExec exec = nullptr;
    CHECK(cu().cuGraphInstantiateWithParams(&exec, graph, &params) == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(exec == nullptr);
    CHECK(params.result_out == CUDA_GRAPH_INSTANTIATE_ERROR);
    const gdsim_counters after = counters();
    CHECK(after.live_exec_count == 0);
    CHECK(after.live_exec_bytes == 0);
    CHECK(after.instantiation_count == 0);
    CHECK(gdsim().set_memory_limit(before.live_allocation_bytes + 1000000) == 0);
    CHECK(cu().cuGraphInstantiateWithParams(&exec, graph, &params) == CUDA_SUCCESS);
}

TEST_CASE("flags are kept, unknown ones refused") {
    const bench b;
    const CUgraph graph = b.graph_of({{}});
    const CUgraphExec exec = b.instantiate(graph, 8 | 1);
    cuuint64_t flags = 0;
    CHECK(cu().cuGraphExecGetFlags(exec, &flags) == CUDA_SUCCESS);
    CHECK(flags == 9);
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    params.flags = 16;
    CUgraphExec none = nullptr;
    CHECK(cu().cuGraphInstantiateWithParams(&none, graph, &params) == CUDA_ERROR_INVALID_VALUE);
    CHECK(none == nullptr);
}

TEST_CASE("a device launch takes kernels, copies and fills only") {
    const bench b;
    const CUgraph graph = b.graph();
    CUDA_HOST_NODE_PARAMS host{};
    host.fn = [](void*) {};
    CUgraphNode node = nullptr;
    REQUIRE(cu().cuGraphAddHostNode(&node, graph, nullptr, 0, &host) == CUDA_SUCCESS);
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    params.flags = 4;
    CUgraphExec exec = nullptr;
    CHECK(cu().cuGraphInstantiateWithParams(&exec, graph, &params) == CUDA_ERROR_NOT_SUPPORTED);
    CHECK(params.result_out == CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED);
    CHECK(params.hErrNode_out == node);
}

TEST_CASE("uploads are told from launches that had to upload") {
    const bench b;
    const CUgraph graph = b.graph_of({{}});
    const CUgraphExec exec = b.instantiate(graph);
    b.launch(exec);
    CHECK(record(0).after_upload == 0);
    b.launch(exec);
    CHECK(record(1).after_upload == 1);
    REQUIRE(b.update(exec, graph) == CUDA_SUCCESS);
    b.launch(exec);
    REQUIRE(b.update(exec, graph) == CUDA_SUCCESS);
    REQUIRE(cu().cuGraphUpload(exec, b.stream) == CUDA_SUCCESS);
    b.launch(exec);
    CHECK(record(2).after_upload == 0);
    CHECK(record(3).after_upload == 1);
    CHECK(counters().launch_without_upload_count == 2);
    CHECK(counters().upload_count == 1);
    b.launch(b.instantiate(graph, 2));  // CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD
    CHECK(record(4).after_upload == 1);
}

TEST_CASE("an executable needs its graph no more, but is gone once destroyed") {
    const bench b;
    const CUgraph graph = b.graph_of({{.slot = 1, .a = 7}});
    const CUgraphExec exec = b.instantiate(graph);
    REQUIRE(cu().cuGraphDestroy(graph) == CUDA_SUCCESS);
    b.launch(exec);
    CHECK(b.report(1)[11] == 7);
    CHECK(cu().cuGraphExecDestroy(exec) == CUDA_SUCCESS);
    CHECK(cu().cuGraphLaunch(exec, b.stream) == CUDA_ERROR_INVALID_VALUE);
    CHECK(last_misuse() == "cuGraphLaunch: stale handle");
    CHECK(cu().cuGraphExecDestroy(exec) == CUDA_ERROR_INVALID_VALUE);
    CHECK(last_misuse() == "cuGraphExecDestroy: stale handle");
    CHECK(counters().misuse_count == 2);
    CHECK(gdsim().exec_id(value_of(exec)) == 0);
    CHECK(cu().cuGraphLaunch(nullptr, b.stream) == CUDA_ERROR_INVALID_VALUE);
    CHECK(counters().misuse_count == 2);
    CHECK(gdsim().log_count() == 1);
}
