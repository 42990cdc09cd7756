#include "support/sim_world.hpp"

#include "doctor/gate.hpp"

#include <cstring>
#include <stdexcept>

namespace graphdedup::tests {
namespace {

void require(bool condition, const char* what) {
    if (!condition) throw std::runtime_error(what);
}

}  // namespace

sim_world::sim_world(const char* profile) {
    require(gdsim_reset(profile) == 0, "no such profile");
    start();
}

sim_world::sim_world(const gdsim_profile& profile) {
    require(gdsim_reset_to(&profile) == 0, "unusable profile");
    start();
}

void sim_world::start() {
    driver_ = driver::open();
    doctor::forget_verdicts();
    require(api().cuInit(0) == CUDA_SUCCESS, "cuInit");
    require(api().cuDevicePrimaryCtxRetain(&context_, 0) == CUDA_SUCCESS, "cuDevicePrimaryCtxRetain");
    require(api().cuCtxPushCurrent(context_) == CUDA_SUCCESS, "cuCtxPushCurrent");
}

sim_world::~sim_world() {
    gdsim_clear_faults();
    CUcontext popped = nullptr;
    static_cast<void>(api().cuCtxPopCurrent(&popped));
}

CUfunction sim_world::function(const char* name) {
    for (const auto& [known, made] : functions_) {
        if (known == name) return made;
    }
    const std::size_t offset = 0;
    const std::size_t size = sizeof(std::uint64_t);
    const auto made = reinterpret_cast<CUfunction>(gdsim_function_create(name, &offset, &size, 1, nullptr, nullptr, 0, 0));
    require(made != nullptr, "gdsim_function_create");
    functions_.emplace_back(name, made);
    return made;
}

CUgraphNode sim_world::add_kernel(CUgraph graph, const kernel_spec& kernel, CUgraphNode after) {
    std::uint64_t value = kernel.value;
    void* arguments[] = {&value};
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    params.func = function(kernel.name);
    params.gridDimX = kernel.grid[0];
    params.gridDimY = kernel.grid[1];
    params.gridDimZ = kernel.grid[2];
    params.blockDimX = kernel.block[0];
    params.blockDimY = kernel.block[1];
    params.blockDimZ = kernel.block[2];
    params.sharedMemBytes = kernel.shared_memory_bytes;
    params.kernelParams = arguments;
    CUgraphNode node = nullptr;
    require(api().cuGraphAddKernelNode(&node, graph, &after, after != nullptr ? 1 : 0, &params) == CUDA_SUCCESS,
            "cuGraphAddKernelNode");
    CUlaunchAttributeValue attribute{};
    if (kernel.cluster[0] != 0) {
        attribute.clusterDim = {kernel.cluster[0], kernel.cluster[1], kernel.cluster[2]};
        require(api().cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &attribute) == CUDA_SUCCESS,
                "cluster");
    }
    if (kernel.cooperative) {
        attribute = {};
        attribute.cooperative = 1;
        require(api().cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &attribute) == CUDA_SUCCESS,
                "cooperative");
    }
    return node;
}

CUgraph sim_world::chain(const std::vector<kernel_spec>& kernels) {
    CUgraph graph = nullptr;
    require(api().cuGraphCreate(&graph, 0) == CUDA_SUCCESS, "cuGraphCreate");
    CUgraphNode last = nullptr;
    for (const kernel_spec& kernel : kernels) last = add_kernel(graph, kernel, last);
    return graph;
}

void sim_world::add_empty(CUgraph graph) {
    CUgraphNode node = nullptr;
    require(api().cuGraphAddEmptyNode(&node, graph, nullptr, 0) == CUDA_SUCCESS, "cuGraphAddEmptyNode");
}

std::vector<ran> sim_world::expected(const std::vector<kernel_spec>& kernels) {
    std::vector<ran> all;
    for (const kernel_spec& k : kernels) all.push_back({k.name, k.value, k.grid, k.block, k.shared_memory_bytes, k.cluster});
    return all;
}

std::vector<ran> sim_world::take_log() {
    std::vector<ran> all;
    for (std::size_t i = 0; i < gdsim_log_count(); ++i) {
        gdsim_record r{};
        require(gdsim_log_get(i, &r) == 0, "gdsim_log_get");
        if (r.node_kind != CU_GRAPH_NODE_TYPE_KERNEL) continue;
        std::uint64_t value = 0;
        std::memcpy(&value, r.arguments, std::min(sizeof value, r.arguments_size_bytes));
        all.push_back({r.function_name,
                       value,
                       {r.grid[0], r.grid[1], r.grid[2]},
                       {r.block[0], r.block[1], r.block[2]},
                       r.shared_memory_bytes,
                       {r.cluster[0], r.cluster[1], r.cluster[2]}});
    }
    gdsim_log_clear();
    return all;
}

gdsim_counters sim_world::counters() {
    gdsim_counters c{};
    require(gdsim_get_counters(&c) == 0, "gdsim_get_counters");
    return c;
}

void sim_world::pass_gate() {
    const std::string reason = doctor::reason_not_to_share(api(), 0, {"test", "device"});
    require(reason.empty(), reason.c_str());
    gdsim_log_clear();
}

}  // namespace graphdedup::tests
