#include "signature/explain.hpp"
#include "graphs.hpp"

#include <doctest/doctest.h>

namespace {

using namespace graphdedup;
using graphdedup::signature::explain;
using snapshot::graph;

}  // namespace

TEST_CASE("equal graphs may share at the strictest level") {
    const auto e = explain(tests::one_of_each(), tests::one_of_each(), vary::kernel);
    CHECK(e.may_share());
    CHECK(e.shared_at == vary::arguments);
}

TEST_CASE("an explanation names node, field, kernels and both values") {
    const graph a = tests::one_of_each();
    graph b = a;
    b.functions[1].name = "second";
    b.kernels[1].function = 1;
    b.kernels[1].grid = {17, 2, 3};
    const auto e = explain(a, b, vary::arguments);
    REQUIRE(e.differs);
    CHECK(e.differs->where == "node 1");
    CHECK(e.differs->field == "kernel: grid");
    CHECK(e.differs->first == "(16, 1, 1)");
    CHECK(e.differs->second == "(17, 2, 3)");
    CHECK(e.differs->first_kernel == "first");
    CHECK(e.differs->second_kernel == "second");
    CHECK(e.shared_at == vary::kernel);
    const auto by_function = explain(a, b, vary::grid);
    REQUIRE(by_function.differs);
    CHECK(by_function.differs->field == "kernel: function");
    CHECK(by_function.differs->first == "0xf00");
}

TEST_CASE("what a dump leaves out is said to be not known") {
    const graph a = tests::one_of_each();
    graph b = a;
    for (snapshot::function& f : b.functions) f.facts = {};
    b.exact = false;
    const auto e = explain(a, b, vary::kernel);
    REQUIRE(e.differs);
    CHECK(e.differs->first == "0");
    CHECK(e.differs->second == "not known");
}

TEST_CASE("no level shares other cluster shapes") {
    const graph a = tests::one_of_each();
    graph b = a;
    tests::set_attribute(b, b.kernels[0], 4, {2, 1, 1});
    const auto e = explain(a, b, vary::kernel);
    REQUIRE(e.differs);
    CHECK(e.differs->field == "kernel: cluster dimension");
    CHECK(e.differs->first == "(0, 0, 0)");
    CHECK(e.differs->second == "(2, 1, 1)");
    CHECK_FALSE(e.shared_at);
}

TEST_CASE("a difference in a child graph is named with its way there") {
    const graph a = tests::one_of_each();
    graph b = a;
    tests::set_attribute(b.children[0], b.children[0].kernels[0], 8, {3});
    const auto e = explain(a, b, vary::kernel);
    REQUIRE(e.differs);
    CHECK(e.differs->where == "node 8, child node 0");
    CHECK(e.differs->field == "kernel: priority");
    CHECK(e.differs->second == "3");
}

TEST_CASE("other numbers of nodes, edges and attributes are said as such") {
    graph a = tests::one_of_each();
    graph b = a;
    b.nodes.push_back({snapshot::node_kind::empty, 0, {static_cast<std::uint32_t>(b.edges.size()), 0}});
    const auto nodes = explain(a, b, vary::kernel);
    REQUIRE(nodes.differs);
    CHECK(nodes.differs->where == "graph");
    CHECK(nodes.differs->field == "number of nodes");
    CHECK(nodes.differs->first == "9");
    CHECK(nodes.differs->second == "10");
    b = a;
    tests::add_edge(b, 0, 8);
    const auto edges = explain(a, b, vary::kernel);
    REQUIRE(edges.differs);
    CHECK(edges.differs->where == "node 8");
    CHECK(edges.differs->field == "number of incoming edges");
    b = a;
    --b.kernels[1].attributes.count;
    const auto attributes = explain(a, b, vary::kernel);
    REQUIRE(attributes.differs);
    CHECK(attributes.differs->where == "node 1");
    CHECK(attributes.differs->field == "number of launch attributes");
}

TEST_CASE("private graphs are explained as such") {
    graph a = tests::one_of_each();
    graph b = a;
    b.nodes.push_back({snapshot::node_kind::conditional, 0, {static_cast<std::uint32_t>(b.edges.size()), 0}});
    const auto e = explain(a, b, vary::kernel);
    CHECK(e.first_private.empty());
    CHECK(e.second_private.find("conditional") != std::string::npos);
    CHECK_FALSE(e.may_share());
    CHECK_FALSE(e.shared_at);
}
