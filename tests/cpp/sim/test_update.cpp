// What an accepted update applies, and what it does not.
#include "bench.hpp"

#include <doctest/doctest.h>

using namespace sim_tests;

namespace {

// Updates an executable of `from` with a graph of `to`, and returns the cluster width that then runs.
std::uint64_t cluster_after(const bench& b, const kernel_spec& from, const kernel_spec& to) {
    const CUgraphExec exec = b.instantiate(b.graph_of({from}));
    REQUIRE(b.update(exec, b.graph_of({to})) == CUDA_SUCCESS);
    b.launch(exec);
    return b.report(to.slot)[7];
}

constexpr shape c2{2, 1, 1};
constexpr shape c4{4, 1, 1};

}  // namespace

TEST_CASE("arguments, grid, block, shared memory and function are applied") {
    const bench b;
    const CUgraphExec exec = b.instantiate(b.graph_of({{.a = 1}, {.slot = 1, .a = 2}}));
    const std::uint64_t id = gdsim().exec_id(value_of(exec));
    const CUgraph next =
        b.graph_of({{.name = "gd_report_b", .a = 10, .b = 3, .grid = 64, .block = 128, .shared_memory_bytes = 77},
                    {.slot = 1, .a = 20, .packed = true}});
    CUgraphExecUpdateResultInfo info{CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
    CHECK(b.update(exec, next, &info) == CUDA_SUCCESS);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    CHECK(cu().cuGraphDestroy(next) == CUDA_SUCCESS);
    b.launch(exec);
    CHECK(std::string(record(0).function_name) == "gd_report_b");
    CHECK(b.report(0)[1] == 64);
    CHECK(b.report(0)[4] == 128);
    CHECK(b.report(0)[10] == 77);
    CHECK(b.report(0)[11] == 10);
    CHECK(b.report(1)[11] == 20);
    CHECK(record(0).exec_id == id);
}

TEST_CASE("cluster shapes stay as instantiated, as measured on a driver") {
    const bench b;
    CHECK(cluster_after(b, {}, {.cluster = c2}) == 1);
    CHECK(cluster_after(b, {.cluster = c2}, {}) == 2);
    CHECK(cluster_after(b, {.cluster = c2}, {.cluster = c4}) == 2);
    CHECK(cluster_after(b, {.cluster = c2}, {.name = "gd_report_b"}) == 2);
    CHECK(cluster_after(b, {}, {.name = "gd_report_c2"}) == 2);
    CHECK(cluster_after(b, {.name = "gd_report_c2"}, {}) == 2);
}

TEST_CASE("cluster shapes follow where the driver has no such fault") {
    const bench b("clean");
    CHECK(cluster_after(b, {}, {.cluster = c2}) == 2);
    CHECK(cluster_after(b, {.cluster = c2}, {}) == 1);
    CHECK(cluster_after(b, {.cluster = c2}, {.cluster = c4}) == 4);
    CHECK(cluster_after(b, {}, {.name = "gd_report_c2"}) == 2);
    CHECK(cluster_after(b, {.name = "gd_report_c2"}, {}) == 1);
    gdsim().set_stale_static_cluster(1);
    CHECK(cluster_after(b, {.name = "gd_report_c2"}, {}) == 2);
}

TEST_CASE("child graphs have the same fault") {
    const bench b;
    const auto nested = [&](const kernel_spec& spec) {
        const CUgraph graph = b.graph();
        CUgraphNode child = nullptr;
        REQUIRE(cu().cuGraphAddChildGraphNode(&child, graph, nullptr, 0, b.graph_of({spec})) == CUDA_SUCCESS);
        return graph;
    };
    const CUgraphExec exec = b.instantiate(nested({.cluster = c2}));
    CHECK(b.update(exec, nested({.a = 4, .cluster = c4})) == CUDA_SUCCESS);
    b.launch(exec);
    CHECK(b.report(0)[7] == 2);
    CHECK(b.report(0)[11] == 4);
}

TEST_CASE("any attribute can be made stale") {
    const bench b("clean");
    gdsim().set_stale_attributes(std::uint64_t{1} << 8U);
    const CUgraphExec exec = b.instantiate(b.graph_of({{.priority = -1}}));
    CHECK(b.update(exec, b.graph_of({{.cluster = c2, .priority = -2}})) == CUDA_SUCCESS);
    b.launch(exec);
    CHECK(record(0).priority == -1);
    CHECK(record(0).cluster[0] == 2);
    gdsim().set_stale_attributes(0);
    CHECK(b.update(exec, b.graph_of({{.priority = -2}})) == CUDA_SUCCESS);
    b.launch(exec);
    CHECK(record(1).priority == -2);
}

TEST_CASE("a preferred cluster is updated where it can be read") {
    const bench b("clean");
    const auto preferring = [&](unsigned int width) {
        const CUgraph graph = b.graph();
        const CUgraphNode node = b.kernel(graph, {.cluster = c2});
        CUlaunchAttributeValue value{};
        value.clusterDim = {width, 1, 1};
        REQUIRE(cu().cuGraphKernelNodeSetAttribute(node, static_cast<CUlaunchAttributeID>(11), &value) == CUDA_SUCCESS);
        return graph;
    };
    const CUgraphExec exec = b.instantiate(preferring(4));
    b.launch(exec);
    CHECK(b.report(0)[7] == 4);
    CHECK(b.update(exec, preferring(8)) == CUDA_SUCCESS);
    b.launch(exec);
    CHECK(b.report(0)[7] == 8);
    gdsim().set_honours_preferred_cluster(0);
    b.launch(exec);
    CHECK(b.report(0)[7] == 2);
}

TEST_CASE("one node of an executable can be set") {
    const bench b;
    const CUgraph graph = b.graph();
    const CUgraphNode first = b.kernel(graph, {.slot = 0, .a = 1, .cluster = c2});
    const CUgraphNode second = b.kernel(graph, {.slot = 1, .a = 2}, first);
    const CUgraphExec exec = b.instantiate(graph);
    const auto set = [&](CUgraphNode node, const kernel_spec& spec) {
        CUDA_KERNEL_NODE_PARAMS_v2 params{};
        REQUIRE(cu().cuGraphKernelNodeGetParams(b.kernel(b.graph(), spec), &params) == CUDA_SUCCESS);
        return cu().cuGraphExecKernelNodeSetParams(exec, node, &params);
    };
    CHECK(set(first, {.slot = 0, .a = 5, .grid = 32, .cluster = c4, .cooperative = true}) == CUDA_SUCCESS);
    CHECK(set(second, {.name = "gd_report_c2", .slot = 1, .a = 6}) == CUDA_SUCCESS);
    b.launch(exec);
    CHECK(b.report(0)[11] == 5);
    CHECK(b.report(0)[1] == 32);
    CHECK(b.report(0)[7] == 2);  // an attribute: stays
    CHECK(b.report(1)[7] == 2);  // a static shape that is new: noticed
    CHECK(set(second, {.slot = 1, .a = 7}) == CUDA_SUCCESS);
    b.launch(exec);
    CHECK(b.report(1)[11] == 7);
    CHECK(b.report(1)[7] == 2);  // a static shape that goes: not noticed
    CHECK(set(b.kernel(b.graph(), {}), {}) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("an update needs all of its arguments") {
    const bench b;
    const CUgraph graph = b.graph_of({{}});
    const CUgraphExec exec = b.instantiate(graph);
    CUgraphExecUpdateResultInfo info{};
    CHECK(cu().cuGraphExecUpdate(exec, graph, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cu().cuGraphExecUpdate(nullptr, graph, &info) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cu().cuGraphExecUpdate(exec, nullptr, &info) == CUDA_ERROR_INVALID_VALUE);
    CHECK(counters().update_count == 0);
}
