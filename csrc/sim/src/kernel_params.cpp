#include "kernel_params.hpp"

#include "thread_state.hpp"
#include "world.hpp"

#include <cstring>

namespace graphdedup_sim {
namespace {

// CU_LAUNCH_PARAM_*, whose macros are casts.
constexpr std::uintptr_t param_end = 0;
constexpr std::uintptr_t param_buffer_pointer = 1;
constexpr std::uintptr_t param_buffer_size = 2;

std::uintptr_t to_tag(const void* value) { return reinterpret_cast<std::uintptr_t>(value); }
void* from_tag(std::uintptr_t tag) { return reinterpret_cast<void*>(tag); }

bool read_packed(void* const* extra, std::vector<std::byte>& arguments) {
    const void* data = nullptr;
    std::size_t size_bytes = 0;
    for (; to_tag(*extra) != param_end; extra += 2) {
        if (to_tag(extra[0]) == param_buffer_pointer) {
            data = extra[1];
        } else if (to_tag(extra[0]) == param_buffer_size) {
            std::memcpy(&size_bytes, extra[1], sizeof size_bytes);
        } else {
            return false;
        }
    }
    if (data == nullptr && size_bytes != 0) return false;
    arguments.resize(size_bytes);
    if (size_bytes != 0) std::memcpy(arguments.data(), data, size_bytes);
    return true;
}

bool read_pointers(const function_object& function, void* const* pointers, std::vector<std::byte>& arguments) {
    arguments.assign(function.arguments_size_bytes(), std::byte{0});
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const parameter_layout& p = function.parameters[i];
        if (pointers[i] == nullptr) return false;
        std::memcpy(arguments.data() + p.offset_bytes, pointers[i], p.size_bytes);
    }
    return true;
}

bool read_arguments(const CUDA_KERNEL_NODE_PARAMS_v2& given, const function_object& function, kernel_params& read) {
    if (given.kernelParams != nullptr && given.extra != nullptr) return false;
    if (given.extra != nullptr) {
        read.form = argument_form::packed;
        return read_packed(given.extra, read.arguments);
    }
    if (given.kernelParams == nullptr) return function.parameters.empty();
    read.form = argument_form::pointers;
    return read_pointers(function, given.kernelParams, read.arguments);
}

bool is_launchable(const dimensions& grid, const dimensions& block) {
    constexpr std::uint64_t block_size_limit = 1024;
    std::uint64_t threads = 1;
    for (const unsigned int size : block) threads *= size;
    return grid[0] != 0 && grid[1] != 0 && grid[2] != 0 && threads != 0 && threads <= block_size_limit;
}

}  // namespace

const function_object* find_function(CUfunction function, CUkernel kernel, symbol operation) {
    if (function != nullptr) return lookup(here().functions, function, operation);
    return lookup(here().kernels, kernel, operation);
}

CUresult read_kernel_params(const CUDA_KERNEL_NODE_PARAMS_v2& given, symbol operation, kernel_params& read) {
    if (given.func == nullptr && given.kern == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const function_object* function = find_function(given.func, given.kern, operation);
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    read.function = given.func;
    read.kernel = given.func == nullptr ? given.kern : nullptr;
    read.context = given.func != nullptr ? function->context : given.ctx;
    if (read.context == nullptr) {
        if (const CUresult status = current_context(read.context); status != CUDA_SUCCESS) return status;
    }
    if (here().contexts.find(read.context) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    read.grid = {given.gridDimX, given.gridDimY, given.gridDimZ};
    read.block = {given.blockDimX, given.blockDimY, given.blockDimZ};
    read.shared_memory_bytes = given.sharedMemBytes;
    read.arguments.clear();
    read.form = argument_form::none;
    const int shared_limit_bytes = function->attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    const bool fits = static_cast<std::uint64_t>(read.shared_memory_bytes) <= static_cast<std::uint64_t>(shared_limit_bytes);
    const bool valid = fits && is_launchable(read.grid, read.block) && read_arguments(given, *function, read);
    return valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void refresh_view(node_object& node) {
    auto* kernel = std::get_if<kernel_params>(&node.params);
    if (kernel == nullptr) return;
    kernel_view& view = node.view;
    view = {};
    view.size_bytes = kernel->arguments.size();
    // The order in which a driver was seen to hand them out.
    view.extra[0] = from_tag(param_buffer_size);
    view.extra[1] = &view.size_bytes;
    view.extra[2] = from_tag(param_buffer_pointer);
    view.extra[3] = kernel->arguments.data();
    view.extra[4] = from_tag(param_end);
    if (kernel->form != argument_form::pointers) return;
    const function_object* function =
        kernel->function != nullptr ? here().functions.find(kernel->function) : here().kernels.find(kernel->kernel);
    if (function == nullptr) return;
    for (const parameter_layout& p : function->parameters) view.pointers.push_back(kernel->arguments.data() + p.offset_bytes);
    view.pointers.push_back(nullptr);  // so that the array is there for a function without parameters
}

CUresult check_attribute(int id, const attribute_value& value) {
    if ((here().profile.readable_attributes & mask_of(id)) == 0) return CUDA_ERROR_INVALID_VALUE;
    if (id != attribute_id::cluster_dimension) return CUDA_SUCCESS;
    const CUlaunchAttributeValue cluster = from_bytes(value);
    const bool any = cluster.clusterDim.x != 0 || cluster.clusterDim.y != 0 || cluster.clusterDim.z != 0;
    const bool all = cluster.clusterDim.x != 0 && cluster.clusterDim.y != 0 && cluster.clusterDim.z != 0;
    return any && !all ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // namespace graphdedup_sim
