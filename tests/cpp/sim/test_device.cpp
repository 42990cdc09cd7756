// Loading, profiles, devices, contexts, memory.
#include "bench.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <thread>

using namespace sim_tests;

TEST_CASE("symbols are found by base name and version") {
    const bench b;
    void* found = nullptr;
    CUdriverProcAddressQueryResult result{};
    const auto get = get_proc_address();
    CHECK(get("cuGraphExecUpdate", &found, 12000, 0, &result) == CUDA_SUCCESS);
    CHECK(found != nullptr);
    CHECK(get("cuGraphExecUpdate", &found, 13000, 0, &result) == CUDA_SUCCESS);
    CHECK(get("cuGraphExecUpdate", &found, 11000, 0, &result) == CUDA_ERROR_NOT_FOUND);
    CHECK(found == nullptr);
    CHECK(result == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    CHECK(get("cuGraphExecUpdate_v2", &found, 13000, 0, &result) == CUDA_ERROR_NOT_FOUND);
    CHECK(result == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    CHECK(gdsim().hide_symbol("cuGraphUpload", 1) == 0);
    CHECK(get("cuGraphUpload", &found, 13000, 0, nullptr) == CUDA_ERROR_NOT_FOUND);
    CHECK(gdsim().hide_symbol("cuNothing", 1) == -1);
}

TEST_CASE("profiles") {
    REQUIRE(gdsim().version() == GDSIM_VERSION);
    CHECK(gdsim().profile_count() == 3);
    CHECK(gdsim().profile_name(3) == nullptr);
    gdsim_profile profile{};
    for (const char* name : {"driver580-h200", "driver580-b200", "clean"}) CHECK(gdsim().profile_get(name, &profile) == 0);
    CHECK(gdsim().profile_get("driver1", &profile) == -1);
    CHECK(gdsim().reset("driver1") == -1);
    CHECK(gdsim().profile_get("driver580-b200", &profile) == 0);
    std::strcpy(profile.name, "mine");
    profile.device_count = 0;
    CHECK(gdsim().reset_to(&profile) == -1);
    profile.device_count = 3;
    REQUIRE(gdsim().reset_to(&profile) == 0);
    int count = 0;
    CHECK(cu().cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
    REQUIRE(cu().cuInit(0) == CUDA_SUCCESS);
    CHECK(cu().cuDeviceGetCount(&count) == CUDA_SUCCESS);
    CHECK(count == 3);
    char name[64];
    CHECK(cu().cuDeviceGetName(name, sizeof name, 2) == CUDA_SUCCESS);
    CHECK(std::string(name) == "Simulated B200 (mine)");
    CHECK(cu().cuDeviceGetName(name, 5, 2) == CUDA_SUCCESS);
    CHECK(std::string(name) == "Simu");
    CHECK(cu().cuDeviceGetName(name, sizeof name, 3) == CUDA_ERROR_INVALID_DEVICE);
    int major = 0;
    CHECK(cu().cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0) == CUDA_SUCCESS);
    CHECK(major == 10);
}

TEST_CASE("each thread has a stack of contexts of its own") {
    const bench b;
    const auto second = reinterpret_cast<CUcontext>(gdsim().context_create(0));
    REQUIRE(second != nullptr);
    REQUIRE(cu().cuCtxPushCurrent(second) == CUDA_SUCCESS);
    CUcontext current = nullptr;
    CHECK(cu().cuCtxGetCurrent(&current) == CUDA_SUCCESS);
    CHECK(current == second);
    std::thread([] {
        CUcontext none = nullptr;
        CUdevice device = 0;
        CHECK(cu().cuCtxGetCurrent(&none) == CUDA_SUCCESS);
        CHECK(none == nullptr);
        CHECK(cu().cuCtxGetDevice(&device) == CUDA_ERROR_INVALID_CONTEXT);
        CUstream stream = nullptr;
        CHECK(cu().cuStreamCreate(&stream, 0) == CUDA_ERROR_INVALID_CONTEXT);
    }).join();
    CHECK(cu().cuCtxPopCurrent(&current) == CUDA_SUCCESS);
    CHECK(current == second);
    CHECK(cu().cuCtxPopCurrent(&current) == CUDA_SUCCESS);
    CHECK(cu().cuCtxPopCurrent(&current) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cu().cuCtxPushCurrent(nullptr) == CUDA_ERROR_INVALID_CONTEXT);
}

TEST_CASE("a released primary context is gone") {
    const bench b;
    CHECK(cu().cuDevicePrimaryCtxRelease(0) == CUDA_SUCCESS);
    CHECK(cu().cuDevicePrimaryCtxRelease(0) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cu().cuCtxSynchronize() == CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST_CASE("device memory holds what is written to it") {
    const bench b;
    std::size_t free_before = 0;
    std::size_t total = 0;
    REQUIRE(cu().cuMemGetInfo(&free_before, &total) == CUDA_SUCCESS);
    CUdeviceptr memory = 0;
    REQUIRE(cu().cuMemAlloc(&memory, 100) == CUDA_SUCCESS);
    std::size_t free_after = 0;
    REQUIRE(cu().cuMemGetInfo(&free_after, &total) == CUDA_SUCCESS);
    CHECK(free_before - free_after == 100);
    const std::uint64_t written = 0x0123456789abcdef;
    REQUIRE(cu().cuMemcpyHtoD(memory + 8, &written, sizeof written) == CUDA_SUCCESS);
    CHECK(b.word(memory + 8) == written);
    REQUIRE(cu().cuMemsetD8(memory + 8, 0x11, 4) == CUDA_SUCCESS);
    CHECK(b.word(memory + 8) == 0x0123456711111111);
    CHECK(cu().cuMemsetD8(memory + 96, 0, 5) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cu().cuMemFree(memory) == CUDA_SUCCESS);
    CHECK(cu().cuMemcpyHtoD(memory, &written, sizeof written) == CUDA_ERROR_INVALID_VALUE);
    CHECK(counters().misuse_count == 0);
    CHECK(cu().cuMemFree(memory) == CUDA_ERROR_INVALID_VALUE);
    CHECK(counters().misuse_count == 1);
    CHECK(gdsim().set_memory_limit(counters().live_allocation_bytes + 10) == 0);
    CHECK(cu().cuMemAlloc(&memory, 11) == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(cu().cuMemAlloc(&memory, 10) == CUDA_SUCCESS);
}

TEST_CASE("a reset leaves nothing behind") {
    const bench b;
    const CUgraph graph = b.graph_of({{}});
    REQUIRE(gdsim().reset("clean") == 0);
    REQUIRE(cu().cuInit(0) == CUDA_SUCCESS);
    const gdsim_counters after = counters();
    CHECK(after.live_graph_count + after.live_stream_count + after.live_allocation_count + after.live_allocation_bytes == 0);
    CUcontext current = b.context;
    CHECK(cu().cuCtxGetCurrent(&current) == CUDA_SUCCESS);
    CHECK(current == nullptr);
    std::size_t count = 0;
    CHECK(cu().cuGraphGetNodes(graph, nullptr, &count) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("errors have names") {
    const bench b;
    const char* text = nullptr;
    CHECK(cu().cuGetErrorName(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, &text) == CUDA_SUCCESS);
    CHECK(std::string(text) == "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE");
    CHECK(cu().cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text) == CUDA_SUCCESS);
    CHECK(std::string(text) == "out of memory");
    CHECK(cu().cuGetErrorName(static_cast<CUresult>(998), &text) == CUDA_ERROR_INVALID_VALUE);
}
