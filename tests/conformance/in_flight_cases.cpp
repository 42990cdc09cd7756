// Calls on an executable that is running: each launch runs the graph that it was launched with.
#include "cases.hpp"
#include "change.hpp"
#include "expected_image.hpp"

#include <doctest/doctest.h>

#include <optional>

namespace graphdedup::conformance {
namespace {

constexpr std::uint64_t busy_ns = 3'000'000;
constexpr std::size_t kernel_count = 4;
constexpr std::size_t slots_of_a_graph = 8;

// Busy for a while, then kernels, a fill, a copy and a host function, all in slots of this graph alone.
graph_spec graph_of(std::size_t number) {
    std::vector<node_spec> nodes{spin_node{busy_ns}};
    const std::size_t first_slot = number * slots_of_a_graph;
    for (std::size_t i = 0; i < kernel_count; ++i) {
        kernel_node kernel = numbered_kernel(first_slot + i, 1000 * (number + 1));
        kernel.report.grid = {static_cast<std::uint32_t>(2 + number), 4, 4};
        kernel.report.kernel = number % 2 == 0 ? "gd_report_a" : "gd_report_b";
        nodes.emplace_back(kernel);
    }
    memset_node fill;
    fill.to = {memory::device, static_cast<unsigned int>(first_slot + kernel_count), 0};
    fill.value = static_cast<unsigned int>(number + 1);
    memcpy_node copy;
    copy.from_offset_bytes = 64 * number;
    copy.to = {memory::device, static_cast<unsigned int>(first_slot + kernel_count + 1), 0};
    nodes.insert(nodes.end(), {fill, copy, host_node{number % 2 != 0, static_cast<unsigned int>(number)}});
    return chain_of(std::move(nodes));
}

image expected_of(std::size_t graph_count, level l) {
    image made;
    for (std::size_t i = 0; i < graph_count; ++i) add_effects(at_level(l, graph_of(i), 1000), made);
    return made;
}

void check_memory(bench& where, const image& wanted) {
    where.synchronize();
    const std::string difference = where.memories().read().difference_from(wanted);
    expect(difference.empty(), difference);
}

built_graph make(bench& where, std::size_t number, level l = level::top) {
    return build(where, at_level(l, graph_of(number), 1000));
}

enum class upload { no, yes };

// Launch, update, launch, ... without waiting.
std::string alternate(bench& where, std::size_t graph_count, level l, upload uploads) {
    std::vector<built_graph> graphs;
    for (std::size_t i = 0; i < graph_count; ++i) graphs.push_back(make(where, i, l));
    const exec::graph_exec executable = where.instantiate(graphs[0].graph.get());
    where.memories().clear();
    where.launch(executable);
    for (std::size_t i = 1; i < graph_count; ++i) {
        REQUIRE(executable.update(graphs[i].graph.get()).accepted());
        if (uploads == upload::yes) executable.upload(where.stream(), bench::site);
        where.launch(executable);
    }
    check_memory(where, expected_of(graph_count, l));
    return {};
}

std::string set_params(bench& where) {
    const built_graph from = make(where, 0);
    const graph_spec next = graph_of(1);
    const exec::graph_exec executable = where.instantiate(from.graph.get());
    where.memories().clear();
    where.launch(executable);
    image wanted = expected_of(1, level::top);
    for (std::size_t i = 1; i <= kernel_count; ++i) {
        const auto& kernel = std::get<kernel_node>(next.nodes[i]);
        const auto set = [&](const CUDA_KERNEL_NODE_PARAMS_v2& params) {
            return where.driver().cuGraphExecKernelNodeSetParams(executable.get(), from.nodes[i], &params);
        };
        REQUIRE(with_params(where, kernel, set) == CUDA_SUCCESS);
        add_effects(chain_of({kernel}), wanted);
    }
    where.launch(executable);
    check_memory(where, wanted);
    return {};
}

std::string refused_update(bench& where, level l) {
    const built_graph from = make(where, 0, l);
    graph_spec wrong = graph_of(1);
    wrong.nodes.back() = empty_node{};
    const built_graph to = build(where, at_level(l, wrong, 1000));
    const exec::graph_exec executable = where.instantiate(from.graph.get());
    where.memories().clear();
    where.launch(executable);
    CHECK(!executable.update(to.graph.get()).accepted());
    where.launch(executable);
    check_memory(where, expected_of(1, l));
    return {};
}

std::string destroy_executable(bench& where, bool after_update) {
    const built_graph first = make(where, 0);
    const built_graph second = make(where, 1);
    where.memories().clear();
    {
        const exec::graph_exec executable = where.instantiate(first.graph.get());
        where.launch(executable);
        if (after_update) {
            REQUIRE(executable.update(second.graph.get()).accepted());
            where.launch(executable);
        }
    }
    check_memory(where, expected_of(after_update ? 2 : 1, level::top));
    return {};
}

// The graphs that an executable was made and updated from are not needed for its launches.
std::string destroy_sources(bench& where) {
    std::optional<built_graph> first(make(where, 0));
    std::optional<built_graph> second(make(where, 1));
    const exec::graph_exec executable = where.instantiate(first->graph.get());
    where.memories().clear();
    where.launch(executable);
    first.reset();
    REQUIRE(executable.update(second->graph.get()).accepted());
    second.reset();
    where.launch(executable);
    check_memory(where, expected_of(2, level::top));
    return {};
}

std::string two_streams(bench& where) {
    const built_graph first = make(where, 0);
    const built_graph second = make(where, 1);
    const exec::graph_exec one = where.instantiate(first.graph.get());
    const exec::graph_exec other = where.instantiate(second.graph.get());
    where.memories().clear();
    where.launch(one);
    other.launch(where.other_stream(), bench::site);
    REQUIRE(where.driver().cuStreamSynchronize(where.other_stream()) == CUDA_SUCCESS);
    check_memory(where, expected_of(2, level::top));
    return {};
}

// One executable, updated between launches on two streams.
std::string one_executable_on_two_streams(bench& where) {
    const built_graph first = make(where, 0);
    const built_graph second = make(where, 1);
    const exec::graph_exec executable = where.instantiate(first.graph.get());
    where.memories().clear();
    where.launch(executable);
    REQUIRE(executable.update(second.graph.get()).accepted());
    executable.launch(where.other_stream(), bench::site);
    REQUIRE(where.driver().cuStreamSynchronize(where.other_stream()) == CUDA_SUCCESS);
    check_memory(where, expected_of(2, level::top));
    return {};
}

std::string instantiate_another(bench& where) {
    const built_graph first = make(where, 0);
    const built_graph second = make(where, 1);
    const exec::graph_exec running = where.instantiate(first.graph.get());
    where.memories().clear();
    where.launch(running);
    const exec::graph_exec other = where.instantiate(second.graph.get());
    where.launch(other);
    check_memory(where, expected_of(2, level::top));
    return {};
}

}  // namespace

void add_in_flight_cases(suite& all) {
    for (const level l : {level::top, level::child, level::grandchild}) {
        all.add(std::string("in flight, update, ") + name_of(l),
                [l](bench& where) { return alternate(where, 2, l, upload::no); });
        all.add(std::string("in flight, update and upload, ") + name_of(l),
                [l](bench& where) { return alternate(where, 2, l, upload::yes); });
        all.add(std::string("in flight, a refused update, ") + name_of(l),
                [l](bench& where) { return refused_update(where, l); });
    }
    all.add("in flight, seven updates", [](bench& where) { return alternate(where, 8, level::top, upload::no); });
    all.add("in flight, seven updates and uploads", [](bench& where) { return alternate(where, 8, level::top, upload::yes); });
    all.add("in flight, set params", set_params);
    all.add("in flight, the executable destroyed", [](bench& where) { return destroy_executable(where, false); });
    all.add("in flight, the executable updated and destroyed", [](bench& where) { return destroy_executable(where, true); });
    all.add("in flight, the graphs destroyed", destroy_sources);
    all.add("in flight, two executables on two streams", two_streams);
    all.add("in flight, one executable on two streams", one_executable_on_two_streams);
    all.add("in flight, another graph instantiated", instantiate_another);
}

}  // namespace graphdedup::conformance
