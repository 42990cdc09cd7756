#include "update_judge.hpp"

#include "memory.hpp"
#include "world.hpp"

#include <cstring>

namespace graphdedup_sim {
namespace {

constexpr CUgraphExecUpdateResult success = CU_GRAPH_EXEC_UPDATE_SUCCESS;
constexpr CUgraphExecUpdateResult parameters_changed = CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
constexpr CUgraphExecUpdateResult attributes_changed = CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
constexpr CUgraphExecUpdateResult function_changed = CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;

template <typename type>
bool same_bytes(const type& a, const type& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

bool launches_from_device(const kernel_params& kernel) {
    const function_object* function =
        kernel.function != nullptr ? here().functions.find(kernel.function) : here().kernels.find(kernel.kernel);
    return function != nullptr && function->attribute(GDSIM_FUNCTION_LAUNCHES_FROM_DEVICE) != 0;
}

CUgraphExecUpdateResult judge_kernel(const kernel_params& held, const kernel_params& wanted, bool by_priority) {
    if (held.context != wanted.context) return function_changed;
    if (launches_from_device(wanted) && !launches_from_device(held)) return function_changed;
    if ((held.attributes.cooperative() != 0) != (wanted.attributes.cooperative() != 0)) return attributes_changed;
    if (by_priority && held.attributes.priority() != wanted.attributes.priority()) return attributes_changed;
    return success;
}

// A unified address counts as what it points to.
struct operand_place {
    bool is_host = false;
    bool is_array = false;
    bool is_pooled = false;
    CUdevice device = -1;

    bool operator==(const operand_place&) const = default;
};

operand_place place_of(CUmemorytype type, CUdeviceptr address) {
    if (type == CU_MEMORYTYPE_HOST) return {true, false, false, -1};
    if (type == CU_MEMORYTYPE_ARRAY) return {false, true, false, -1};
    const CUdevice device = device_of_address(address);
    return {type == CU_MEMORYTYPE_UNIFIED && device < 0, false, is_pooled(address), device};
}

bool is_linear(const CUDA_MEMCPY3D& copy) { return copy.Height == 1 && copy.Depth == 1; }

CUgraphExecUpdateResult judge_copy(const memcpy_params& held, const memcpy_params& wanted) {
    const CUDA_MEMCPY3D& a = held.copy;
    const CUDA_MEMCPY3D& b = wanted.copy;
    if (held.context != wanted.context) return parameters_changed;
    if (place_of(a.srcMemoryType, a.srcDevice) != place_of(b.srcMemoryType, b.srcDevice)) return parameters_changed;
    if (place_of(a.dstMemoryType, a.dstDevice) != place_of(b.dstMemoryType, b.dstDevice)) return parameters_changed;
    if (is_linear(a) && is_linear(b)) return success;
    return same_bytes(a, b) ? success : parameters_changed;
}

CUgraphExecUpdateResult judge_fill(const memset_params& held, const memset_params& wanted) {
    const CUDA_MEMSET_NODE_PARAMS& a = held.set;
    const CUDA_MEMSET_NODE_PARAMS& b = wanted.set;
    if (held.context != wanted.context || device_of_address(a.dst) != device_of_address(b.dst)) return parameters_changed;
    if (a.height == 1 && b.height == 1) return success;
    const bool same_shape = a.height == b.height && a.width == b.width && a.pitch == b.pitch && a.elementSize == b.elementSize;
    return same_shape ? success : parameters_changed;
}

bool same_conditional(const conditional_params& held, const conditional_params& wanted) {
    return held.type == wanted.type && held.bodies.size() == wanted.bodies.size();
}

// Nodes of one kind.
CUgraphExecUpdateResult judge_params(const exec_node& held, const exec_node& wanted, bool by_priority) {
    const auto compare = [](bool same) { return same ? success : parameters_changed; };
    switch (held.type) {
        case CU_GRAPH_NODE_TYPE_KERNEL:
            return judge_kernel(std::get<kernel_params>(held.applied), std::get<kernel_params>(wanted.asked), by_priority);
        case CU_GRAPH_NODE_TYPE_MEMCPY:
            return judge_copy(std::get<memcpy_params>(held.applied), std::get<memcpy_params>(wanted.asked));
        case CU_GRAPH_NODE_TYPE_MEMSET:
            return judge_fill(std::get<memset_params>(held.applied), std::get<memset_params>(wanted.asked));
        case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
            return compare(std::get<counted_params>(held.applied).count == std::get<counted_params>(wanted.asked).count);
        case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
            return compare(std::get<alloc_params>(held.applied).size_bytes == std::get<alloc_params>(wanted.asked).size_bytes);
        case CU_GRAPH_NODE_TYPE_CONDITIONAL:
            return compare(
                same_conditional(std::get<conditional_params>(held.applied), std::get<conditional_params>(wanted.asked)));
        default: return success;
    }
}

// The first incoming edge of `wanted` without a partner at the same place; accepted if there is none.
update_verdict judge_edges(const exec_node& held, const exec_node& wanted, const exec_graph& wanted_graph) {
    constexpr CUgraphExecUpdateResult topology = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    for (std::size_t i = 0; i < wanted.incoming.size(); ++i) {
        const exec_edge& e = wanted.incoming[i];
        const bool paired =
            i < held.incoming.size() && held.incoming[i].from == e.from && same_bytes(held.incoming[i].data, e.data);
        if (!paired) return {topology, wanted.source, wanted_graph.nodes[e.from].source};
    }
    if (held.incoming.size() != wanted.incoming.size()) return {topology, wanted.source, nullptr};
    return {};
}

update_verdict judge_node(const exec_node& held, const exec_node& wanted, bool by_priority) {
    if (held.type != wanted.type) return {CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, wanted.source, nullptr};
    const CUgraphExecUpdateResult result = judge_params(held, wanted, by_priority);
    if (result != success) return {result, wanted.source, nullptr};
    for (std::size_t i = 0; i < held.inner.size(); ++i) {
        update_verdict inner = judge_update(held.inner[i], wanted.inner[i], by_priority);
        if (inner.accepted()) continue;
        if (inner.node == nullptr) inner.node = wanted.source;
        return inner;
    }
    return {};
}

}  // namespace

update_verdict judge_update(const exec_graph& body, const exec_graph& wanted, bool by_priority) {
    if (body.nodes.size() != wanted.nodes.size()) return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr, nullptr};
    for (std::size_t i = 0; i < body.nodes.size(); ++i) {
        const update_verdict edges = judge_edges(body.nodes[i], wanted.nodes[i], wanted);
        if (!edges.accepted()) return edges;
        const update_verdict node = judge_node(body.nodes[i], wanted.nodes[i], by_priority);
        if (!node.accepted()) return node;
    }
    return {};
}

}  // namespace graphdedup_sim
