// The walk's part for kernel nodes: parameters, launch attributes, function facts.
#pragma once

#include "driver/api.hpp"
#include "driver/check.hpp"
#include "snapshot/attribute_table.hpp"
#include "snapshot/snapshot.hpp"
#include "snapshot/walk.hpp"

#include <unordered_map>

namespace graphdedup::snapshot {

class kernel_reader {
  public:
    kernel_reader(const driver_layer::api& driver, CUdevice device, walk_detail detail, const driver_layer::call_site& site)
        : driver_(driver),
          device_(device),
          detail_(detail),
          site_(site) {}

    // Room in `result` for `node_count` kernel nodes.
    void reserve(graph& result, std::size_t node_count) const;
    // Appends the kernel node `handle` to `result.kernels`, with all that it refers to.
    void read(CUgraphNode handle, graph& result);

  private:
    void probe_attributes(CUgraphNode handle);
    [[nodiscard]] bool get_attribute(CUgraphNode handle, std::uint16_t id, CUlaunchAttributeValue& value) const;
    void add_attribute(CUgraphNode handle, std::uint16_t id, std::uint8_t size_bytes, graph& result) const;
    [[nodiscard]] range read_attributes(CUgraphNode handle, graph& result);
    [[nodiscard]] std::uint32_t find_function(const CUDA_KERNEL_NODE_PARAMS_v2& params, graph& result);
    [[nodiscard]] range read_arguments(const CUDA_KERNEL_NODE_PARAMS_v2& params, const function& f, graph& result) const;

    struct wanted_attribute {
        std::uint16_t id;
        std::uint8_t size_bytes;
        bool readable;
    };

    const driver_layer::api& driver_;
    CUdevice device_;
    walk_detail detail_;
    const driver_layer::call_site& site_;
    std::vector<wanted_attribute> wanted_;  // empty before the first kernel node
    bool asked_clustered_ = false;          // whether the preferred cluster was asked for where a cluster is set
    std::unordered_map<std::uint64_t, std::uint32_t> functions_;
};

}  // namespace graphdedup::snapshot
