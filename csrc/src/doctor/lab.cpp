#include "doctor/lab.hpp"

#include <string>

namespace graphdedup::doctor {
namespace {

using driver_layer::api;
using driver_layer::call_site;
using driver_layer::check;

bool device_has_clusters(const api& driver, CUdevice device, const call_site& site) {
    int major = 0;
    check(driver, driver.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
          "cuDeviceGetAttribute", site);
    return major >= 9;
}

CUstream create_stream(const api& driver, const call_site& site) {
    CUstream stream = nullptr;
    check(driver, driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate", site);
    return stream;
}

CUmodule load_module(const api& driver, bool clusters, const call_site& site) {
    const std::string ptx = module_ptx(lab_kernels, clusters);
    CUmodule module = nullptr;
    check(driver, driver.cuModuleLoadData(&module, ptx.c_str()), "cuModuleLoadData", site);
    return module;
}

CUdeviceptr allocate(const api& driver, std::size_t size_bytes, const call_site& site) {
    CUdeviceptr memory = 0;
    check(driver, driver.cuMemAlloc(&memory, size_bytes), "cuMemAlloc", site);
    return memory;
}

CUgraph create_graph(const api& driver, const call_site& site) {
    CUgraph graph = nullptr;
    check(driver, driver.cuGraphCreate(&graph, 0), "cuGraphCreate", site);
    return graph;
}

}  // namespace

lab::lab(const api& driver, CUdevice device, const call_site& site)
    : driver_(driver),
      site_(site),
      relaxed_(driver),
      has_clusters_(device_has_clusters(driver, device, site)),
      context_(driver_layer::current_context(driver)),
      stream_(driver, create_stream(driver, site)),
      module_(driver, load_module(driver, has_clusters_, site)),
      reports_(driver, allocate(driver, slot_count * sizeof(launch_report), site)) {}

CUfunction lab::function(std::string_view name) const {
    CUfunction found = nullptr;
    const std::string terminated(name);
    check(driver_, driver_.cuModuleGetFunction(&found, module_.get(), terminated.c_str()), "cuModuleGetFunction", site_);
    return found;
}

lab::chain::chain(const lab& owner) : owner_(owner), graph_(owner.driver_, create_graph(owner.driver_, owner.site_)) {}

void lab::chain::append(CUgraphNode node) {
    const auto& driver = owner_.driver_;
    if (last_ != nullptr) {
        const CUgraphEdgeData data{};
        check(driver, driver.cuGraphAddDependencies(graph_.get(), &last_, &node, &data, 1), "cuGraphAddDependencies",
              owner_.site_);
    }
    last_ = node;
}

lab::chain& lab::chain::kernel(const report_node& node) {
    const auto& driver = owner_.driver_;
    CUdeviceptr out = owner_.address_of(node.slot);
    std::uint64_t a = node.a;
    std::uint64_t b = node.b;
    void* arguments[] = {&out, &a, &b};
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    params.func = owner_.function(node.kernel);
    params.gridDimX = node.grid[0];
    params.gridDimY = node.grid[1];
    params.gridDimZ = node.grid[2];
    params.blockDimX = node.block[0];
    params.blockDimY = node.block[1];
    params.blockDimZ = node.block[2];
    params.sharedMemBytes = node.dynamic_shared_bytes;
    params.kernelParams = arguments;
    CUgraphNode added = nullptr;
    check(driver, driver.cuGraphAddKernelNode(&added, graph_.get(), nullptr, 0, &params), "cuGraphAddKernelNode", owner_.site_);
    const auto set = [&](CUlaunchAttributeID id, const CUlaunchAttributeValue& value) {
        check(driver, driver.cuGraphKernelNodeSetAttribute(added, id, &value), "cuGraphKernelNodeSetAttribute", owner_.site_);
    };
    CUlaunchAttributeValue value{};
    if (node.cluster) {
        value.clusterDim = {node.cluster->x, node.cluster->y, node.cluster->z};
        set(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, value);
    }
    if (node.cooperative) {
        value = {};
        value.cooperative = 1;
        set(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, value);
    }
    append(added);
    return *this;
}

lab::chain& lab::chain::empty() {
    CUgraphNode added = nullptr;
    check(owner_.driver_, owner_.driver_.cuGraphAddEmptyNode(&added, graph_.get(), nullptr, 0), "cuGraphAddEmptyNode",
          owner_.site_);
    append(added);
    return *this;
}

lab::chain& lab::chain::memset(std::uint32_t slot) {
    CUDA_MEMSET_NODE_PARAMS params{};
    params.dst = owner_.address_of(slot);
    params.elementSize = 1;
    params.width = 1;
    params.height = 1;
    CUgraphNode added = nullptr;
    check(owner_.driver_, owner_.driver_.cuGraphAddMemsetNode(&added, graph_.get(), nullptr, 0, &params, owner_.context_),
          "cuGraphAddMemsetNode", owner_.site_);
    append(added);
    return *this;
}

lab::chain& lab::chain::child(const chain& inner) {
    CUgraphNode added = nullptr;
    check(owner_.driver_, owner_.driver_.cuGraphAddChildGraphNode(&added, graph_.get(), nullptr, 0, inner.graph()),
          "cuGraphAddChildGraphNode", owner_.site_);
    append(added);
    return *this;
}

std::optional<driver_layer::owned_graph> lab::capture(const report_node& node, std::span<CUlaunchAttribute> attributes) const {
    CUdeviceptr out = address_of(node.slot);
    std::uint64_t a = node.a;
    std::uint64_t b = node.b;
    void* arguments[] = {&out, &a, &b};
    CUlaunchConfig config{};
    config.gridDimX = node.grid[0];
    config.gridDimY = node.grid[1];
    config.gridDimZ = node.grid[2];
    config.blockDimX = node.block[0];
    config.blockDimY = node.block[1];
    config.blockDimZ = node.block[2];
    config.sharedMemBytes = node.dynamic_shared_bytes;
    config.hStream = stream_.get();
    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned int>(attributes.size());
    CUfunction const launched = function(node.kernel);
    check(driver_, driver_.cuStreamBeginCapture(stream_.get(), CU_STREAM_CAPTURE_MODE_RELAXED), "cuStreamBeginCapture", site_);
    const CUresult status = driver_.cuLaunchKernelEx(&config, launched, arguments, nullptr);
    CUgraph captured = nullptr;
    const CUresult ended = driver_.cuStreamEndCapture(stream_.get(), &captured);
    std::optional<driver_layer::owned_graph> graph;
    if (captured != nullptr) graph.emplace(driver_, captured);
    if (status != CUDA_SUCCESS) return std::nullopt;
    check(driver_, ended, "cuStreamEndCapture", site_);
    return graph;
}

exec::graph_exec lab::instantiate(CUgraph source, std::uint64_t flags) const { return {driver_, source, flags, site_}; }

void lab::clear() const {
    check(driver_, driver_.cuMemsetD8(reports_.get(), 0, slot_count * sizeof(launch_report)), "cuMemsetD8", site_);
}

void lab::launch(const exec::graph_exec& executable) const { executable.launch(stream_.get(), site_); }

void lab::synchronize() const { check(driver_, driver_.cuStreamSynchronize(stream_.get()), "cuStreamSynchronize", site_); }

void lab::run(const exec::graph_exec& executable) const {
    clear();
    launch(executable);
    synchronize();
}

launch_report lab::report(std::uint32_t slot) const {
    launch_report read{};
    check(driver_, driver_.cuMemcpyDtoH(&read, address_of(slot), sizeof read), "cuMemcpyDtoH", site_);
    return read;
}

launch_report lab::expected(const report_node& node) const {
    launch_report wanted{};
    wanted.tag = tag_of(node.kernel);
    for (std::size_t i = 0; i < 3; ++i) {
        wanted.grid[i] = node.grid[i];
        wanted.block[i] = node.block[i];
        wanted.cluster[i] = 1;
    }
    cluster_shape shape = node.cluster.value_or(cluster_shape{});
    for (const report_kernel& kernel : lab_kernels) {
        if (kernel.name == node.kernel && shape.x == 0 && has_clusters_) shape = kernel.static_cluster;
    }
    if (shape.x != 0) wanted.cluster = {shape.x, shape.y, shape.z};
    wanted.dynamic_shared_bytes = node.dynamic_shared_bytes;
    wanted.a = node.a;
    wanted.b = node.b;
    return wanted;
}

}  // namespace graphdedup::doctor
