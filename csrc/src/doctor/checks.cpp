#include "doctor/checks.hpp"

#include <functional>

namespace graphdedup::doctor {
namespace {

using chain = lab::chain;

// Empty if every node reported what it was asked to run.
std::string compare(const lab& where, std::span<const report_node> nodes) {
    for (const report_node& node : nodes) {
        if (where.report(node.slot) != where.expected(node)) return "node " + std::to_string(node.slot) + " ran otherwise";
    }
    return {};
}

chain chain_of(const lab& where, std::span<const report_node> nodes) {
    chain made(where);
    for (const report_node& node : nodes) made.kernel(node);
    return made;
}

constexpr std::uint32_t chain_length = 8;

std::vector<report_node> numbered(std::uint64_t base) {
    std::vector<report_node> nodes(chain_length);
    for (std::uint32_t i = 0; i < chain_length; ++i) {
        nodes[i].slot = i;
        nodes[i].a = base + i;
        nodes[i].b = ~base - i;
    }
    return nodes;
}

// The update has to be accepted, and every node has to run as in the new graph.
std::string applies(const lab& where, const std::vector<report_node>& from, const std::vector<report_node>& to) {
    const chain first = chain_of(where, from);
    const chain second = chain_of(where, to);
    const exec::graph_exec executable = where.instantiate(first);
    where.run(executable);
    if (const std::string wrong = compare(where, from); !wrong.empty()) return "before the update " + wrong;
    const exec::update_outcome outcome = executable.update(second.graph());
    if (!outcome.accepted()) return "refused: " + exec::describe(where.driver(), outcome);
    where.run(executable);
    return compare(where, to);
}

// The update has to be refused, and every node has to run as before.
std::string preserves(const lab& where, const std::vector<report_node>& from, const chain& first, const chain& second) {
    const exec::graph_exec executable = where.instantiate(first);
    const exec::update_outcome outcome = executable.update(second.graph());
    if (outcome.accepted()) return "accepted, so that nothing was seen of a refusal";
    where.run(executable);
    return compare(where, from);
}

std::string applies_arguments(const lab& where) { return applies(where, numbered(100), numbered(900)); }

std::string applies_grid(const lab& where) {
    auto to = numbered(100);
    for (report_node& node : to) node.grid = {8, 2, 6};
    return applies(where, numbered(100), to);
}

std::string applies_kernel(const lab& where) {
    auto to = numbered(300);
    for (report_node& node : to) {
        node.kernel = "gd_report_b";
        node.block = {64, 2, 1};
        node.dynamic_shared_bytes = 1024;
    }
    return applies(where, numbered(100), to);
}

// All nodes differ in arguments, so that one that was applied shows; the node at `offender` makes the update invalid.
std::string preserves_after_kind_change(const lab& where, std::uint32_t offender) {
    const auto from = numbered(100);
    const auto to = numbered(900);
    chain second(where);
    for (std::uint32_t i = 0; i < chain_length; ++i) {
        if (i == offender) {
            second.memset(lab::slot_count - 1);
        } else {
            second.kernel(to[i]);
        }
    }
    return preserves(where, from, chain_of(where, from), second);
}

std::string preserves_after_extra_node(const lab& where) {
    const auto from = numbered(100);
    chain second = chain_of(where, numbered(900));
    second.empty();
    return preserves(where, from, chain_of(where, from), second);
}

std::string preserves_after_cooperative_change(const lab& where) {
    auto from = numbered(100);
    auto to = numbered(900);
    to.back().cooperative = true;
    return preserves(where, from, chain_of(where, from), chain_of(where, to));
}

std::string preserves_after_refusal_in_child(const lab& where) {
    const auto from = numbered(100);
    const auto to = numbered(900);
    const std::span<const report_node> head(from.data(), chain_length / 2);
    const std::span<const report_node> tail(from.data() + chain_length / 2, chain_length / 2);
    chain first = chain_of(where, head);
    first.child(chain_of(where, tail));
    chain inner = chain_of(where, std::span(to.data() + chain_length / 2, chain_length / 2 - 1));
    inner.memset(lab::slot_count - 1);
    chain second = chain_of(where, std::span(to.data(), chain_length / 2));
    second.child(inner);
    return preserves(where, from, first, second);
}

// Two launches are queued with an update between them; each has to run its own graph. Both report, to slots of their own.
std::string updates_in_flight(const lab& where) {
    const auto from = numbered(100);
    auto to = numbered(900);
    for (report_node& node : to) node.slot += chain_length;
    const chain first = chain_of(where, from);
    const chain second = chain_of(where, to);
    const exec::graph_exec executable = where.instantiate(first);
    where.clear();
    where.launch(executable);
    const exec::update_outcome outcome = executable.update(second.graph());
    if (!outcome.accepted()) return "refused: " + exec::describe(where.driver(), outcome);
    where.launch(executable);
    where.synchronize();
    const std::string wrong = compare(where, from);
    return wrong.empty() ? compare(where, to) : wrong;
}

std::string applies_cluster(const lab& where, std::optional<cluster_shape> from_shape, std::optional<cluster_shape> to_shape) {
    auto from = numbered(100);
    auto to = numbered(900);
    for (report_node& node : from) node.cluster = from_shape;
    for (report_node& node : to) node.cluster = to_shape;
    return applies(where, from, to);
}

std::string applies_static_cluster(const lab& where, std::string_view from_kernel, std::string_view to_kernel) {
    auto from = numbered(100);
    auto to = numbered(900);
    for (report_node& node : from) node.kernel = from_kernel;
    for (report_node& node : to) node.kernel = to_kernel;
    return applies(where, from, to);
}

struct check_entry {
    const char* name;
    need needed;
    bool wants_clusters;
    std::function<std::string(const lab&)> run;
};

const std::vector<check_entry>& entries() {
    static const std::vector<check_entry> all = {
        {"an update applies arguments", need::sharing, false, applies_arguments},
        {"an update applies grid dimensions", need::sharing, false, applies_grid},
        {"an update applies function, block dimensions and dynamic shared memory", need::sharing, false, applies_kernel},
        {"a refused update changes nothing: node kind, last node", need::sharing, false,
         [](const lab& where) { return preserves_after_kind_change(where, chain_length - 1); }},
        {"a refused update changes nothing: node kind, middle node", need::sharing, false,
         [](const lab& where) { return preserves_after_kind_change(where, chain_length / 2); }},
        {"a refused update changes nothing: another node count", need::sharing, false, preserves_after_extra_node},
        {"a refused update changes nothing: cooperative changed, last node", need::sharing, false,
         preserves_after_cooperative_change},
        {"a refused update changes nothing: in a child graph", need::sharing, false, preserves_after_refusal_in_child},
        {"an update leaves launches in flight alone", need::sharing, false, updates_in_flight},
        {"an update applies a cluster shape: none to (2,1,1)", need::information, true,
         [](const lab& where) { return applies_cluster(where, std::nullopt, cluster_shape{2, 1, 1}); }},
        {"an update applies a cluster shape: (2,1,1) to none", need::information, true,
         [](const lab& where) { return applies_cluster(where, cluster_shape{2, 1, 1}, std::nullopt); }},
        {"an update applies a cluster shape: (2,1,1) to (1,2,2)", need::information, true,
         [](const lab& where) { return applies_cluster(where, cluster_shape{2, 1, 1}, cluster_shape{1, 2, 2}); }},
        {"an update applies a function's static cluster shape: none to (2,1,1)", need::information, true,
         [](const lab& where) { return applies_static_cluster(where, "gd_report_a", "gd_report_c2"); }},
        {"an update applies a function's static cluster shape: (2,1,1) to none", need::information, true,
         [](const lab& where) { return applies_static_cluster(where, "gd_report_c2", "gd_report_a"); }},
    };
    return all;
}

}  // namespace

std::vector<finding> run_checks(const lab& where, need up_to) {
    std::vector<finding> findings;
    for (const check_entry& entry : entries()) {
        if (entry.needed > up_to || (entry.wants_clusters && !where.has_clusters())) continue;
        const std::string wrong = entry.run(where);
        findings.push_back({entry.name, entry.needed, wrong.empty(), wrong});
    }
    return findings;
}

}  // namespace graphdedup::doctor
