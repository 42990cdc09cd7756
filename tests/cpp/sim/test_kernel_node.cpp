// Arguments and launch attributes of kernel nodes.
#include "bench.hpp"

#include <doctest/doctest.h>

#include <cstring>

using namespace sim_tests;

namespace {

CUDA_KERNEL_NODE_PARAMS_v2 params_of(CUgraphNode node) {
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    REQUIRE(cu().cuGraphKernelNodeGetParams(node, &params) == CUDA_SUCCESS);
    return params;
}

CUresult get(CUgraphNode node, int id, CUlaunchAttributeValue& value) {
    return cu().cuGraphKernelNodeGetAttribute(node, static_cast<CUlaunchAttributeID>(id), &value);
}

}  // namespace

TEST_CASE("arguments come back in the form in which they were given") {
    const bench b;
    const CUgraph graph = b.graph();
    const CUgraphNode by_pointers =
        b.kernel(graph, {.slot = 2, .a = 11, .b = 12, .grid = 3, .block = 64, .shared_memory_bytes = 9});
    const CUDA_KERNEL_NODE_PARAMS_v2 pointers = params_of(by_pointers);
    CHECK(pointers.func == b.function("gd_report_a"));
    CHECK(pointers.gridDimX == 3);
    CHECK(pointers.blockDimX == 64);
    CHECK(pointers.sharedMemBytes == 9);
    CHECK(pointers.ctx == b.context);
    REQUIRE(pointers.kernelParams != nullptr);
    CHECK(pointers.extra == nullptr);
    CHECK(*static_cast<std::uint64_t*>(pointers.kernelParams[2]) == 12);

    const CUDA_KERNEL_NODE_PARAMS_v2 packed = params_of(b.kernel(graph, {.a = 21, .b = 22, .packed = true}));
    CHECK(packed.kernelParams == nullptr);
    REQUIRE(packed.extra != nullptr);
    CHECK(packed.extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE);  // whatever the order in which they were given
    CHECK(*static_cast<std::size_t*>(packed.extra[1]) == 24);
    CHECK(packed.extra[2] == CU_LAUNCH_PARAM_BUFFER_POINTER);
    CHECK(static_cast<std::uint64_t*>(packed.extra[3])[1] == 21);
    CHECK(packed.extra[4] == CU_LAUNCH_PARAM_END);
}

TEST_CASE("a node can be given other parameters") {
    const bench b;
    const CUgraph graph = b.graph();
    const CUgraphNode node = b.kernel(graph, {.slot = 1, .a = 1, .cluster = {2, 1, 1}});
    CUDA_KERNEL_NODE_PARAMS_v2 params = params_of(b.kernel(b.graph(), {.name = "gd_report_b", .slot = 1, .a = 5, .grid = 16}));
    CHECK(cu().cuGraphKernelNodeSetParams(node, &params) == CUDA_SUCCESS);
    b.launch(b.instantiate(graph));
    CHECK(b.report(1)[11] == 5);
    CHECK(b.report(1)[1] == 16);
    CHECK(std::string(record(0).function_name) == "gd_report_b");
    CHECK(record(0).cluster[0] == 2);  // attributes stay
    params.gridDimX = 0;
    CHECK(cu().cuGraphKernelNodeSetParams(node, &params) == CUDA_ERROR_INVALID_VALUE);
    params.gridDimX = 1;
    params.blockDimX = 1025;
    CHECK(cu().cuGraphKernelNodeSetParams(node, &params) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a kernel node may name a CUkernel") {
    const bench b;
    const std::size_t offset = 0;
    const std::size_t size = 8;
    const std::uintptr_t kernel = gdsim().function_create("gd_count_k", &offset, &size, 1, nullptr, nullptr, 0, 1);
    CUdeviceptr address = b.memory;
    void* arguments[] = {&address};
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    params.kern = reinterpret_cast<CUkernel>(kernel);
    params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = arguments;
    const CUgraph graph = b.graph();
    CUgraphNode node = nullptr;
    REQUIRE(cu().cuGraphAddKernelNode(&node, graph, nullptr, 0, &params) == CUDA_SUCCESS);
    CHECK(params_of(node).func == nullptr);
    CHECK(value_of(params_of(node).kern) == kernel);
    b.launch(b.instantiate(graph));
    CHECK(b.word(b.memory) == 1);
    CHECK(record(0).function == kernel);
}

TEST_CASE("attributes of a fresh node, as measured on a driver") {
    const bench b;
    const CUgraphNode node = b.kernel(b.graph(), {});
    CUlaunchAttributeValue value{};
    for (const int id : {1, 2, 4, 5, 8, 9, 10, 13, 14}) {
        std::memset(&value, 0xff, sizeof value);
        REQUIRE(get(node, id, value) == CUDA_SUCCESS);
        CUlaunchAttributeValue expected;
        std::memset(&expected, 0, sizeof expected);
        if (id == 5) expected.clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_SPREAD;
        if (id == 9) expected.memSyncDomainMap.remote = 1;
        CHECK(std::memcmp(&value, &expected, sizeof value) == 0);
    }
    for (const int id : {0, 3, 6, 7, 11, 12, 15, 16, 31, 63, 64, -1}) CHECK(get(node, id, value) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("attributes can be set where they can be read") {
    const bench b("clean");
    const CUgraphNode node = b.kernel(b.graph(), {});
    CUlaunchAttributeValue value{};
    value.clusterDim = {4, 2, 1};
    const auto preferred = static_cast<CUlaunchAttributeID>(11);
    CHECK(cu().cuGraphKernelNodeSetAttribute(node, preferred, &value) == CUDA_SUCCESS);
    value = {};
    CHECK(get(node, 11, value) == CUDA_SUCCESS);
    CHECK(value.clusterDim.y == 2);
    value.clusterDim = {2, 0, 1};
    CHECK(cu().cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value) == CUDA_ERROR_INVALID_VALUE);
    gdsim().set_readable_attributes(0);
    CHECK(get(node, 11, value) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cu().cuGraphKernelNodeSetAttribute(node, preferred, &value) == CUDA_ERROR_INVALID_VALUE);
    CHECK(gdsim().node_set_attribute(value_of(node), 11, &value) == 0);
}

TEST_CASE("a device-updatable node stays one") {
    const bench b;
    const CUgraph graph = b.graph();
    const CUgraphNode node = b.kernel(graph, {});
    CUlaunchAttributeValue value{};
    value.deviceUpdatableKernelNode.deviceUpdatable = 1;
    REQUIRE(cu().cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value) == CUDA_SUCCESS);
    value.deviceUpdatableKernelNode.deviceUpdatable = 0;
    CHECK(cu().cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cu().cuGraphDestroyNode(node) == CUDA_ERROR_NOT_SUPPORTED);
    const CUgraphExec exec = b.instantiate(graph);
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    CUgraphExec second = nullptr;
    CHECK(cu().cuGraphInstantiateWithParams(&second, graph, &params) == CUDA_ERROR_NOT_SUPPORTED);
    CHECK(b.update(exec, b.graph_of({{}})) == CUDA_ERROR_NOT_SUPPORTED);
    CHECK(b.update(b.instantiate(b.graph_of({{}})), graph) == CUDA_ERROR_NOT_SUPPORTED);
    CHECK(counters().refused_update_count == 0);
}
