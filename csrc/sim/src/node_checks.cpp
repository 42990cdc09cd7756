#include "node_checks.hpp"

#include "world.hpp"

namespace graphdedup_sim {
namespace {

bool is_memory_type(CUmemorytype type) { return type >= CU_MEMORYTYPE_HOST && type <= CU_MEMORYTYPE_UNIFIED; }

bool is_context(CUcontext context) { return here().contexts.find(context) != nullptr; }

}  // namespace

CUresult check_copy(const CUDA_MEMCPY3D& copy, CUcontext context) {
    if (!is_memory_type(copy.srcMemoryType) || !is_memory_type(copy.dstMemoryType)) return CUDA_ERROR_INVALID_VALUE;
    if (copy.WidthInBytes == 0 || copy.Height == 0 || copy.Depth == 0) return CUDA_ERROR_INVALID_VALUE;
    return is_context(context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult check_set(const CUDA_MEMSET_NODE_PARAMS& set, CUcontext context) {
    const bool element = set.elementSize == 1 || set.elementSize == 2 || set.elementSize == 4;
    if (!element || set.width == 0 || set.height == 0) return CUDA_ERROR_INVALID_VALUE;
    if (set.height > 1 && set.pitch < set.width * set.elementSize) return CUDA_ERROR_INVALID_VALUE;
    return is_context(context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

}  // namespace graphdedup_sim
