// Reads a live graph from the driver.
#pragma once

#include "driver/api.hpp"
#include "driver/check.hpp"
#include "snapshot/snapshot.hpp"

namespace graphdedup::snapshot {

enum class walk_detail : std::uint8_t {
    signature,   // what the sharing rules look at
    everything,  // also function names and parameter layouts, all function facts, argument bytes
};

// Reads nodes, edges with their edge data, attributes and function facts of `graph` and, recursively, of its child graphs.
// Takes some 10 driver calls a kernel node, changes nothing. The caller holds off changes to the graph meanwhile: no graph call
// of CUDA is thread-safe on the same graph. `device` is asked for the facts of kernels that belong to no context (CUkernel).
// Throws driver_error, with `site` in it.
[[nodiscard]] graph walk(const driver_layer::api& driver, CUgraph graph, CUdevice device, walk_detail detail,
                         const driver_layer::call_site& site);

}  // namespace graphdedup::snapshot
