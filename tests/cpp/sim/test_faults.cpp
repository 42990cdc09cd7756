// Failures on order.
#include "bench.hpp"

#include <doctest/doctest.h>

using namespace sim_tests;

TEST_CASE("the nth call fails, as often as ordered, with its outputs unwritten") {
    const bench b;
    REQUIRE(gdsim().fail_call("cuGraphCreate", 2, 2, CUDA_ERROR_OUT_OF_MEMORY) == 0);
    const auto marker = reinterpret_cast<CUgraph>(std::uintptr_t{0x1234});
    CUgraph graph = marker;
    CHECK(cu().cuGraphCreate(&graph, 0) == CUDA_SUCCESS);
    graph = marker;
    CHECK(cu().cuGraphCreate(&graph, 0) == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(cu().cuGraphCreate(&graph, 0) == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(graph == marker);
    CHECK(cu().cuGraphCreate(&graph, 0) == CUDA_SUCCESS);
    CHECK(counters().live_graph_count == 2);
    CHECK(gdsim().call_count("cuGraphCreate") == 4);
    CHECK(gdsim().call_count("cuNothing") == 0);
    REQUIRE(gdsim().fail_call("cuGraphCreate", 1, 0, CUDA_ERROR_UNKNOWN) == 0);
    for (int i = 0; i < 3; ++i) CHECK(cu().cuGraphCreate(&graph, 0) == CUDA_ERROR_UNKNOWN);
    gdsim().clear_faults();
    CHECK(cu().cuGraphCreate(&graph, 0) == CUDA_SUCCESS);
    CHECK(gdsim().fail_call("cuNothing", 1, 1, 1) == -1);
    CHECK(gdsim().fail_call("cuGraphCreate", 0, 1, 1) == -1);
    CHECK(gdsim().fail_call("cuGraphCreate", 1, 1, 0) == -1);
}

TEST_CASE("a failing update may leave its result unwritten") {
    const bench b;
    const CUgraph graph = b.graph_of({{}});
    const CUgraphExec exec = b.instantiate(graph);
    REQUIRE(gdsim().fail_call("cuGraphExecUpdate", 1, 1, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) == 0);
    CUgraphExecUpdateResultInfo info{};
    info.result = CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
    CHECK(b.update(exec, graph, &info) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED);
    CHECK(b.update(exec, graph, &info) == CUDA_SUCCESS);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
}

TEST_CASE("every nth update is refused and applies nothing") {
    const bench b;
    const CUgraphExec exec = b.instantiate(b.graph_of({{.a = 1}}));
    gdsim().refuse_every_nth_update(3, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
    std::uint64_t expected = 1;
    for (std::uint64_t i = 1; i <= 9; ++i) {
        CUgraphExecUpdateResultInfo info{};
        const CUresult status = b.update(exec, b.graph_of({{.a = 100 + i}}), &info);
        const bool refused = i % 3 == 0;
        CHECK(status == (refused ? CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE : CUDA_SUCCESS));
        CHECK(info.result == (refused ? CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED : CU_GRAPH_EXEC_UPDATE_SUCCESS));
        if (!refused) expected = 100 + i;
        b.launch(exec);
        CHECK(b.report(0)[11] == expected);
    }
    CHECK(counters().update_count == 9);
    CHECK(counters().refused_update_count == 3);
}

TEST_CASE("a driver that shuts down answers nothing else") {
    const bench b;
    gdsim().set_sticky_error(CUDA_ERROR_DEINITIALIZED);
    CUgraph graph = nullptr;
    CUcontext context = nullptr;
    CHECK(cu().cuGraphCreate(&graph, 0) == CUDA_ERROR_DEINITIALIZED);
    CHECK(cu().cuCtxGetCurrent(&context) == CUDA_ERROR_DEINITIALIZED);
    CHECK(cu().cuInit(0) == CUDA_ERROR_DEINITIALIZED);
    const char* name = nullptr;
    CHECK(cu().cuGetErrorName(CUDA_ERROR_DEINITIALIZED, &name) == CUDA_SUCCESS);
    CHECK(std::string(name) == "CUDA_ERROR_DEINITIALIZED");
    gdsim().set_sticky_error(0);
    CHECK(cu().cuGraphCreate(&graph, 0) == CUDA_SUCCESS);
}
