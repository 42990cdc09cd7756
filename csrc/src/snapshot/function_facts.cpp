#include "snapshot/function_facts.hpp"

namespace graphdedup::snapshot {
namespace {

using driver_layer::api;
using driver_layer::call_site;
using driver_layer::check;

struct fact {
    std::optional<std::int32_t> function_facts::* field;
    int attribute;       // CUfunction_attribute
    bool for_signature;  // read at registration
};

// Names of CUfunction_attribute exist in every header that can be built against.
constexpr fact facts[] = {
    {&function_facts::num_regs, CU_FUNC_ATTRIBUTE_NUM_REGS, false},
    {&function_facts::max_dynamic_shared_bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, false},
    {&function_facts::preferred_shared_memory_carveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, false},
    {&function_facts::cluster_size_must_be_set, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, true},
    {&function_facts::required_cluster_width, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, true},
    {&function_facts::required_cluster_height, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, true},
    {&function_facts::required_cluster_depth, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, true},
    {&function_facts::non_portable_cluster_size_allowed, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, false},
    {&function_facts::cluster_scheduling_policy, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, true},
};

std::optional<std::int32_t> read_fact(const api& driver, const function_handle& handle, CUdevice device, int attribute) {
    const auto id = static_cast<CUfunction_attribute>(attribute);
    int value = 0;
    const CUresult status = handle.function != nullptr ? driver.cuFuncGetAttribute(&value, id, handle.function)
                                                       : driver.cuKernelGetAttribute(&value, id, handle.kernel, device);
    if (status != CUDA_SUCCESS) return std::nullopt;
    return value;
}

std::string read_name(const api& driver, const function_handle& handle, const call_site& site) {
    const char* name = nullptr;
    if (handle.function != nullptr) {
        check(driver, driver.cuFuncGetName(&name, handle.function), "cuFuncGetName", site);
    } else {
        check(driver, driver.cuKernelGetName(&name, handle.kernel), "cuKernelGetName", site);
    }
    return name != nullptr ? name : "";
}

// The driver has no count before CUDA 13.2: the first index out of range is the end.
std::vector<param_info> read_params(const api& driver, const function_handle& handle, const call_site& site) {
    std::vector<param_info> params;
    for (std::size_t index = 0;; ++index) {
        std::size_t offset_bytes = 0;
        std::size_t size_bytes = 0;
        const bool is_function = handle.function != nullptr;
        const CUresult status = is_function ? driver.cuFuncGetParamInfo(handle.function, index, &offset_bytes, &size_bytes)
                                            : driver.cuKernelGetParamInfo(handle.kernel, index, &offset_bytes, &size_bytes);
        if (status == CUDA_ERROR_INVALID_VALUE) return params;
        check(driver, status, is_function ? "cuFuncGetParamInfo" : "cuKernelGetParamInfo", site);
        params.push_back({static_cast<std::uint32_t>(offset_bytes), static_cast<std::uint32_t>(size_bytes)});
    }
}

}  // namespace

function read_function(const api& driver, const function_handle& handle, CUdevice device, bool everything,
                       const call_site& site) {
    function read;
    read.identity = handle.identity();
    for (const fact& f : facts) {
        if (everything || f.for_signature) read.facts.*f.field = read_fact(driver, handle, device, f.attribute);
    }
    if (everything) {
        read.name = read_name(driver, handle, site);
        read.params = read_params(driver, handle, site);
    }
    return read;
}

}  // namespace graphdedup::snapshot
