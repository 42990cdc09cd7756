#include "expected_image.hpp"

#include "bench.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace graphdedup::conformance {
namespace {

constexpr std::uint64_t first_tag = 0x1111222233334444U;
constexpr std::uint64_t second_tag = 0x5555666677778888U;

doctor::cluster_shape cluster_of(const kernel_node& node) {
    if (node.runs_with) return *node.runs_with;
    if (node.report.cluster) return *node.report.cluster;
    for (const doctor::report_kernel& kernel : kernels) {
        if (kernel.name == node.report.kernel) return kernel.static_cluster;
    }
    return {};
}

class effect_writer {
  public:
    explicit effect_writer(image& into) : into_(into) {}

    void operator()(const kernel_node& node) const {
        const doctor::report_node& asked = node.report;
        doctor::launch_report report{};
        report.tag = doctor::tag_of(asked.kernel);
        std::copy(asked.grid.begin(), asked.grid.end(), report.grid.begin());
        std::copy(asked.block.begin(), asked.block.end(), report.block.begin());
        const doctor::cluster_shape cluster = cluster_of(node);
        report.cluster = {std::max(cluster.x, 1U), std::max(cluster.y, 1U), std::max(cluster.z, 1U)};
        report.dynamic_shared_bytes = asked.dynamic_shared_bytes;
        report.a = asked.a;
        report.b = asked.b;
        std::memcpy(into_.slot(memory::device, asked.slot), &report, sizeof report);
    }

    void operator()(const memset_node& node) const {
        for (std::size_t y = 0; y < node.height; ++y) {
            for (std::size_t x = 0; x < node.width; ++x) {
                std::byte* at = into_.at(node.to) + y * node.pitch_bytes + x * node.element_bytes;
                std::memcpy(at, &node.value, node.element_bytes);
            }
        }
    }

    void operator()(const memcpy_node& node) const {
        const std::size_t from_pitch_bytes = node.from_pitch_bytes != 0 ? node.from_pitch_bytes : node.width_bytes;
        const std::size_t to_pitch_bytes = node.to_pitch_bytes != 0 ? node.to_pitch_bytes : node.width_bytes;
        for (std::size_t row = 0; row < node.height * node.depth; ++row) {
            for (std::size_t x = 0; x < node.width_bytes; ++x) {
                const std::size_t from = node.from_offset_bytes + row * from_pitch_bytes + x;
                into_.at(node.to)[row * to_pitch_bytes + x] = pattern_at(node.from, from);
            }
        }
    }

    void operator()(const host_node& node) const {
        const std::uint64_t tag = node.second_function ? second_tag : first_tag;
        std::memcpy(into_.slot(memory::pageable, node.slot), &tag, sizeof tag);
    }

    void operator()(const child_node& node) const { add_effects(*node.inner, into_); }

    void operator()(const event_record_node&) const {}
    void operator()(const event_wait_node&) const {}
    void operator()(const spin_node&) const {}
    void operator()(const empty_node&) const {}

  private:
    image& into_;
};

}  // namespace

void add_effects(const graph_spec& spec, image& into) {
    for (const node_spec& node : spec.nodes) std::visit(effect_writer(into), node);
}

void CUDA_CB write_first_tag(void* slot) { std::memcpy(slot, &first_tag, sizeof first_tag); }
void CUDA_CB write_second_tag(void* slot) { std::memcpy(slot, &second_tag, sizeof second_tag); }

}  // namespace graphdedup::conformance
