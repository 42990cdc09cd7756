// Modules, and the facts of functions and kernels.
#include "ptx.hpp"
#include "symbols.hpp"
#include "thread_state.hpp"
#include "world.hpp"

#include <cctype>
#include <cstring>

namespace graphdedup_sim::impl {
namespace {

// An image is text that ends with a null, or a binary with a size of its own: only the first bytes tell.
bool is_text(const char* image) {
    constexpr std::size_t looked_at_count = 4;
    for (std::size_t i = 0; i < looked_at_count && image[i] != '\0'; ++i) {
        const auto c = static_cast<unsigned char>(image[i]);
        if (std::isprint(c) == 0 && std::isspace(c) == 0) return false;
    }
    return image[0] != '\0';
}

CUresult get_attribute(int* value, CUfunction_attribute attribute, const function_object* function) {
    constexpr int last_attribute = CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
    if (value == nullptr || attribute < 0 || static_cast<int>(attribute) > last_attribute) return CUDA_ERROR_INVALID_VALUE;
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    *value = function->attribute(attribute);
    return CUDA_SUCCESS;
}

CUresult get_name(const char** name, const function_object* function) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    *name = function->name.c_str();
    return CUDA_SUCCESS;
}

CUresult get_param_info(const function_object* function, std::size_t index, std::size_t* offset, std::size_t* size) {
    if (offset == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (index >= function->parameters.size()) return CUDA_ERROR_INVALID_VALUE;
    *offset = function->parameters[index].offset_bytes;
    if (size != nullptr) *size = function->parameters[index].size_bytes;
    return CUDA_SUCCESS;
}

bool can_be_set(CUfunction_attribute attribute) {
    switch (attribute) {
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return true;
        default: return false;
    }
}

}  // namespace

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    if (module == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUcontext context = nullptr;
    if (const CUresult status = current_context(context); status != CUDA_SUCCESS) return status;
    const char* text = static_cast<const char*>(image);
    if (!is_text(text)) return CUDA_ERROR_INVALID_IMAGE;
    std::optional<std::vector<function_object>> entries = parse_ptx(text);
    if (!entries) return CUDA_ERROR_INVALID_PTX;
    world& w = here();
    auto made = std::make_unique<module_object>(module_object{context, {}});
    for (function_object& entry : *entries) {
        entry.context = context;
        made->functions.push_back(w.functions.add(std::make_unique<function_object>(std::move(entry)), w.handle_reuse));
    }
    *module = w.modules.add(std::move(made), w.handle_reuse);
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
    world& w = here();
    if (lookup(w.modules, module, symbol::cuModuleUnload) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const std::unique_ptr<module_object> taken = w.modules.take(module);
    for (const CUfunction function : taken->functions) w.functions.take(function);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const module_object* found = lookup(here().modules, module, symbol::cuModuleGetFunction);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    for (const CUfunction candidate : found->functions) {
        const function_object* object = here().functions.find(candidate);
        if (object == nullptr || object->name != name) continue;
        *function = candidate;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
    return get_attribute(value, attribute, lookup(here().functions, function, symbol::cuFuncGetAttribute));
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device) {
    if (device < 0 || static_cast<std::size_t>(device) >= here().devices.size()) return CUDA_ERROR_INVALID_DEVICE;
    return get_attribute(value, attribute, lookup(here().kernels, kernel, symbol::cuKernelGetAttribute));
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    if (!can_be_set(attribute)) return CUDA_ERROR_INVALID_VALUE;
    function_object* found = lookup(here().functions, function, symbol::cuFuncSetAttribute);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    found->attributes[attribute] = value;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
    return get_name(name, lookup(here().functions, function, symbol::cuFuncGetName));
}

CUresult cuKernelGetName(const char** name, CUkernel kernel) {
    return get_name(name, lookup(here().kernels, kernel, symbol::cuKernelGetName));
}

CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* size) {
    return get_param_info(lookup(here().functions, function, symbol::cuFuncGetParamInfo), index, offset, size);
}

CUresult cuKernelGetParamInfo(CUkernel kernel, std::size_t index, std::size_t* offset, std::size_t* size) {
    return get_param_info(lookup(here().kernels, kernel, symbol::cuKernelGetParamInfo), index, offset, size);
}

}  // namespace graphdedup_sim::impl
