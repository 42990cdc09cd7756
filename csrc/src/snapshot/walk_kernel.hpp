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
    kernel_reader(const driver_layer::api& driver, CUdevice device, walk_detail detail, const driver_layer::call_site& site,
                  readable_attributes& wanted)
        : driver_(driver),
          device_(device),
          detail_(detail),
          site_(site),
          wanted_(wanted) {}

    // Room in `result` for `node_count` kernel nodes.
    void reserve(graph& result, std::size_t node_count) const;
    // Appends the kernel node `handle` to `result.kernels`, with all that it refers to.
    void read(CUgraphNode handle, graph& result);

  private:
    void probe_attributes(CUgraphNode handle);
    [[nodiscard]] bool get_attribute(CUgraphNode handle, std::uint16_t id, CUlaunchAttributeValue& value) const;
    void read_attribute(CUgraphNode handle, const readable_attributes::entry& wanted, graph& result, attribute& read) const;
    [[nodiscard]] range read_attributes(CUgraphNode handle, graph& result);
    [[nodiscard]] std::uint32_t find_function(const CUDA_KERNEL_NODE_PARAMS_v2& params, graph& result);
    [[nodiscard]] range read_arguments(const CUDA_KERNEL_NODE_PARAMS_v2& params, const function& f, graph& result) const;

    const driver_layer::api& driver_;
    CUdevice device_;
    walk_detail detail_;
    const driver_layer::call_site& site_;
    readable_attributes& wanted_;
    std::unordered_map<std::uint64_t, std::uint32_t> functions_;
};

}  // namespace graphdedup::snapshot
