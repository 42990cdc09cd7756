// Building, reading and copying graphs.
#include "bench.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

using namespace sim_tests;

namespace {

std::size_t node_count(CUgraph graph) {
    std::size_t count = 0;
    REQUIRE(cu().cuGraphGetNodes(graph, nullptr, &count) == CUDA_SUCCESS);
    return count;
}

void noop(void*) {}

}  // namespace

TEST_CASE("nodes are listed in the order of creation, into as much room as there is") {
    const bench b;
    const CUgraph graph = b.graph();
    const CUgraphNode nodes[] = {b.empty(graph), b.empty(graph), b.empty(graph)};
    std::array<CUgraphNode, 5> read{};
    std::size_t count = 2;
    CHECK(cu().cuGraphGetNodes(graph, read.data(), &count) == CUDA_SUCCESS);
    CHECK(count == 2);
    CHECK(read[1] == nodes[1]);
    CHECK(read[2] == nullptr);
    read.fill(nodes[0]);
    count = read.size();
    CHECK(cu().cuGraphGetNodes(graph, read.data(), &count) == CUDA_SUCCESS);
    CHECK(count == 3);
    CHECK(read[2] == nodes[2]);
    CHECK(read[4] == nullptr);
    CHECK(cu().cuGraphGetNodes(graph, read.data(), nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("edges keep their order and their data") {
    const bench b;
    const CUgraph graph = b.graph();
    const CUgraphNode first = b.kernel(graph, {});
    const CUgraphNode second = b.kernel(graph, {});
    const CUgraphNode last = b.kernel(graph, {}, second);
    CUgraphEdgeData programmatic{};
    programmatic.from_port = 1;
    programmatic.type = 1;
    REQUIRE(cu().cuGraphAddDependencies(graph, &first, &last, &programmatic, 1) == CUDA_SUCCESS);
    CHECK(cu().cuGraphAddDependencies(graph, &first, &last, nullptr, 1) == CUDA_ERROR_INVALID_VALUE);  // is there
    std::array<CUgraphNode, 4> from{};
    std::array<CUgraphNode, 4> to{};
    std::array<CUgraphEdgeData, 4> data{};
    std::size_t count = from.size();
    CHECK(cu().cuGraphNodeGetDependencies(last, from.data(), data.data(), &count) == CUDA_SUCCESS);
    CHECK(count == 2);
    CHECK(from[0] == second);
    CHECK(from[1] == first);
    CHECK(data[0].type == 0);
    CHECK(data[1].type == 1);
    CHECK(cu().cuGraphNodeGetDependencies(last, from.data(), nullptr, &count) == CUDA_ERROR_LOSSY_QUERY);
    CHECK(cu().cuGraphGetEdges(graph, from.data(), to.data(), nullptr, &count) == CUDA_ERROR_LOSSY_QUERY);
    CHECK(cu().cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count) == CUDA_SUCCESS);
    CHECK(count == 2);
    CHECK(cu().cuGraphGetEdges(graph, from.data(), to.data(), data.data(), &count) == CUDA_SUCCESS);
    CHECK(to[1] == last);
    count = 1;
    CHECK(cu().cuGraphNodeGetDependencies(last, from.data(), data.data(), &count) == CUDA_SUCCESS);
    CHECK(count == 1);
}

TEST_CASE("bad edges are refused, all or none") {
    const bench b;
    const CUgraph graph = b.graph();
    const CUgraph elsewhere = b.graph();
    const CUgraphNode nodes[] = {b.empty(graph), b.empty(graph), b.kernel(graph, {})};
    const CUgraphNode foreign = b.empty(elsewhere);
    const CUgraphNode from[] = {nodes[0], foreign};
    const CUgraphNode to[] = {nodes[1], nodes[2]};
    CHECK(cu().cuGraphAddDependencies(graph, from, to, nullptr, 2) == CUDA_ERROR_INVALID_VALUE);
    std::size_t count = 9;
    CHECK(cu().cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count) == CUDA_SUCCESS);
    CHECK(count == 0);
    CUgraphEdgeData programmatic{};
    programmatic.from_port = 1;
    programmatic.type = 1;  // kernel to kernel only
    CHECK(cu().cuGraphAddDependencies(graph, &nodes[2], &nodes[0], &programmatic, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cu().cuGraphAddDependencies(graph, &nodes[0], &nodes[0], nullptr, 1) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a cycle cannot be instantiated") {
    const bench b;
    const CUgraph graph = b.graph();
    const CUgraphNode first = b.empty(graph);
    const CUgraphNode second = b.empty(graph, first);
    REQUIRE(cu().cuGraphAddDependencies(graph, &second, &first, nullptr, 1) == CUDA_SUCCESS);
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    CUgraphExec exec = nullptr;
    CHECK(cu().cuGraphInstantiateWithParams(&exec, graph, &params) == CUDA_ERROR_INVALID_VALUE);
    CHECK(params.result_out == CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
    CHECK(counters().live_exec_bytes == 0);
}

TEST_CASE("a copy has handles of its own, and lives on alone") {
    const bench b;
    const CUgraph inner = b.graph_of({{.slot = 1, .a = 5}});
    const CUgraph graph = b.graph_of({{.slot = 0, .a = 4}});
    CUgraphNode child = nullptr;
    REQUIRE(cu().cuGraphAddChildGraphNode(&child, graph, nullptr, 0, inner) == CUDA_SUCCESS);
    CUgraph owned = nullptr;
    REQUIRE(cu().cuGraphChildGraphNodeGetGraph(child, &owned) == CUDA_SUCCESS);
    CHECK(owned != inner);
    CHECK(cu().cuGraphDestroy(owned) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cu().cuGraphDestroy(inner) == CUDA_SUCCESS);
    CUgraph copy = nullptr;
    REQUIRE(cu().cuGraphClone(&copy, graph) == CUDA_SUCCESS);
    CHECK(cu().cuGraphDestroy(graph) == CUDA_SUCCESS);
    CHECK(cu().cuGraphDestroy(graph) == CUDA_ERROR_INVALID_VALUE);
    b.launch(b.instantiate(copy));
    CHECK(b.report(0)[11] == 4);
    CHECK(b.report(1)[11] == 5);
    CHECK(cu().cuGraphDestroy(copy) == CUDA_SUCCESS);
    CHECK(counters().live_graph_count == 0);
    CHECK(counters().live_node_count == 0);
    CHECK(counters().misuse_count == 2);
}

TEST_CASE("a graph can be emptied node by node") {
    const bench b;
    const CUgraph graph = b.graph();
    const CUgraphNode first = b.empty(graph);
    const CUgraphNode second = b.empty(graph, first);
    CHECK(cu().cuGraphDestroyNode(first) == CUDA_SUCCESS);
    std::size_t count = 9;
    CHECK(cu().cuGraphNodeGetDependencies(second, nullptr, nullptr, &count) == CUDA_SUCCESS);
    CHECK(count == 0);
    CHECK(cu().cuGraphDestroyNode(first) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cu().cuGraphDestroyNode(second) == CUDA_SUCCESS);
    CHECK(node_count(graph) == 0);
    b.launch(b.instantiate(graph));
    CHECK(gdsim().log_count() == 0);
}

TEST_CASE("handles are reused only when asked for") {
    const bench b;
    const CUgraph first = b.graph();
    REQUIRE(cu().cuGraphDestroy(first) == CUDA_SUCCESS);
    const CUgraph second = b.graph();
    CHECK(second != first);
    REQUIRE(cu().cuGraphDestroy(second) == CUDA_SUCCESS);
    gdsim().set_handle_reuse(1);
    CHECK(b.graph() == second);
}

TEST_CASE("every kind of node can be added and told") {
    const bench b;
    const CUgraph graph = b.graph();
    CUevent event = nullptr;
    REQUIRE(cu().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
    const auto add = [&](CUgraphNodeType type, auto fill) {
        CUgraphNodeParams params{};
        params.type = type;
        fill(params);
        CUgraphNode node = nullptr;
        REQUIRE(cu().cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &params) == CUDA_SUCCESS);
        CUgraphNodeType read{};
        CHECK(cu().cuGraphNodeGetType(node, &read) == CUDA_SUCCESS);
        CHECK(read == type);
        return params;
    };
    CUgraphConditionalHandle condition = 0;
    REQUIRE(cu().cuGraphConditionalHandleCreate(&condition, graph, b.context, 1, 1) == CUDA_SUCCESS);
    add(CU_GRAPH_NODE_TYPE_EVENT_RECORD, [&](CUgraphNodeParams& p) { p.eventRecord.event = event; });
    add(CU_GRAPH_NODE_TYPE_WAIT_EVENT, [&](CUgraphNodeParams& p) { p.eventWait.event = event; });
    add(CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, [](CUgraphNodeParams& p) { p.extSemSignal.numExtSems = 2; });
    add(CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, [](CUgraphNodeParams& p) { p.extSemWait.numExtSems = 1; });
    add(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, [](CUgraphNodeParams& p) { p.memOp.count = 1; });
    add(CU_GRAPH_NODE_TYPE_EMPTY, [](CUgraphNodeParams&) {});
    add(CU_GRAPH_NODE_TYPE_HOST, [](CUgraphNodeParams& p) { p.host.fn = noop; });
    const CUgraphNodeParams allocated = add(CU_GRAPH_NODE_TYPE_MEM_ALLOC, [](CUgraphNodeParams& p) { p.alloc.bytesize = 64; });
    add(CU_GRAPH_NODE_TYPE_MEM_FREE, [&](CUgraphNodeParams& p) { p.free.dptr = allocated.alloc.dptr; });
    const CUgraphNodeParams conditional = add(CU_GRAPH_NODE_TYPE_CONDITIONAL, [&](CUgraphNodeParams& p) {
        p.conditional.handle = condition;
        p.conditional.type = CU_GRAPH_COND_TYPE_IF;
        p.conditional.size = 1;
    });
    b.kernel(conditional.conditional.phGraph_out[0], {.slot = 3, .a = 33});
    CUgraph copy = nullptr;
    CHECK(cu().cuGraphClone(&copy, graph) == CUDA_ERROR_NOT_SUPPORTED);
    const CUgraphExec exec = b.instantiate(graph);
    b.launch(exec);
    CHECK(b.report(3)[11] == 33);
    CHECK(gdsim().log_count() == 10);
    CHECK(record(9).depth == 1);
    // Memory nodes: one executable a graph.
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    CUgraphExec second = nullptr;
    CHECK(cu().cuGraphInstantiateWithParams(&second, graph, &params) == CUDA_ERROR_NOT_SUPPORTED);
    CHECK(cu().cuGraphExecDestroy(exec) == CUDA_SUCCESS);
    CHECK(cu().cuGraphInstantiateWithParams(&second, graph, &params) == CUDA_SUCCESS);
    const std::uint64_t allocations = counters().live_allocation_count;
    CHECK(cu().cuGraphDestroy(graph) == CUDA_SUCCESS);
    CHECK(counters().live_allocation_count == allocations - 1);
    CHECK(counters().live_graph_count == 0);
}

TEST_CASE("an unused conditional handle spoils the instantiation") {
    const bench b;
    const CUgraph graph = b.graph();
    CUgraphConditionalHandle condition = 0;
    REQUIRE(cu().cuGraphConditionalHandleCreate(&condition, graph, b.context, 0, 0) == CUDA_SUCCESS);
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    CUgraphExec exec = nullptr;
    CHECK(cu().cuGraphInstantiateWithParams(&exec, graph, &params) == CUDA_ERROR_INVALID_VALUE);
    CHECK(params.result_out == 5);
}

TEST_CASE("a dot file names what the graph holds") {
    const bench b;
    const CUgraph inner = b.graph_of({{.name = "gd_report_b"}});
    const CUgraph graph = b.graph_of({{.grid = 7, .block = 64, .shared_memory_bytes = 128, .priority = -2}, {}});
    b.fill(graph, b.memory, 171, 5);
    CUgraphNode child = nullptr;
    REQUIRE(cu().cuGraphAddChildGraphNode(&child, graph, nullptr, 0, inner) == CUDA_SUCCESS);
    const std::string path = "graphdedup_sim_" + std::to_string(value_of(graph)) + ".dot";
    REQUIRE(cu().cuGraphDebugDotPrint(graph, path.c_str(), 1) == CUDA_SUCCESS);
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    std::remove(path.c_str());
    CHECK(text.find("gd_report_a\\<\\<\\<7,64,128\\>\\>\\>") != std::string::npos);
    CHECK(text.find("{priority | -2}") != std::string::npos);
    CHECK(text.find("\"graph_1_node_0\" -> \"graph_1_node_1\"") != std::string::npos);
    CHECK(text.find("gd_report_b") != std::string::npos);
    CHECK(cu().cuGraphDebugDotPrint(graph, "/nowhere/at/all.dot", 1) == CUDA_ERROR_OPERATING_SYSTEM);
}
