#include "snapshot/build.hpp"

#include "driver/owned.hpp"
#include "snapshot/attribute_table.hpp"

#include <algorithm>
#include <cstring>

namespace graphdedup::snapshot {
namespace {

using driver_layer::api;
using driver_layer::call_site;
using driver_layer::check;

driver_layer::owned_graph create_graph(const api& driver, const call_site& site) {
    CUgraph graph = nullptr;
    check(driver, driver.cuGraphCreate(&graph, 0), "cuGraphCreate", site);
    return {driver, graph};
}

class builder {
  public:
    builder(const api& driver, const graph& g, stand_ins& with, CUcontext context, const call_site& site)
        : driver_(driver),
          graph_(g),
          with_(with),
          context_(context),
          site_(site),
          target_(create_graph(driver, site)) {}

    CUgraph run() {
        nodes_.reserve(graph_.nodes.size());
        for (const node& n : graph_.nodes) nodes_.push_back(add(n));
        add_edges();
        return target_.release();
    }

  private:
    CUgraphNode add(const node& n) {
        switch (n.kind) {
            case node_kind::kernel: return add_kernel(graph_.kernels[n.detail]);
            case node_kind::memcpy: return add_memcpy(graph_.memcpys[n.detail]);
            case node_kind::memset: return add_memset(graph_.memsets[n.detail]);
            case node_kind::host: return add_host(graph_.hosts[n.detail]);
            case node_kind::child_graph: return add_child(graph_.children[n.detail]);
            case node_kind::empty: return add_empty();
            case node_kind::event_record:
            case node_kind::event_wait: return add_event(n.kind, with_.event(graph_.events[n.detail]));
            default:
                throw invalid_argument(std::string(site_.operation), "recorded graph",
                                       std::string("a node of kind ") + name_of(n.kind) + " cannot be built from a recording");
        }
    }

    CUgraphNode add_kernel(const kernel_params& kernel);
    void set_attributes(CUgraphNode handle, const kernel_params& kernel);
    CUgraphNode add_memcpy(const memcpy_params& copy);
    CUgraphNode add_memset(const memset_params& set);
    CUgraphNode add_host(const host_params& host);
    CUgraphNode add_child(const graph& child);
    CUgraphNode add_empty();
    CUgraphNode add_event(node_kind kind, CUevent event);

    // After the nodes, in the order of each node's dependencies.
    void add_edges() {
        for (const edge& e : graph_.edges) {
            CUgraphEdgeData data{};
            data.from_port = e.from_port;
            data.to_port = e.to_port;
            data.type = e.type;
            const CUgraphNode from = nodes_[e.from];
            const CUgraphNode to = nodes_[e.to];
            check(driver_, driver_.cuGraphAddDependencies(target_.get(), &from, &to, &data, 1), "cuGraphAddDependencies", site_);
        }
    }

    const api& driver_;
    const graph& graph_;
    stand_ins& with_;
    CUcontext context_;
    const call_site& site_;
    driver_layer::owned_graph target_;
    std::vector<CUgraphNode> nodes_;
};

CUDA_KERNEL_NODE_PARAMS_v2 shape_of(const kernel_params& kernel, const function_handle& handle, CUcontext context) {
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    params.func = handle.function;
    params.kern = handle.kernel;
    params.ctx = context;
    params.gridDimX = kernel.grid.x;
    params.gridDimY = kernel.grid.y;
    params.gridDimZ = kernel.grid.z;
    params.blockDimX = kernel.block.x;
    params.blockDimY = kernel.block.y;
    params.blockDimZ = kernel.block.z;
    params.sharedMemBytes = kernel.shared_memory_bytes;
    return params;
}

std::size_t buffer_size_bytes(const function& f) {
    std::size_t size_bytes = 0;
    for (const param_info& p : f.params) size_bytes = std::max<std::size_t>(size_bytes, p.offset_bytes + p.size_bytes);
    return size_bytes;
}

CUgraphNode builder::add_kernel(const kernel_params& kernel) {
    const function& f = graph_.functions[kernel.function];
    const auto recorded = graph_.view(kernel.arguments);
    std::vector<std::byte> buffer(recorded.begin(), recorded.end());
    if (buffer.empty() && kernel.source != argument_source::none) buffer = with_.arguments(f);
    buffer.resize(std::max(buffer.size(), buffer_size_bytes(f)));

    std::size_t size_bytes = buffer.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &size_bytes, CU_LAUNCH_PARAM_BUFFER_POINTER, buffer.data(),
                     CU_LAUNCH_PARAM_END};
    std::vector<void*> pointers;
    for (const param_info& p : f.params) pointers.push_back(buffer.data() + p.offset_bytes);

