// What a walk over a graph leans on: counts, orders, edge data.
#include "cases.hpp"
#include "change.hpp"

#include <doctest/doctest.h>

namespace graphdedup::conformance {
namespace {

struct read_edges {
    std::vector<CUgraphNode> from;
    std::vector<CUgraphEdgeData> data;
};

read_edges dependencies_of(bench& where, CUgraphNode node) {
    std::size_t count = 0;
    REQUIRE(where.driver().cuGraphNodeGetDependencies(node, nullptr, nullptr, &count) == CUDA_SUCCESS);
    read_edges read{std::vector<CUgraphNode>(count), std::vector<CUgraphEdgeData>(count)};
    if (count != 0)
        REQUIRE(where.driver().cuGraphNodeGetDependencies(node, read.from.data(), read.data.data(), &count) == CUDA_SUCCESS);
    CHECK(count == read.from.size());
    return read;
}

std::vector<CUgraphNode> nodes_of(bench& where, CUgraph graph) {
    std::size_t count = 0;
    REQUIRE(where.driver().cuGraphGetNodes(graph, nullptr, &count) == CUDA_SUCCESS);
    std::vector<CUgraphNode> nodes(count);
    if (count != 0) REQUIRE(where.driver().cuGraphGetNodes(graph, nodes.data(), &count) == CUDA_SUCCESS);
    CHECK(count == nodes.size());
    return nodes;
}

std::string lossy_query(bench& where, bool of_graph, bool programmatic) {
    graph_spec spec = chain_of(numbered_kernels(1000, 3));
    if (programmatic) spec.edges[1].data = programmatic_edge();
    const built_graph made = build(where, spec);
    CUgraphNode from[2]{};
    CUgraphNode to[2]{};
    std::size_t count = of_graph ? 2 : 1;
    const CUresult status = of_graph ? where.driver().cuGraphGetEdges(made.graph.get(), from, to, nullptr, &count)
                                     : where.driver().cuGraphNodeGetDependencies(made.nodes[2], from, nullptr, &count);
    CHECK(status == (programmatic ? CUDA_ERROR_LOSSY_QUERY : CUDA_SUCCESS));
    return {};
}

std::string edge_data(bench& where) {
    graph_spec spec = chain_of(numbered_kernels(1000, 3));
    spec.edges[1].data = programmatic_edge();
    const built_graph made = build(where, spec);
    const read_edges plain = dependencies_of(where, made.nodes[1]);
    const read_edges programmatic = dependencies_of(where, made.nodes[2]);
    REQUIRE(plain.data.size() == 1);
    REQUIRE(programmatic.data.size() == 1);
    CHECK(plain.data[0].type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT);
    CHECK(plain.data[0].from_port == CU_GRAPH_KERNEL_NODE_PORT_DEFAULT);
    CHECK(programmatic.data[0].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
    CHECK(programmatic.data[0].from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
    CHECK(programmatic.data[0].to_port == 0);
    return {};
}

std::string creation_order(bench& where, std::size_t count, bool backwards) {
    graph_spec spec = chain_of(numbered_kernels(1000, count));
    if (backwards) {
        for (edge_spec& e : spec.edges) std::swap(e.from, e.to);
    }
    const built_graph made = build(where, spec);
    CHECK(nodes_of(where, made.graph.get()) == made.nodes);
    CUgraph clone = nullptr;
    REQUIRE(where.driver().cuGraphClone(&clone, made.graph.get()) == CUDA_SUCCESS);
    const driver_layer::owned_graph owner(where.driver(), clone);
    const auto copies = nodes_of(where, clone);
    REQUIRE(copies.size() == count);
    for (std::size_t i = 0; i < count; ++i) {  // the slot tells the node
        CUDA_KERNEL_NODE_PARAMS_v2 params{};
        REQUIRE(where.driver().cuGraphKernelNodeGetParams(copies[i], &params) == CUDA_SUCCESS);
        CHECK(*static_cast<CUdeviceptr*>(params.kernelParams[0]) ==
              where.memories().address({memory::device, static_cast<unsigned int>(i), 0}));
    }
    return {};
}

// One node of many edges: `in` to it or from it.
std::string fan(bench& where, std::size_t width, bool in) {
    graph_spec spec;
    spec.nodes = numbered_kernels(1000, width + 1);
    for (std::size_t i = 0; i < width; ++i) spec.edges.push_back(in ? edge_spec{i, width, {}} : edge_spec{width, i, {}});
    const built_graph made = build(where, spec);
    std::size_t count = 0;
    REQUIRE(where.driver().cuGraphGetEdges(made.graph.get(), nullptr, nullptr, nullptr, &count) == CUDA_SUCCESS);
    CHECK(count == width);
    if (in) CHECK(dependencies_of(where, made.nodes[width]).from == std::vector(made.nodes.begin(), made.nodes.end() - 1));
    for (std::size_t i = 0; !in && i < width; ++i) {
        CHECK(dependencies_of(where, made.nodes[i]).from == std::vector{made.nodes[width]});
    }
    return {};
}

// Of the edges as they were added one by one.
std::string dependency_order(bench& where, const std::vector<std::size_t>& order) {
    graph_spec spec;
    spec.nodes = numbered_kernels(1000, order.size() + 1);
    std::vector<CUgraphNode> wanted;
    for (const std::size_t from : order) spec.edges.push_back({from, order.size(), {}});
    const built_graph made = build(where, spec);
    for (const std::size_t from : order) wanted.push_back(made.nodes[from]);
    const outcome seen = dependencies_of(where, made.nodes.back()).from == wanted ? outcome::yes : outcome::no;
    check_fact(where.known_as(), "dependencies are read in the order in which they were added", seen);
    return std::string(name_of(seen));
}

// Of a list given with the node.
std::string dependency_list_order(bench& where, const std::vector<std::size_t>& order) {
    const built_graph made = build(where, {numbered_kernels(1000, order.size()), {}});
    std::vector<CUgraphNode> wanted;
    for (const std::size_t from : order) wanted.push_back(made.nodes[from]);
    CUgraphNode last = nullptr;
    REQUIRE(where.driver().cuGraphAddEmptyNode(&last, made.graph.get(), wanted.data(), wanted.size()) == CUDA_SUCCESS);
    const outcome seen = dependencies_of(where, last).from == wanted ? outcome::yes : outcome::no;
    check_fact(where.known_as(), "dependencies are read in the order of the list given", seen);
    return std::string(name_of(seen));
}

// Room for fewer than there are: as many as fit, and no error that would tell.
std::string too_little_room(bench& where) {
    const built_graph made = build(where, chain_of(numbered_kernels(1000, 5)));
    CUgraphNode nodes[3]{};
    std::size_t count = 2;
    CHECK(where.driver().cuGraphGetNodes(made.graph.get(), nodes, &count) == CUDA_SUCCESS);
    CHECK(count == 2);
    CHECK(nodes[1] == made.nodes[1]);
    CHECK(nodes[2] == nullptr);
    return {};
}

}  // namespace

void add_query_cases(suite& all) {
    for (const bool programmatic : {false, true}) {
        const std::string edge = programmatic ? "a programmatic edge" : "plain edges";
        all.add("query, edges of a graph with " + edge + ", without edge data",
                [=](bench& where) { return lossy_query(where, true, programmatic); });
        all.add("query, dependencies of a node with " + edge + ", without edge data",
                [=](bench& where) { return lossy_query(where, false, programmatic); });
    }
    all.add("query, edge data", edge_data);
    for (const std::size_t count : {std::size_t{1}, std::size_t{17}, std::size_t{128}, std::size_t{129}, std::size_t{200}}) {
        for (const bool backwards : {false, true}) {
            all.add("query, nodes in the order of creation, " + std::to_string(count) + (backwards ? ", edges backwards" : ""),
                    [=](bench& where) { return creation_order(where, count, backwards); });
        }
    }
    for (const std::size_t width : {std::size_t{16}, std::size_t{17}, std::size_t{129}}) {
        all.add("query, fan-in of " + std::to_string(width), [=](bench& where) { return fan(where, width, true); });
        all.add("query, fan-out of " + std::to_string(width), [=](bench& where) { return fan(where, width, false); });
    }
    const std::vector<std::vector<std::size_t>> orders{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};
    for (std::size_t i = 0; i < orders.size(); ++i) {
        all.add("query, dependency order " + std::to_string(i), [=](bench& where) { return dependency_order(where, orders[i]); });
        all.add("query, dependency order of a list " + std::to_string(i),
                [=](bench& where) { return dependency_list_order(where, orders[i]); });
    }
    all.add("query, too little room", too_little_room);
}

}  // namespace graphdedup::conformance
