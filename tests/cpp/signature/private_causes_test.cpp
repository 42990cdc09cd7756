#include "signature/private_causes.hpp"
#include "graphs.hpp"

#include <doctest/doctest.h>

namespace {

using namespace graphdedup;
using graphdedup::signature::find_private_cause;
using graphdedup::signature::private_cause;
using snapshot::graph;
using snapshot::node_kind;

constexpr signature::device_traits hopper{.honours_preferred_cluster = false};
constexpr signature::device_traits blackwell{.honours_preferred_cluster = true};

graph with_node(node_kind kind) {
    graph g;
    tests::add_kernel(g);
    g.nodes.push_back({kind, 0, {}});
    return g;
}

}  // namespace

TEST_CASE("what an update handles is not private") { CHECK_FALSE(find_private_cause(tests::one_of_each(), blackwell)); }

TEST_CASE("kinds of nodes that make a graph private") {
    const std::pair<node_kind, private_cause> kinds[] = {
        {node_kind::memory_alloc, private_cause::memory_node},
        {node_kind::memory_free, private_cause::memory_node},
        {node_kind::conditional, private_cause::conditional_node},
        {node_kind::external_semaphore_signal, private_cause::external_semaphore_node},
        {node_kind::external_semaphore_wait, private_cause::external_semaphore_node},
        {node_kind::batch_memory_operation, private_cause::batch_memory_operation_node},
        {static_cast<node_kind>(27), private_cause::unknown_node},
    };
    for (const auto& [kind, cause] : kinds) {
        const auto found = find_private_cause(with_node(kind), hopper);
        REQUIRE(found);
        CHECK(found->cause == cause);
        CHECK(found->where.find("node 1") == 0);
    }
}

TEST_CASE("a device-updatable kernel makes a graph private, in a child graph too") {
    graph g = tests::one_of_each();
    tests::set_attribute(g.children[0], g.children[0].kernels[0], 13, {1});
    const auto found = find_private_cause(g, hopper);
    REQUIRE(found);
    CHECK(found->cause == private_cause::device_updatable_kernel);
    CHECK(found->where == "node 8, child node 0 (kernel first)");
    CHECK(signature::is_instantiated_once(g));
    CHECK_FALSE(signature::is_instantiated_once(tests::one_of_each()));
}

TEST_CASE("an attribute that the driver hides makes a graph private") {
    for (const std::uint16_t id : std::initializer_list<std::uint16_t>{1, 2, 4, 5, 8, 9, 10, 13, 14, 25}) {
        graph g;
        tests::add_kernel(g);
        tests::hide_attribute(g, g.kernels[0], id);
        const auto found = find_private_cause(g, hopper);
        REQUIRE_MESSAGE(found, id);
        CHECK(found->cause == private_cause::unreadable_attribute);
    }
}

TEST_CASE("a function whose cluster shape the driver hides makes a graph private") {
    graph g;
    tests::add_kernel(g);
    g.functions[0].facts.required_cluster_width.reset();
    const auto found = find_private_cause(g, hopper);
    REQUIRE(found);
    CHECK(found->cause == private_cause::unreadable_attribute);
    g.exact = false;  // a dump leaves it out
    CHECK_FALSE(find_private_cause(g, hopper));
}

TEST_CASE("a hidden preferred cluster matters only with clusters, on a device that honours it") {
    graph plain;
    tests::add_kernel(plain);
    tests::hide_attribute(plain, plain.kernels[0], 11);
    CHECK_FALSE(find_private_cause(plain, blackwell));

    graph launch = plain;
    tests::set_attribute(launch, launch.kernels[0], 4, {2, 1, 1});
    CHECK_FALSE(find_private_cause(launch, hopper));
    const auto by_launch = find_private_cause(launch, blackwell);
    REQUIRE(by_launch);
    CHECK(by_launch->cause == private_cause::hidden_preferred_cluster);

    graph fixed = plain;
    fixed.functions[0].facts.required_cluster_width = 2;
    CHECK_FALSE(find_private_cause(fixed, hopper));
    CHECK(find_private_cause(fixed, blackwell));

    graph readable = launch;
    tests::set_attribute(readable, readable.kernels[0], 11, {4, 1, 1});
    CHECK_FALSE(find_private_cause(readable, blackwell));
}

TEST_CASE("scheduling hints that the driver hides do not matter") {
    for (const std::uint16_t id : std::initializer_list<std::uint16_t>{16, 17, 18}) {
        graph g;
        tests::add_kernel(g);
        tests::hide_attribute(g, g.kernels[0], id);
        CHECK_FALSE(find_private_cause(g, blackwell));
    }
}
