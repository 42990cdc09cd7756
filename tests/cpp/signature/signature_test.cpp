#include "signature/signature.hpp"
#include "graphs.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using namespace graphdedup;
using graphdedup::signature::sign;
using snapshot::graph;

graph chain_of_kernels(std::uint32_t length) {
    graph g;
    for (std::uint32_t i = 0; i < length; ++i) {
        tests::add_kernel(g);
        if (i > 0) tests::add_edge(g, i - 1, i);
    }
    return g;
}

}  // namespace

TEST_CASE("the canonical bytes and their digest never change unseen") {
    // A digest may be kept in logs and compared between processes: a change of the encoding is a change of the interface.
    const auto empty = sign(graph{}, vary::kernel);
    CHECK(empty.bytes.size() == 4);
    CHECK(empty.hash.high == 3040916486473433971U);
    CHECK(empty.hash.low == 15845180571247577957U);
    const auto full = sign(tests::one_of_each(), vary::arguments);
    CHECK(full.bytes.size() == 942);
    CHECK(full.hash.high == 14652539245336291463U);
    CHECK(full.hash.low == 5227779992631338223U);
}

TEST_CASE("equal graphs have equal bytes, whatever their storage looks like") {
    graph a = tests::one_of_each();
    graph b = tests::one_of_each();
    // The same attribute value at another place of the byte store, and unused bytes before it.
    b.bytes.resize(b.bytes.size() + 100);
    tests::set_attribute(b, b.kernels[0], 8, {0});
    CHECK(sign(a, vary::arguments).bytes == sign(b, vary::arguments).bytes);
}

TEST_CASE("the bytes of a shorter graph are never the beginning of a longer one's") {
    for (std::uint32_t shorter = 0; shorter < 6; ++shorter) {
        for (std::uint32_t longer = shorter + 1; longer < 7; ++longer) {
            const auto a = sign(chain_of_kernels(shorter), vary::kernel).bytes;
            const auto b = sign(chain_of_kernels(longer), vary::kernel).bytes;
            REQUIRE(a.size() < b.size());
            CHECK_FALSE(std::equal(a.begin(), a.end(), b.begin()));
        }
    }
}

TEST_CASE("what a last node may leave out makes no beginning of another graph") {
    const auto is_beginning = [](const graph& shorter, const graph& longer) {
        const auto a = sign(shorter, vary::kernel).bytes;
        const auto b = sign(longer, vary::kernel).bytes;
        REQUIRE(a.size() < b.size());
        return std::equal(a.begin(), a.end(), b.begin());
    };
    graph a = chain_of_kernels(1);
    graph b = a;
    --a.kernels[0].attributes.count;
    CHECK_FALSE(is_beginning(a, b));
    a = graph{};
    a.nodes = {{snapshot::node_kind::empty, 0, {}}, {snapshot::node_kind::empty, 0, {}}};
    b = a;
    tests::add_edge(b, 0, 1);
    CHECK_FALSE(is_beginning(a, b));
    const graph all = tests::one_of_each();
    a = graph{};
    a.nodes = {{snapshot::node_kind::memcpy, 0, {}}};
    a.memcpys = {all.memcpys[0]};
    b = a;
    b.memcpys = {all.memcpys[1]};
    CHECK_FALSE(is_beginning(a, b));
    a.nodes[0].kind = b.nodes[0].kind = snapshot::node_kind::memset;
    a.memsets = {all.memsets[0]};
    b.memsets = {all.memsets[1]};
    CHECK_FALSE(is_beginning(a, b));
}

TEST_CASE("a difference at node 129, behind a fan-out of 17, is seen") {
    graph a = chain_of_kernels(130);
    graph b = a;
    b.kernels[129].block.x = 32;
    CHECK(sign(a, vary::grid).bytes != sign(b, vary::grid).bytes);
    for (std::uint32_t i = 0; i < 17; ++i) tests::add_edge(a, i, 129);
    b = a;
    std::swap(b.edges[b.edges.size() - 1], b.edges[b.edges.size() - 2]);
    CHECK(sign(a, vary::kernel).bytes != sign(b, vary::kernel).bytes);
}

TEST_CASE("the same topology built in another order is another graph") {
    // 0 -> 1 -> 3 and 0 -> 2 -> 3: an update pairs nodes by the order in which they were made.
    graph a;
    for (int i = 0; i < 2; ++i) tests::add_kernel(a);
    tests::add_edge(a, 0, 1);
    tests::add_kernel(a);
    tests::add_edge(a, 0, 2);
    tests::add_kernel(a);
    tests::add_edge(a, 1, 3);
    tests::add_edge(a, 2, 3);
    graph b = a;
    std::swap(b.edges[2].from, b.edges[3].from);
    CHECK(sign(a, vary::kernel).bytes != sign(b, vary::kernel).bytes);
}

TEST_CASE("private graphs stand alone, even beside their own copy") {
    graph plain = chain_of_kernels(2);
    graph private_graph = plain;
    private_graph.nodes.push_back({snapshot::node_kind::memory_alloc, 0, {static_cast<std::uint32_t>(plain.edges.size()), 0}});
    const std::vector<const graph*> graphs = {&plain, &private_graph, &plain, &private_graph};
    const auto groups = signature::group(graphs, vary::kernel);
    CHECK(groups == std::vector<std::vector<std::size_t>>{{0, 2}, {1}, {3}});
}
