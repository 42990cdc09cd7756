// Parameters and attributes of kernel nodes.
#include "kernel_params.hpp"
#include "symbols.hpp"
#include "world.hpp"

namespace graphdedup_sim::impl {
namespace {

// The node and its kernel; null if the handle is stale or the node is of another kind.
struct found_kernel {
    node_object* node = nullptr;
    kernel_params* kernel = nullptr;
};

found_kernel find_kernel(CUgraphNode handle, symbol operation) {
    node_object* node = lookup(here().nodes, handle, operation);
    if (node == nullptr) return {};
    return {node, std::get_if<kernel_params>(&node->params)};
}

}  // namespace

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2* params) {
    const found_kernel found = find_kernel(node, symbol::cuGraphKernelNodeGetParams);
    if (params == nullptr || found.kernel == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const kernel_params& kernel = *found.kernel;
    *params = {};
    params->func = kernel.function;
    params->kern = kernel.kernel;
    params->ctx = kernel.context;
    params->gridDimX = kernel.grid[0];
    params->gridDimY = kernel.grid[1];
    params->gridDimZ = kernel.grid[2];
    params->blockDimX = kernel.block[0];
    params->blockDimY = kernel.block[1];
    params->blockDimZ = kernel.block[2];
    params->sharedMemBytes = kernel.shared_memory_bytes;
    if (kernel.form == argument_form::pointers) params->kernelParams = found.node->view.pointers.data();
    if (kernel.form == argument_form::packed) params->extra = found.node->view.extra;
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2* params) {
    const found_kernel found = find_kernel(node, symbol::cuGraphKernelNodeSetParams);
    if (params == nullptr || found.kernel == nullptr) return CUDA_ERROR_INVALID_VALUE;
    kernel_params changed;
    const CUresult status = read_kernel_params(*params, symbol::cuGraphKernelNodeSetParams, changed);
    if (status != CUDA_SUCCESS) return status;
    changed.attributes = found.kernel->attributes;
    *found.kernel = std::move(changed);
    refresh_view(*found.node);
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUlaunchAttributeID attribute, CUlaunchAttributeValue* value) {
    const found_kernel found = find_kernel(node, symbol::cuGraphKernelNodeGetAttribute);
    if (value == nullptr || found.kernel == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if ((here().profile.readable_attributes & mask_of(static_cast<int>(attribute))) == 0) return CUDA_ERROR_INVALID_VALUE;
    *value = from_bytes(found.kernel->attributes.get(static_cast<int>(attribute)));
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID attribute, const CUlaunchAttributeValue* value) {
    const found_kernel found = find_kernel(node, symbol::cuGraphKernelNodeSetAttribute);
    if (value == nullptr || found.kernel == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const int id = static_cast<int>(attribute);
    const attribute_value bytes = to_bytes(*value);
    if (const CUresult status = check_attribute(id, bytes); status != CUDA_SUCCESS) return status;
    // Once opted in, a node cannot opt out.
    const bool opts_out = id == attribute_id::device_updatable && found.kernel->attributes.device_updatable();
    if (opts_out && value->deviceUpdatableKernelNode.deviceUpdatable == 0) return CUDA_ERROR_INVALID_VALUE;
    found.kernel->attributes.set(id, bytes);
    return CUDA_SUCCESS;
}

}  // namespace graphdedup_sim::impl
