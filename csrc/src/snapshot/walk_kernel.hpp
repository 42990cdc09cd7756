// The walk's part for kernel nodes: parameters, launch attributes, function facts.
#pragma once

#include "driver/api.hpp"
#include "driver/check.hpp"
#include "snapshot/attribute_table.hpp"
#include "snapshot/snapshot.hpp"
#include "snapshot/walk.hpp"

#include <algorithm>
#include <array>
#include <span>
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
    // Values of one node's attributes, on their way to graph::bytes.
    struct value_buffer {
        std::array<std::byte, std::size_t{last_probed_attribute} * raw_attribute_size_bytes> bytes;  // not initialised: it is hot
        std::uint32_t begin = 0;  // where in graph::bytes they will be
        std::uint32_t used = 0;

        [[nodiscard]] bool any_nonzero(range r) const {
            const auto value = std::span(bytes).subspan(r.begin - begin, r.count);
            return std::ranges::any_of(value, [](std::byte b) { return b != std::byte{0}; });
        }
    };

    void probe_attributes(CUgraphNode handle);
    [[nodiscard]] bool get_attribute(CUgraphNode handle, std::uint16_t id, CUlaunchAttributeValue& value) const;
    [[nodiscard]] attribute read_attribute(CUgraphNode handle, const readable_attributes::entry& wanted,
                                           value_buffer& values) const;
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
