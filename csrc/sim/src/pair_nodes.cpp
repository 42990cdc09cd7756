#include "pair_nodes.hpp"

#include <optional>

namespace graphdedup_sim {
namespace {

constexpr std::size_t nobody = static_cast<std::size_t>(-1);

std::vector<std::size_t> sinks_of(const exec_graph& graph) {
    std::vector<bool> has_dependent(graph.nodes.size());
    for (const exec_node& node : graph.nodes) {
        for (const exec_edge& e : node.incoming) has_dependent[e.from] = true;
    }
    std::vector<std::size_t> sinks;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (!has_dependent[i]) sinks.push_back(i);
    }
    return sinks;
}

class pairing {
  public:
    pairing(const exec_graph& held, const exec_graph& wanted)
        : held_(held),
          wanted_(wanted),
          partner_(held.nodes.size(), nobody) {}

    // For each node held, by index, the one wanted.
    std::optional<std::vector<std::size_t>> find() {
        const std::vector<std::size_t> held_sinks = sinks_of(held_);
        const std::vector<std::size_t> wanted_sinks = sinks_of(wanted_);
        if (held_.nodes.size() != wanted_.nodes.size() || held_sinks.size() != wanted_sinks.size()) return std::nullopt;
        std::vector<bool> is_taken(wanted_.nodes.size());
        for (std::size_t i = 0; i < held_sinks.size(); ++i) open_.emplace_back(held_sinks[i], wanted_sinks[i]);
        while (!open_.empty()) {
            const auto [held, wanted] = open_.back();
            open_.pop_back();
            if (partner_[held] == wanted) continue;
            if (partner_[held] != nobody || is_taken[wanted] || !follow(held, wanted)) return std::nullopt;
            partner_[held] = wanted;
            is_taken[wanted] = true;
        }
        return std::move(partner_);
    }

  private:
    bool follow(std::size_t held, std::size_t wanted) {
        const auto& old_edges = held_.nodes[held].incoming;
        const auto& new_edges = wanted_.nodes[wanted].incoming;
        if (old_edges.size() != new_edges.size()) return false;
        for (std::size_t i = 0; i < old_edges.size(); ++i) open_.emplace_back(old_edges[i].from, new_edges[i].from);
        return true;
    }

    const exec_graph& held_;
    const exec_graph& wanted_;
    std::vector<std::size_t> partner_;
    std::vector<std::pair<std::size_t, std::size_t>> open_;  // pairs to look at: held, wanted
};

void reorder(exec_graph& wanted, const std::vector<std::size_t>& partner) {
    std::vector<std::size_t> place(partner.size());
    for (std::size_t i = 0; i < partner.size(); ++i) place[partner[i]] = i;
    std::vector<exec_node> nodes(partner.size());
    for (std::size_t i = 0; i < partner.size(); ++i) {
        nodes[i] = std::move(wanted.nodes[partner[i]]);
        for (exec_edge& e : nodes[i].incoming) e.from = place[e.from];
    }
    wanted.nodes = std::move(nodes);
    for (std::size_t& index : wanted.order) index = place[index];
}

}  // namespace

void align_nodes(const exec_graph& held, exec_graph& wanted) {
    const std::optional<std::vector<std::size_t>> partner = pairing(held, wanted).find();
    if (!partner) return;
    reorder(wanted, *partner);
    for (std::size_t i = 0; i < held.nodes.size(); ++i) {
        exec_node& node = wanted.nodes[i];
        const std::vector<exec_graph>& inner = held.nodes[i].inner;
        for (std::size_t j = 0; j < inner.size() && j < node.inner.size(); ++j) align_nodes(inner[j], node.inner[j]);
    }
}

}  // namespace graphdedup_sim
