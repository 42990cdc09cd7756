// Nodes whose graphs never share: memory, conditional and device-updatable ones.
#include "cases.hpp"
#include "change.hpp"
#include "expected_image.hpp"

#include "driver/check.hpp"

#include <doctest/doctest.h>

namespace graphdedup::conformance {
namespace {

using driver_layer::owned_graph;

owned_graph create_graph(bench& where) {
    CUgraph graph = nullptr;
    REQUIRE(where.driver().cuGraphCreate(&graph, 0) == CUDA_SUCCESS);
    return {where.driver(), graph};
}

CUgraphNode add_node(bench& where, CUgraph graph, CUgraphNode after, CUgraphNodeParams& params) {
    CUgraphNode made = nullptr;
    const CUgraphEdgeData data{};
    const CUresult status = where.driver().cuGraphAddNode(&made, graph, &after, &data, after != nullptr ? 1 : 0, &params);
    REQUIRE(status == CUDA_SUCCESS);
    return made;
}

CUgraphNode add_kernel(bench& where, CUgraph graph, CUgraphNode after, const kernel_node& kernel) {
    CUgraphNode made = nullptr;
    const auto add = [&](const CUDA_KERNEL_NODE_PARAMS_v2& params) {
        return where.driver().cuGraphAddKernelNode(&made, graph, &after, after != nullptr ? 1 : 0, &params);
    };
    REQUIRE(with_params(where, kernel, add) == CUDA_SUCCESS);
    return made;
}

// Allocates, runs a kernel, frees.
owned_graph with_memory_nodes(bench& where, std::uint64_t base) {
    owned_graph made = create_graph(where);
    CUgraphNodeParams allocation{};
    allocation.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    allocation.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    allocation.alloc.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    allocation.alloc.bytesize = 65536;
    CUgraphNode last = add_node(where, made.get(), nullptr, allocation);
    last = add_kernel(where, made.get(), last, numbered_kernel(0, base));
    CUgraphNodeParams freeing{};
    freeing.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
    freeing.free.dptr = allocation.alloc.dptr;
    add_node(where, made.get(), last, freeing);
    return made;
}

graph_spec one_kernel(std::uint64_t base) { return chain_of({numbered_kernel(0, base)}); }

void expect_same(const image& ran, const image& wanted) {
    const std::string difference = ran.difference_from(wanted);
    expect(difference.empty(), difference);
}

outcome yes_if(CUresult status) { return status == CUDA_SUCCESS ? outcome::yes : outcome::no; }

std::string conclude(bench& where, const char* fact, outcome seen) {
    check_fact(where.known_as(), fact, seen);
    return std::string(name_of(seen));
}

// Of an executable of `first`, asked to take `second`; both have one kernel, of the bases 1000 and 9000.
std::string update_single_kernel(bench& where, const char* fact, CUgraph first, CUgraph second) {
    const exec::graph_exec executable = where.instantiate(first);
    expect_same(where.run(executable), expected(one_kernel(1000)));
    const exec::update_outcome answer = executable.update(second);
    const image ran = where.run(executable);
    expect_same(ran, expected(one_kernel(answer.accepted() ? 9000 : 1000)));
    const outcome seen = answer.accepted()                           ? outcome::applied
                         : answer.status == CUDA_ERROR_NOT_SUPPORTED ? outcome::not_supported
                                                                     : outcome::refused;
    check_fact(where.known_as(), fact, seen);
    return to_text({seen, answer.accepted() ? "" : exec::describe(where.driver(), answer)});
}

std::string instantiate_memory_twice(bench& where) {
    const owned_graph graph = with_memory_nodes(where, 1000);
    const exec::graph_exec first = where.instantiate(graph.get());
    CUgraphExec second = nullptr;
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    const CUresult status = where.driver().cuGraphInstantiateWithParams(&second, graph.get(), &params);
    expect_same(where.run(first), expected(one_kernel(1000)));
    if (second != nullptr) static_cast<void>(where.driver().cuGraphExecDestroy(second));
    return conclude(where, "memory nodes, a second executable", yes_if(status));
}

std::string clone_memory(bench& where) {
    const owned_graph graph = with_memory_nodes(where, 1000);
    CUgraph clone = nullptr;
    const CUresult status = where.driver().cuGraphClone(&clone, graph.get());
    const owned_graph owner(where.driver(), status == CUDA_SUCCESS ? clone : nullptr);
    return conclude(where, "memory nodes, a clone", yes_if(status));
}

std::string memory_as_child(bench& where) {
    const owned_graph graph = with_memory_nodes(where, 1000);
    const owned_graph outer = create_graph(where);
    CUgraphNode node = nullptr;
    const CUresult status = where.driver().cuGraphAddChildGraphNode(&node, outer.get(), nullptr, 0, graph.get());
    return conclude(where, "memory nodes, a child graph", yes_if(status));
}

std::string update_memory(bench& where, bool source_is_taken) {
    const owned_graph first = with_memory_nodes(where, 1000);
    const owned_graph second = with_memory_nodes(where, 9000);
    std::optional<exec::graph_exec> holder;
    if (source_is_taken) holder.emplace(where.instantiate(second.get()));
    return update_single_kernel(where,
                                source_is_taken ? "memory nodes, update from an instantiated graph" : "memory nodes, update",
                                first.get(), second.get());
}

// A condition that holds from the beginning of each launch, or does not, and one kernel inside.
owned_graph with_conditional(bench& where, unsigned int condition, const node_spec& body) {
    owned_graph made = create_graph(where);
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.conditional.type = CU_GRAPH_COND_TYPE_IF;
    params.conditional.size = 1;
    params.conditional.ctx = where.context();
    REQUIRE(where.driver().cuGraphConditionalHandleCreate(&params.conditional.handle, made.get(), where.context(), condition,
                                                          CU_GRAPH_COND_ASSIGN_DEFAULT) == CUDA_SUCCESS);
    add_node(where, made.get(), nullptr, params);
    CUgraph const inside = params.conditional.phGraph_out[0];
    if (const auto* kernel = std::get_if<kernel_node>(&body)) {
        add_kernel(where, inside, nullptr, *kernel);
    } else {
        CUgraphNode empty = nullptr;
        REQUIRE(where.driver().cuGraphAddEmptyNode(&empty, inside, nullptr, 0) == CUDA_SUCCESS);
    }
    return made;
}

std::string update_conditional_body(bench& where) {
    const owned_graph first = with_conditional(where, 1, numbered_kernel(0, 1000));
    const owned_graph second = with_conditional(where, 1, numbered_kernel(0, 9000));
    return update_single_kernel(where, "conditional, update of the body", first.get(), second.get());
}

std::string update_conditional_kind(bench& where) {
    const owned_graph first = with_conditional(where, 1, numbered_kernel(0, 1000));
    const owned_graph second = with_conditional(where, 1, empty_node{});
    return update_single_kernel(where, "conditional, update to another kind of node in the body", first.get(), second.get());
}

std::string run_conditional(bench& where, bool condition) {
    const owned_graph graph = with_conditional(where, condition ? 1 : 0, numbered_kernel(0, 1000));
    const image ran = where.run(where.instantiate(graph.get()));
    expect_same(ran, condition ? expected(one_kernel(1000)) : image());
    return {};
}

kernel_node updatable(std::size_t index, std::uint64_t base) {
    kernel_node node = numbered_kernel(index, base);
    CUlaunchAttributeValue value{};
    value.deviceUpdatableKernelNode.deviceUpdatable = 1;
    node.attributes.push_back({CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, value});
    return node;
}

void add_device_updatable(suite& all) {
    for (const position p : positions) {
        const std::size_t i = index_of(p);
        const std::string at = std::string(", ") + name_of(p) + " node";
        const std::string fact = "device-updatable, update";
        all.add("device-updatable, to plain" + at,
                updating(fact, replacing(p, updatable(i, 1000), numbered_kernel(i, 9000), true)));
        all.add("device-updatable, from plain" + at,
                updating(fact, replacing(p, numbered_kernel(i, 1000), updatable(i, 9000), true)));
        all.add("device-updatable, kept" + at, updating(fact, replacing(p, updatable(i, 1000), updatable(i, 9000), true)));
        all.add("device-updatable, set params" + at,
                setting_params("device-updatable, set params", replacing(p, updatable(i, 1000), updatable(i, 9000), false), i));
    }
    all.add("device-updatable, a second executable", [](bench& where) {
        const built_graph graph = build(where, chain_of({updatable(0, 1000)}));
        const exec::graph_exec first = where.instantiate(graph.graph.get());
        CUgraphExec second = nullptr;
        CUDA_GRAPH_INSTANTIATE_PARAMS params{};
        const CUresult status = where.driver().cuGraphInstantiateWithParams(&second, graph.graph.get(), &params);
        if (second != nullptr && status == CUDA_SUCCESS) static_cast<void>(where.driver().cuGraphExecDestroy(second));
        expect_same(where.run(first), expected(one_kernel(1000)));
        return conclude(where, "device-updatable, a second executable", yes_if(status));
    });
}

}  // namespace

void add_special_node_cases(suite& all) {
    all.add("memory nodes, a second executable", instantiate_memory_twice);
    all.add("memory nodes, a clone", clone_memory);
    all.add("memory nodes, a child graph", memory_as_child);
    all.add("memory nodes, update", [](bench& where) { return update_memory(where, false); });
    all.add("memory nodes, update from an instantiated graph", [](bench& where) { return update_memory(where, true); });
    all.add("conditional, the condition holds", [](bench& where) { return run_conditional(where, true); });
    all.add("conditional, the condition does not hold", [](bench& where) { return run_conditional(where, false); });
    all.add("conditional, update of the body", update_conditional_body);
    all.add("conditional, update to another kind of node in the body", update_conditional_kind);
    add_device_updatable(all);
}

}  // namespace graphdedup::conformance
