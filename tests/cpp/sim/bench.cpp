#include "bench.hpp"

#include <doctest/doctest.h>

namespace sim_tests {

const char* const module_text = R"(
.version 7.8
.target sm_90
.address_size 64
// .entry not_an_entry()
.visible .entry gd_report_a( .param .u64 out, .param .u64 a, .param .u64 b ) { ret; }
.visible .entry gd_report_b( .param .u64 out, .param .u64 a, .param .u64 b ) { ret; }
.visible .entry gd_report_c2( .param .u64 out, .param .u64 a, .param .u64 b )
.explicitcluster
.reqnctapercluster 2, 1, 1
{ ret; }
.visible .entry gd_report_c4( .param .u64 out, .param .u64 a, .param .u64 b ) .explicitcluster .reqnctapercluster 4 { ret; }
.visible .entry gd_count(.param .u64 value) { ret; }
/* a kernel
   with mixed parameters */
.visible .entry gd_axpb(.param .u64 .ptr .global .align 4 out, .param .u64 in, .param .u64 n, .param .f32 a, .param .f32 b)
{ ret; }
.visible .entry other(.param .u8 flag, .param .align 16 .b8 block[24], .param .b16 half, .param .s32 number) { ret; }
)";

bench::bench(const char* profile) {
    REQUIRE(gdsim().reset(profile) == 0);
    REQUIRE(cu().cuInit(0) == CUDA_SUCCESS);
    REQUIRE(cu().cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    REQUIRE(cu().cuCtxPushCurrent(context) == CUDA_SUCCESS);
    REQUIRE(cu().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    REQUIRE(cu().cuModuleLoadData(&module, module_text) == CUDA_SUCCESS);
    constexpr std::size_t size_bytes = slot_count * report_word_count * sizeof(std::uint64_t);
    REQUIRE(cu().cuMemAlloc(&memory, size_bytes) == CUDA_SUCCESS);
    REQUIRE(cu().cuMemsetD8(memory, 0, size_bytes) == CUDA_SUCCESS);
}

CUfunction bench::function(const char* name) const {
    CUfunction found = nullptr;
    REQUIRE(cu().cuModuleGetFunction(&found, module, name) == CUDA_SUCCESS);
    return found;
}

CUgraph bench::graph() const {
    CUgraph made = nullptr;
    REQUIRE(cu().cuGraphCreate(&made, 0) == CUDA_SUCCESS);
    return made;
}

CUgraphNode bench::kernel(CUgraph graph, const kernel_spec& spec, CUgraphNode after) const {
    struct {
        CUdeviceptr out;
        std::uint64_t a;
        std::uint64_t b;
    } values{address(spec.slot), spec.a, spec.b};
    std::size_t size_bytes = sizeof values;
    void* pointers[] = {&values.out, &values.a, &values.b};
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &values, CU_LAUNCH_PARAM_BUFFER_SIZE, &size_bytes, CU_LAUNCH_PARAM_END};
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    params.func = function(spec.name);
    params.gridDimX = spec.grid;
    params.blockDimX = spec.block;
    params.gridDimY = params.gridDimZ = params.blockDimY = params.blockDimZ = 1;
    params.sharedMemBytes = spec.shared_memory_bytes;
    (spec.packed ? params.extra : params.kernelParams) = spec.packed ? extra : pointers;
    CUgraphNode made = nullptr;
    REQUIRE(cu().cuGraphAddKernelNode(&made, graph, &after, after != nullptr ? 1 : 0, &params) == CUDA_SUCCESS);
    const auto set = [&](CUlaunchAttributeID id, const CUlaunchAttributeValue& value) {
        REQUIRE(cu().cuGraphKernelNodeSetAttribute(made, id, &value) == CUDA_SUCCESS);
    };
    CUlaunchAttributeValue value{};
    if (spec.cluster.x != 0) {
        value.clusterDim = {spec.cluster.x, spec.cluster.y, spec.cluster.z};
        set(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, value);
    }
    value = {};
    value.cooperative = 1;
    if (spec.cooperative) set(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, value);
    value = {};
    value.priority = spec.priority;
    if (spec.priority != 0) set(CU_LAUNCH_ATTRIBUTE_PRIORITY, value);
    return made;
}

CUgraphNode bench::empty(CUgraph graph, CUgraphNode after) const {
    CUgraphNode made = nullptr;
    REQUIRE(cu().cuGraphAddEmptyNode(&made, graph, &after, after != nullptr ? 1 : 0) == CUDA_SUCCESS);
    return made;
}

CUgraphNode bench::fill(CUgraph graph, CUdeviceptr at, unsigned int value, std::size_t width, CUgraphNode after) const {
    CUDA_MEMSET_NODE_PARAMS params{};
    params.dst = at;
    params.value = value;
    params.elementSize = 4;
    params.width = width;
    params.height = 1;
    CUgraphNode made = nullptr;
    REQUIRE(cu().cuGraphAddMemsetNode(&made, graph, &after, after != nullptr ? 1 : 0, &params, context) == CUDA_SUCCESS);
    return made;
}

CUgraph bench::graph_of(const std::vector<kernel_spec>& specs) const {
    const CUgraph made = graph();
    CUgraphNode last = nullptr;
    for (const kernel_spec& spec : specs) last = kernel(made, spec, last);
    return made;
}

CUgraphExec bench::instantiate(CUgraph graph, cuuint64_t flags) const {
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    params.flags = flags;
    CUgraphExec made = nullptr;
    REQUIRE(cu().cuGraphInstantiateWithParams(&made, graph, &params) == CUDA_SUCCESS);
    return made;
}

CUresult bench::update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) const {
    CUgraphExecUpdateResultInfo ignored{};
    return cu().cuGraphExecUpdate(exec, graph, info != nullptr ? info : &ignored);
}

void bench::launch(CUgraphExec exec) const {
    REQUIRE(cu().cuGraphLaunch(exec, stream) == CUDA_SUCCESS);
    REQUIRE(cu().cuStreamSynchronize(stream) == CUDA_SUCCESS);
}

CUdeviceptr bench::address(std::size_t slot) const { return memory + slot * report_word_count * sizeof(std::uint64_t); }

std::vector<std::uint64_t> bench::report(std::size_t slot) const {
    std::vector<std::uint64_t> words(report_word_count);
    REQUIRE(cu().cuMemcpyDtoH(words.data(), address(slot), report_word_count * sizeof(std::uint64_t)) == CUDA_SUCCESS);
    return words;
}

std::uint64_t bench::word(CUdeviceptr at) const {
    std::uint64_t value = 0;
    REQUIRE(cu().cuMemcpyDtoH(&value, at, sizeof value) == CUDA_SUCCESS);
    return value;
}

gdsim_counters counters() {
    gdsim_counters read{};
    REQUIRE(gdsim().get_counters(&read) == 0);
    return read;
}

gdsim_record record(std::size_t index) {
    gdsim_record read{};
    REQUIRE(gdsim().log_get(index, &read) == 0);
    return read;
}

std::string last_misuse() {
    char text[256] = {};
    gdsim().last_misuse(text, sizeof text);
    return text;
}

}  // namespace sim_tests
