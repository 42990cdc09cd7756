#include "change.hpp"

#include "expected_image.hpp"
#include "suite.hpp"

#include "driver/check.hpp"

#include <graphdedup/error.hpp>

#include <array>

namespace graphdedup::conformance {
namespace {

constexpr std::uint64_t from_base = 1000;
constexpr std::uint64_t to_base = 9000;

void check_runs(bench& where, const exec::graph_exec& executable, const graph_spec& as, const char* when) {
    const std::string difference = where.run(executable).difference_from(expected(as));
    expect(difference.empty(), std::string(when) + ": " + difference);
}

// The same graph with other arguments: an update to it has to work.
graph_spec with_other_arguments(graph_spec spec) {
    for (node_spec& node : spec.nodes) {
        if (auto* kernel = std::get_if<kernel_node>(&node)) kernel->report.a += 5000;
        if (auto* child = std::get_if<child_node>(&node)) node = child_of(with_other_arguments(*child->inner));
    }
    return spec;
}

void check_later_update(bench& where, const exec::graph_exec& executable, const graph_spec& from) {
    const graph_spec later = with_other_arguments(from);
    const built_graph built = build(where, later);
    const exec::update_outcome answer = executable.update(built.graph.get());
    expect(answer.accepted(), "a valid update after the refused one: " + exec::describe(where.driver(), answer));
    check_runs(where, executable, later, "after a valid update that followed the refused one");
}

outcome refusal_of(CUresult status) { return status == CUDA_ERROR_NOT_SUPPORTED ? outcome::not_supported : outcome::refused; }

seen_outcome judge_accepted(bench& where, const exec::graph_exec& executable, const change& tried) {
    image ran;
    try {
        ran = where.run(executable);
    } catch (const driver_error& error) {
        return {outcome::launch_fails, error.what()};
    }
    if (ran == expected(tried.to)) return {tried.visible ? outcome::applied : outcome::accepted, {}};
    if (tried.kept && ran == expected(*tried.kept)) return {outcome::kept, {}};
    const std::string difference = ran.difference_from(expected(tried.to));
    complain("accepted, and neither graph runs: " + difference);
    return {outcome::kept, difference};
}

seen_outcome judge(bench& where, const exec::graph_exec& executable, const change& tried, const exec::update_outcome& answer) {
    if (answer.accepted()) return judge_accepted(where, executable, tried);
    check_runs(where, executable, tried.from, "after a refused update");
    return {refusal_of(answer.status), exec::describe(where.driver(), answer)};
}

seen_outcome try_update_of(bench& where, const change& tried) {
    const built_graph from = build(where, tried.from);
    const built_graph to = build(where, tried.to);
    const exec::graph_exec executable = where.instantiate(from.graph.get(), tried.flags);
    check_runs(where, executable, tried.from, "before the update");
    const exec::update_outcome answer = executable.update(to.graph.get());
    const seen_outcome seen = judge(where, executable, tried, answer);
    const bool left_alone = seen.what == outcome::refused || seen.what == outcome::not_supported;
    // Where updates are not supported at all there is no valid one.
    if (seen.what == outcome::refused) check_later_update(where, executable, tried.from);
    if (left_alone) return seen;
    const exec::graph_exec fresh = where.instantiate(to.graph.get(), tried.flags);
    check_runs(where, fresh, tried.to, "a fresh executable");
    return seen;
}

seen_outcome try_set_params_of(bench& where, const change& tried, std::size_t index) {
    const built_graph from = build(where, tried.from);
    const built_graph to = build(where, tried.to);  // shows that the node itself can be made
    const exec::graph_exec executable = where.instantiate(from.graph.get(), tried.flags);
    check_runs(where, executable, tried.from, "before the change");
    const auto set = [&](const CUDA_KERNEL_NODE_PARAMS_v2& params) {
        return where.driver().cuGraphExecKernelNodeSetParams(executable.get(), from.nodes[index], &params);
    };
    const CUresult status = with_params(where, std::get<kernel_node>(tried.to.nodes[index]), set);
    if (status == CUDA_SUCCESS) return judge_accepted(where, executable, tried);
    check_runs(where, executable, tried.from, "after a refused change");
    return {refusal_of(status), driver_layer::status_name(where.driver(), status)};
}

template <typename function_type>
seen_outcome or_unavailable(const function_type& attempt) {
    try {
        return attempt();
    } catch (const unavailable_error& error) {
        return {outcome::unavailable, error.what()};
    }
}

}  // namespace

std::string to_text(const seen_outcome& seen) {
    return std::string(name_of(seen.what)) + (seen.detail.empty() ? "" : " (" + seen.detail + ")");
}

seen_outcome try_update(bench& where, const change& tried) {
    return or_unavailable([&] { return try_update_of(where, tried); });
}

seen_outcome try_set_params(bench& where, const change& tried, std::size_t index) {
    return or_unavailable([&] { return try_set_params_of(where, tried, index); });
}

std::function<std::string(bench&)> updating(std::string fact, change tried) {
    return [fact = std::move(fact), tried = std::move(tried)](bench& where) {
        const seen_outcome seen = try_update(where, tried);
        check_fact(where.known_as(), fact, seen.what);
        return to_text(seen);
    };
}

std::function<std::string(bench&)> setting_params(std::string fact, change tried, std::size_t index) {
    return [fact = std::move(fact), tried = std::move(tried), index](bench& where) {
        const seen_outcome seen = try_set_params(where, tried, index);
        check_fact(where.known_as(), fact, seen.what);
        return to_text(seen);
    };
}

kernel_node numbered_kernel(std::size_t index, std::uint64_t base) {
    kernel_node node;
    node.report.slot = static_cast<std::uint32_t>(index);
    node.report.a = base + index;
    node.report.b = ~base - index;
    return node;
}

std::vector<node_spec> numbered_kernels(std::uint64_t base, std::size_t count) {
    std::vector<node_spec> nodes;
    for (std::size_t i = 0; i < count; ++i) nodes.emplace_back(numbered_kernel(i, base));
    return nodes;
}

const char* name_of(position p) noexcept {
    constexpr std::array names{"first", "middle", "last"};
    return names[static_cast<std::size_t>(p)];
}

std::size_t index_of(position p) noexcept {
    constexpr std::array<std::size_t, 3> indices{0, chain_length / 2, chain_length - 1};
    return indices[static_cast<std::size_t>(p)];
}

const char* name_of(level l) noexcept {
    constexpr std::array names{"top", "child", "grandchild"};
    return names[static_cast<std::size_t>(l)];
}

graph_spec at_level(level l, graph_spec inner, std::uint64_t base) {
    constexpr std::size_t first_outer_slot = 240;
    std::size_t slot = first_outer_slot;
    for (int depth = 0; depth < static_cast<int>(l); ++depth, slot += 2) {
        inner = chain_of({numbered_kernel(slot, base), child_of(std::move(inner)), numbered_kernel(slot + 1, base)});
    }
    return inner;
}

change at_level(level l, const change& inner) {
    change outer = inner;
    outer.from = at_level(l, inner.from, from_base);
    outer.to = at_level(l, inner.to, to_base);
    if (inner.kept) outer.kept = at_level(l, *inner.kept, to_base);
    return outer;
}

change replacing(position p, const node_spec& from, const node_spec& to, bool others_differ) {
    change made;
    auto old_nodes = numbered_kernels(from_base);
    auto new_nodes = numbered_kernels(others_differ ? to_base : from_base);
    old_nodes[index_of(p)] = from;
    new_nodes[index_of(p)] = to;
    made.from = chain_of(std::move(old_nodes));
    made.to = chain_of(std::move(new_nodes));
    return made;
}

change replacing(position p, const node_spec& from, const node_spec& to, const node_spec& kept, bool others_differ) {
    change made = replacing(p, from, to, others_differ);
    made.kept = made.to;
    made.kept->nodes[index_of(p)] = kept;
    return made;
}

}  // namespace graphdedup::conformance
