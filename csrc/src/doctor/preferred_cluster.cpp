#include "doctor/preferred_cluster.hpp"

#include "snapshot/attribute_table.hpp"

#include <cstring>

namespace graphdedup::doctor {
namespace {

CUlaunchAttribute shape_attribute(std::uint16_t id, std::uint32_t x) {
    CUlaunchAttribute attribute{};
    attribute.id = static_cast<CUlaunchAttributeID>(id);
    attribute.value.clusterDim = {x, 1, 1};
    return attribute;
}

bool is_readable(const lab& where, CUgraph graph) {
    CUgraphNode node = nullptr;
    std::size_t count = 1;
    if (where.driver().cuGraphGetNodes(graph, &node, &count) != CUDA_SUCCESS || count != 1) return false;
    CUlaunchAttributeValue value{};
    const auto id = static_cast<CUlaunchAttributeID>(snapshot::attribute_preferred_cluster_dimension);
    return where.driver().cuGraphKernelNodeGetAttribute(node, id, &value) == CUDA_SUCCESS && value.clusterDim.x == 4;
}

preferred_cluster_behaviour observe(const lab& where) {
    report_node node;
    node.grid = {8, 1, 1};
    CUlaunchAttribute attributes[] = {shape_attribute(snapshot::attribute_cluster_dimension, 2),
                                      shape_attribute(snapshot::attribute_preferred_cluster_dimension, 4)};
    const std::optional<driver_layer::owned_graph> captured = where.capture(node, attributes);
    if (!captured) return {};
    preferred_cluster_behaviour seen;
    seen.accepted = true;
    seen.readable = is_readable(where, captured->get());
    where.run(where.instantiate(captured->get()));
    seen.honoured = where.report(node.slot).cluster[0] != 2;
    return seen;
}

}  // namespace

preferred_cluster_behaviour try_preferred_cluster(const lab& where) noexcept {
    try {
        return observe(where);
    } catch (...) {
        return {.accepted = true, .honoured = true, .readable = false};
    }
}

}  // namespace graphdedup::doctor
