// Between the driver's kernel parameters and the copy that a node keeps.
#pragma once

#include "objects.hpp"
#include "symbols.hpp"

namespace graphdedup_sim {

// Null, and a misuse noted, if neither handle is living. `operation`: of the caller.
[[nodiscard]] const function_object* find_function(CUfunction function, CUkernel kernel, symbol operation);

// Copies everything but the attributes, argument bytes included.
[[nodiscard]] CUresult read_kernel_params(const CUDA_KERNEL_NODE_PARAMS_v2& given, symbol operation, kernel_params& read);

// Makes the node's arrays point into its own arguments. To be called whenever its parameters have changed.
void refresh_view(node_object& node);

[[nodiscard]] CUresult check_attribute(int id, const attribute_value& value);

}  // namespace graphdedup_sim
