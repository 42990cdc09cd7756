// Whether copies and fills may become nodes.
#pragma once

#include <cuda.h>

namespace graphdedup_sim {

[[nodiscard]] CUresult check_copy(const CUDA_MEMCPY3D& copy, CUcontext context);
[[nodiscard]] CUresult check_set(const CUDA_MEMSET_NODE_PARAMS& set, CUcontext context);

}  // namespace graphdedup_sim
