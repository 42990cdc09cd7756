#include "graph_spec.hpp"

#include "bench.hpp"
#include "expected_image.hpp"

#include "driver/check.hpp"

namespace graphdedup::conformance {
namespace {

void demand(bench& where, CUresult status, const char* call) {
    if (status != CUDA_SUCCESS)
        throw unavailable_error(std::string(call) + ": " + driver_layer::status_name(where.driver(), status));
}

void* to_host(CUdeviceptr address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

CUmemorytype type_of(memory m) { return is_host(m) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE; }

// Adds one node, without edges, to a graph.
class node_maker {
  public:
    node_maker(bench& where, CUgraph graph) : where_(where), graph_(graph) {}

    CUgraphNode operator()(const kernel_node& node) const {
        CUgraphNode made = nullptr;
        const auto add = [&](const CUDA_KERNEL_NODE_PARAMS_v2& params) {
            return where_.driver().cuGraphAddKernelNode(&made, graph_, nullptr, 0, &params);
        };
        demand(where_, with_params(where_, node, add), "cuGraphAddKernelNode");
        const auto set = [&](CUlaunchAttributeID id, const CUlaunchAttributeValue& value) {
            demand(where_, where_.driver().cuGraphKernelNodeSetAttribute(made, id, &value), "cuGraphKernelNodeSetAttribute");
        };
        CUlaunchAttributeValue value{};
        if (node.report.cluster) {
            value.clusterDim = {node.report.cluster->x, node.report.cluster->y, node.report.cluster->z};
            set(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, value);
        }
        value = {};
        value.cooperative = 1;
        if (node.report.cooperative) set(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, value);
        for (const launch_attribute& attribute : node.attributes) set(attribute.id, attribute.value);
        return made;
    }

    CUgraphNode operator()(const memset_node& node) const {
        CUDA_MEMSET_NODE_PARAMS params{};
        params.dst = where_.memories().address(node.to);
        params.value = node.value;
        params.elementSize = node.element_bytes;
        params.width = node.width;
        params.height = node.height;
        params.pitch = node.pitch_bytes;
        CUgraphNode made = nullptr;
        demand(where_, where_.driver().cuGraphAddMemsetNode(&made, graph_, nullptr, 0, &params, where_.context()),
               "cuGraphAddMemsetNode");
        return made;
    }

    CUgraphNode operator()(const memcpy_node& node) const {
        const CUdeviceptr from = where_.memories().pattern_address(node.from, node.from_offset_bytes);
        const CUdeviceptr to = where_.memories().address(node.to);
        CUDA_MEMCPY3D params{};
        params.srcMemoryType = type_of(node.from);
        params.srcDevice = is_host(node.from) ? 0 : from;
        params.srcHost = is_host(node.from) ? to_host(from) : nullptr;
        params.srcPitch = node.from_pitch_bytes;
        params.srcHeight = node.depth > 1 ? node.height : 0;
        params.dstMemoryType = type_of(node.to.where);
        params.dstDevice = is_host(node.to.where) ? 0 : to;
        params.dstHost = is_host(node.to.where) ? to_host(to) : nullptr;
        params.dstPitch = node.to_pitch_bytes;
        params.dstHeight = node.depth > 1 ? node.height : 0;
        params.WidthInBytes = node.width_bytes;
        params.Height = node.height;
        params.Depth = node.depth;
        CUgraphNode made = nullptr;
        demand(where_, where_.driver().cuGraphAddMemcpyNode(&made, graph_, nullptr, 0, &params, where_.context()),
               "cuGraphAddMemcpyNode");
        return made;
    }

    CUgraphNode operator()(const host_node& node) const {
        CUDA_HOST_NODE_PARAMS params{};
        params.fn = node.second_function ? write_second_tag : write_first_tag;
        params.userData = to_host(where_.memories().address({memory::pageable, node.slot, 0}));
        CUgraphNode made = nullptr;
        demand(where_, where_.driver().cuGraphAddHostNode(&made, graph_, nullptr, 0, &params), "cuGraphAddHostNode");
        return made;
    }

    CUgraphNode operator()(const event_record_node& node) const {
        CUgraphNode made = nullptr;
        demand(where_, where_.driver().cuGraphAddEventRecordNode(&made, graph_, nullptr, 0, node.event),
               "cuGraphAddEventRecordNode");
        return made;
    }

    CUgraphNode operator()(const event_wait_node& node) const {
        CUgraphNode made = nullptr;
        demand(where_, where_.driver().cuGraphAddEventWaitNode(&made, graph_, nullptr, 0, node.event), "cuGraphAddEventWaitNode");
        return made;
    }

    CUgraphNode operator()(const spin_node& node) const {
        CUdeviceptr out = where_.memories().scratch();
        std::uint64_t ns = node.ns;
        void* arguments[] = {&out, &ns};
        CUDA_KERNEL_NODE_PARAMS_v2 params{};
        params.func = where_.function("gd_spin");
        params.gridDimX = params.gridDimY = params.gridDimZ = 1;
        params.blockDimX = params.blockDimY = params.blockDimZ = 1;
        params.kernelParams = arguments;
        CUgraphNode made = nullptr;
        demand(where_, where_.driver().cuGraphAddKernelNode(&made, graph_, nullptr, 0, &params), "cuGraphAddKernelNode");
        return made;
    }

    CUgraphNode operator()(const empty_node&) const {
        CUgraphNode made = nullptr;
        demand(where_, where_.driver().cuGraphAddEmptyNode(&made, graph_, nullptr, 0), "cuGraphAddEmptyNode");
        return made;
    }

    CUgraphNode operator()(const child_node& node) const {
        const built_graph inner = build(where_, *node.inner);
        CUgraphNode made = nullptr;
        demand(where_, where_.driver().cuGraphAddChildGraphNode(&made, graph_, nullptr, 0, inner.graph.get()),
               "cuGraphAddChildGraphNode");
        return made;
    }

  private:
    bench& where_;
    CUgraph graph_;
};

CUgraph create_graph(bench& where) {
    CUgraph graph = nullptr;
    demand(where, where.driver().cuGraphCreate(&graph, 0), "cuGraphCreate");
    return graph;
}

}  // namespace

std::vector<edge_spec> chain_edges(std::size_t node_count) {
    std::vector<edge_spec> edges;
    for (std::size_t i = 1; i < node_count; ++i) edges.push_back({i - 1, i, {}});
    return edges;
}

child_node child_of(graph_spec inner) { return {std::make_shared<const graph_spec>(std::move(inner))}; }

CUgraphEdgeData programmatic_edge() noexcept {
    CUgraphEdgeData data{};
    data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    return data;
}

built_graph build(bench& where, const graph_spec& spec) {
    built_graph made{driver_layer::owned_graph(where.driver(), create_graph(where)), {}};
    for (const node_spec& node : spec.nodes) made.nodes.push_back(std::visit(node_maker(where, made.graph.get()), node));
    for (const edge_spec& edge : spec.edges) {
        const CUresult status =
            where.driver().cuGraphAddDependencies(made.graph.get(), &made.nodes[edge.from], &made.nodes[edge.to], &edge.data, 1);
        demand(where, status, "cuGraphAddDependencies");
    }
    return made;
}

CUresult with_params(bench& where, const kernel_node& node,
                     const std::function<CUresult(const CUDA_KERNEL_NODE_PARAMS_v2&)>& use) {
    const doctor::report_node& report = node.report;
    struct {
        CUdeviceptr out;
        std::uint64_t a;
        std::uint64_t b;
    } values{where.memories().address({memory::device, report.slot, 0}), report.a, report.b};
    std::size_t size_bytes = sizeof values;
    void* pointers[] = {&values.out, &values.a, &values.b};
    // CU_LAUNCH_PARAM_BUFFER_SIZE, _POINTER and _END, whose macros are old-style casts.
    void* extra[] = {reinterpret_cast<void*>(std::uintptr_t{2}), &size_bytes, reinterpret_cast<void*>(std::uintptr_t{1}), &values,
                     nullptr};
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    params.func = where.function(report.kernel);
    params.gridDimX = report.grid[0];
    params.gridDimY = report.grid[1];
    params.gridDimZ = report.grid[2];
    params.blockDimX = report.block[0];
    params.blockDimY = report.block[1];
    params.blockDimZ = report.block[2];
    params.sharedMemBytes = report.dynamic_shared_bytes;
    if (node.form == argument_form::pointers) params.kernelParams = pointers;
    if (node.form == argument_form::packed) params.extra = extra;
    return use(params);
}

}  // namespace graphdedup::conformance