    CUDA_KERNEL_NODE_PARAMS_v2 params = shape_of(kernel, with_.kernel(f), context_);
    if (kernel.source == argument_source::extra) {
        params.extra = extra;
    } else if (!pointers.empty()) {
        params.kernelParams = pointers.data();
    }
    CUgraphNode added = nullptr;
    check(driver_, driver_.cuGraphAddKernelNode(&added, target_.get(), nullptr, 0, &params), "cuGraphAddKernelNode", site_);
    set_attributes(added, kernel);
    return added;
}

// Only what differs from a fresh node: a driver may refuse to set what it lets be read.
void builder::set_attributes(CUgraphNode handle, const kernel_params& kernel) {
    for (const attribute& a : graph_.attributes_of(kernel)) {
        if (!a.readable) continue;
        const auto id = static_cast<CUlaunchAttributeID>(a.id);
        const auto wanted = graph_.view(a.value);
        CUlaunchAttributeValue value{};
        const CUresult status = driver_.cuGraphKernelNodeGetAttribute(handle, id, &value);
        if (status == CUDA_SUCCESS && std::memcmp(&value, wanted.data(), wanted.size()) == 0) continue;
        value = {};
        std::memcpy(&value, wanted.data(), wanted.size());
        check(driver_, driver_.cuGraphKernelNodeSetAttribute(handle, id, &value), "cuGraphKernelNodeSetAttribute", site_);
    }
}

CUgraphNode builder::add_memcpy(const memcpy_params& copy) {
    const auto rows = std::max<std::uint64_t>(copy.height, 1) * std::max<std::uint64_t>(copy.depth, 1);
    const auto bytes_of = [&](const memcpy_operand& o) {
        return static_cast<std::size_t>(std::max(copy.width_bytes, o.pitch_bytes) * std::max(rows, o.height) + o.x_bytes);
    };
    CUDA_MEMCPY3D params{};
    params.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    params.srcDevice = with_.memory(copy.source.address, bytes_of(copy.source));
    params.srcPitch = copy.source.pitch_bytes;
    params.srcHeight = copy.source.height;
    params.srcXInBytes = copy.source.x_bytes;
    params.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    params.dstDevice = with_.memory(copy.destination.address, bytes_of(copy.destination));
    params.dstPitch = copy.destination.pitch_bytes;
    params.dstHeight = copy.destination.height;
    params.dstXInBytes = copy.destination.x_bytes;
    params.WidthInBytes = copy.width_bytes;
    params.Height = std::max<std::uint64_t>(copy.height, 1);
    params.Depth = std::max<std::uint64_t>(copy.depth, 1);
    CUgraphNode added = nullptr;
    check(driver_, driver_.cuGraphAddMemcpyNode(&added, target_.get(), nullptr, 0, &params, context_), "cuGraphAddMemcpyNode",
          site_);
    return added;
}

CUgraphNode builder::add_memset(const memset_params& set) {
    const std::uint64_t row_bytes = std::max<std::uint64_t>(set.width * set.element_bytes, set.pitch_bytes);
    const std::size_t size_bytes = static_cast<std::size_t>(row_bytes * std::max<std::uint64_t>(set.height, 1));
    CUDA_MEMSET_NODE_PARAMS params{};
    params.dst = with_.memory(set.destination, size_bytes);
    params.pitch = set.pitch_bytes;
    params.value = set.value;
    params.elementSize = set.element_bytes;
    params.width = set.width;
    params.height = set.height;
    CUgraphNode added = nullptr;
    check(driver_, driver_.cuGraphAddMemsetNode(&added, target_.get(), nullptr, 0, &params, context_), "cuGraphAddMemsetNode",
          site_);
    return added;
}

CUgraphNode builder::add_host(const host_params& host) {
    CUDA_HOST_NODE_PARAMS params{};
    params.fn = with_.host_function(host.function);
    params.userData = reinterpret_cast<void*>(static_cast<std::uintptr_t>(host.user_data));
    CUgraphNode added = nullptr;
    check(driver_, driver_.cuGraphAddHostNode(&added, target_.get(), nullptr, 0, &params), "cuGraphAddHostNode", site_);
    return added;
}

// The driver keeps a copy of a child graph.
CUgraphNode builder::add_child(const graph& child) {
    const driver_layer::owned_graph built(driver_, build(driver_, child, with_, context_, site_));
    CUgraphNode added = nullptr;
    check(driver_, driver_.cuGraphAddChildGraphNode(&added, target_.get(), nullptr, 0, built.get()), "cuGraphAddChildGraphNode",
          site_);
    return added;
}

CUgraphNode builder::add_empty() {
    CUgraphNode added = nullptr;
    check(driver_, driver_.cuGraphAddEmptyNode(&added, target_.get(), nullptr, 0), "cuGraphAddEmptyNode", site_);
    return added;
}

CUgraphNode builder::add_event(node_kind kind, CUevent event) {
    CUgraphNode added = nullptr;
    if (kind == node_kind::event_record) {
        check(driver_, driver_.cuGraphAddEventRecordNode(&added, target_.get(), nullptr, 0, event), "cuGraphAddEventRecordNode",
              site_);
    } else {
        check(driver_, driver_.cuGraphAddEventWaitNode(&added, target_.get(), nullptr, 0, event), "cuGraphAddEventWaitNode",
              site_);
    }
    return added;
}

}  // namespace

CUgraph build(const api& driver, const graph& g, stand_ins& with, CUcontext context, const call_site& site) {
    return builder(driver, g, with, context, site).run();
}

}  // namespace graphdedup::snapshot
