// Modules from PTX, and the facts of functions.
#include "bench.hpp"

#include <doctest/doctest.h>

using namespace sim_tests;

namespace {

int attribute(CUfunction function, CUfunction_attribute id) {
    int value = -7;
    REQUIRE(cu().cuFuncGetAttribute(&value, id, function) == CUDA_SUCCESS);
    return value;
}

}  // namespace

TEST_CASE("parameters have the offsets of their types") {
    const bench b;
    const CUfunction other = b.function("other");
    const std::size_t expected[][2] = {{0, 1}, {16, 24}, {40, 2}, {44, 4}};
    for (std::size_t i = 0; i < 4; ++i) {
        std::size_t offset = 0;
        std::size_t size = 0;
        REQUIRE(cu().cuFuncGetParamInfo(other, i, &offset, &size) == CUDA_SUCCESS);
        CHECK(offset == expected[i][0]);
        CHECK(size == expected[i][1]);
    }
    std::size_t offset = 0;
    CHECK(cu().cuFuncGetParamInfo(other, 4, &offset, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cu().cuFuncGetParamInfo(b.function("gd_axpb"), 4, &offset, nullptr) == CUDA_SUCCESS);
    CHECK(offset == 28);
}

TEST_CASE("names and static cluster shapes come from the text") {
    const bench b;
    const char* name = nullptr;
    CHECK(cu().cuFuncGetName(&name, b.function("gd_count")) == CUDA_SUCCESS);
    CHECK(std::string(name) == "gd_count");
    const CUfunction clustered = b.function("gd_report_c4");
    CHECK(attribute(clustered, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET) == 1);
    CHECK(attribute(clustered, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH) == 4);
    CHECK(attribute(clustered, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH) == 1);
    CHECK(attribute(b.function("gd_report_a"), CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH) == 0);
    CHECK(cu().cuFuncSetAttribute(clustered, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000) == CUDA_SUCCESS);
    CHECK(attribute(clustered, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) == 100000);
    CHECK(cu().cuFuncSetAttribute(clustered, CU_FUNC_ATTRIBUTE_NUM_REGS, 1) == CUDA_ERROR_INVALID_VALUE);
    CUfunction none = nullptr;
    CHECK(cu().cuModuleGetFunction(&none, b.module, "not_an_entry") == CUDA_ERROR_NOT_FOUND);
}

TEST_CASE("an unloaded module takes its functions along") {
    const bench b;
    const CUfunction function = b.function("gd_count");
    CHECK(cu().cuModuleUnload(b.module) == CUDA_SUCCESS);
    const char* name = nullptr;
    CHECK(cu().cuFuncGetName(&name, function) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cu().cuModuleUnload(b.module) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(last_misuse() == "cuModuleUnload: stale handle");
    CUmodule module = nullptr;
    CHECK(cu().cuModuleLoadData(&module, "\x7f\x45LF") == CUDA_ERROR_INVALID_IMAGE);
    CHECK(cu().cuModuleLoadData(&module, "hello") == CUDA_ERROR_INVALID_PTX);
}

TEST_CASE("functions and kernels can be made without a module") {
    const bench b;
    const std::size_t offsets[] = {0, 8};
    const std::size_t sizes[] = {8, 4};
    const int ids[] = {CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH};
    const int values[] = {77, 2};
    const std::uintptr_t function = gdsim().function_create("twin", offsets, sizes, 2, ids, values, 2, 0);
    const std::uintptr_t twin = gdsim().function_create("twin", offsets, sizes, 2, ids, values, 2, 0);
    const std::uintptr_t kernel = gdsim().function_create("kernel", offsets, sizes, 2, nullptr, nullptr, 0, 1);
    REQUIRE(function != 0);
    CHECK(function != twin);
    CHECK(attribute(reinterpret_cast<CUfunction>(function), CU_FUNC_ATTRIBUTE_NUM_REGS) == 77);
    std::size_t offset = 0;
    std::size_t size = 0;
    CHECK(cu().cuKernelGetParamInfo(reinterpret_cast<CUkernel>(kernel), 1, &offset, &size) == CUDA_SUCCESS);
    CHECK(size == 4);
    int registers = 0;
    CHECK(cu().cuKernelGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, reinterpret_cast<CUkernel>(kernel), 0) ==
          CUDA_SUCCESS);
    CHECK(registers == 32);
    CHECK(gdsim().function_destroy(function) == 0);
    CHECK(gdsim().function_destroy(function) == -1);
}
