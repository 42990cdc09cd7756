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

// Which launch attributes a driver lets be read of kernel nodes.
struct readable_attributes {
    struct entry {
        std::uint16_t id;
        std::uint8_t size_bytes;  // of the value's significant bytes
        bool readable;
    };
    std::vector<entry> entries;    // by rising id; empty before the first kernel node was read
    bool asked_clustered = false;  // whether the preferred cluster was asked for where a cluster is set
};

// What one walk leaves for the next one with the same driver and device: memory, since new pages cost as much as the driver's
// answers, and what was found out about the driver, since each question that it does not answer costs as much as a node.
struct walk_memory {
    graph buffers;  // a graph that is no longer needed goes back here; only its capacity is used
    readable_attributes attributes;
};

// Reads nodes, edges with their edge data, attributes and function facts of `graph` and, recursively, of its child graphs.
// Takes some 10 driver calls a kernel node, changes nothing. The caller holds off changes to the graph meanwhile: no graph call
// of CUDA is thread-safe on the same graph. `device` is asked for the facts of kernels that belong to no context (CUkernel).
// Throws driver_error, with `site` in it.
[[nodiscard]] graph walk(const driver_layer::api& driver, CUgraph graph, CUdevice device, walk_detail detail,
                         const driver_layer::call_site& site);
[[nodiscard]] graph walk(const driver_layer::api& driver, CUgraph graph, CUdevice device, walk_detail detail,
                         const driver_layer::call_site& site, walk_memory& memory);

}  // namespace graphdedup::snapshot
