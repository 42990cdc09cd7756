// Preferred cluster shapes come with captured launches: most drivers do not let a node have one.
#include "cases.hpp"
#include "change.hpp"

#include "snapshot/attribute_table.hpp"

#include <doctest/doctest.h>

namespace graphdedup::conformance {
namespace {

constexpr auto preferred = static_cast<CUlaunchAttributeID>(snapshot::attribute_preferred_cluster_dimension);

struct shapes {
    const char* name;
    std::uint32_t cluster;
    std::uint32_t preferred;  // 0: none
};

constexpr shapes all_shapes[] = {{"2", 2, 0}, {"2, preferred 4", 2, 4}, {"2, preferred 8", 2, 8}, {"4, preferred 4", 4, 4}};

doctor::report_node node_of(std::uint64_t a) {
    doctor::report_node node;
    node.grid = {8, 1, 1};
    node.a = a;
    return node;
}

std::optional<driver_layer::owned_graph> capture(bench& where, const shapes& s, std::uint64_t a) {
    CUlaunchAttribute attributes[2]{};
    attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attributes[0].value.clusterDim = {s.cluster, 1, 1};
    attributes[1].id = preferred;
    attributes[1].value.clusterDim = {s.preferred, 1, 1};
    return where.lab().capture(node_of(a), std::span(attributes, s.preferred != 0 ? 2U : 1U));
}

std::uint64_t width_of_run(bench& where, const exec::graph_exec& executable, std::uint64_t a) {
    where.lab().run(executable);
    const doctor::launch_report report = where.lab().report(0);
    CHECK(report.a == a);
    return report.cluster[0];
}

std::string run_fresh(bench& where, const shapes& s) {
    const auto captured = capture(where, s, 1);
    REQUIRE(captured.has_value());
    const std::uint64_t width = width_of_run(where, where.instantiate(captured->get()), 1);
    const outcome seen = width == s.cluster ? outcome::no : outcome::yes;
    if (s.preferred > s.cluster) check_fact(where.known_as(), "preferred cluster is honoured", seen);
    return "runs with " + std::to_string(width);
}

std::string run_updated(bench& where, const shapes& from, const shapes& to) {
    const auto first = capture(where, from, 1);
    const auto second = capture(where, to, 2);
    REQUIRE(first.has_value());
    REQUIRE(second.has_value());
    const std::uint64_t wanted = width_of_run(where, where.instantiate(second->get()), 2);
    const exec::graph_exec executable = where.instantiate(first->get());
    const std::uint64_t before = width_of_run(where, executable, 1);
    const exec::update_outcome answer = executable.update(second->get());
    CHECK(answer.accepted());
    if (!answer.accepted()) return exec::describe(where.driver(), answer);
    const std::uint64_t width = width_of_run(where, executable, 2);
    CHECK((width == wanted || width == before));
    if (wanted != before) {
        check_fact(where.known_as(), "preferred cluster, update", width == wanted ? outcome::applied : outcome::kept);
    }
    return "runs with " + std::to_string(width) + ", a fresh executable with " + std::to_string(wanted);
}

std::string read(bench& where) {
    const auto captured = capture(where, all_shapes[1], 1);
    REQUIRE(captured.has_value());
    CUgraphNode node = nullptr;
    std::size_t count = 1;
    REQUIRE(where.driver().cuGraphGetNodes(captured->get(), &node, &count) == CUDA_SUCCESS);
    CUlaunchAttributeValue value{};
    const bool readable = where.driver().cuGraphKernelNodeGetAttribute(node, preferred, &value) == CUDA_SUCCESS;
    if (readable) CHECK(value.clusterDim.x == 4);
    const outcome seen = readable ? outcome::yes : outcome::no;
    check_fact(where.known_as(), "preferred cluster can be read", seen);
    return std::string(name_of(seen));
}

std::string set(bench& where) {
    kernel_node node = numbered_kernel(0, 1000);
    node.report.grid = {8, 1, 1};
    node.report.cluster = doctor::cluster_shape{2, 1, 1};
    CUlaunchAttributeValue value{};
    value.clusterDim = {4, 1, 1};
    node.attributes.push_back({preferred, value});
    outcome seen = outcome::yes;
    try {
        static_cast<void>(build(where, chain_of({node})));
    } catch (const unavailable_error&) {
        seen = outcome::no;
    }
    check_fact(where.known_as(), "preferred cluster can be set on a node", seen);
    return std::string(name_of(seen));
}

}  // namespace

void add_preferred_cluster_cases(suite& all) {
    for (const shapes& s : all_shapes) {
        all.add(std::string("preferred cluster, captured ") + s.name, [s](bench& where) { return run_fresh(where, s); });
    }
    for (const shapes& from : all_shapes) {
        for (const shapes& to : all_shapes) {
            if (&from == &to || from.cluster != to.cluster) continue;
            all.add(std::string("preferred cluster, from ") + from.name + " to " + to.name + ", update",
                    [from, to](bench& where) { return run_updated(where, from, to); });
        }
    }
    all.add("preferred cluster, can be read", read);
    all.add("preferred cluster, can be set on a node", set);
}

}  // namespace graphdedup::conformance
