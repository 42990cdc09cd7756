#include "launch_entry.hpp"

#include "world.hpp"

#include <algorithm>

namespace graphdedup_sim {
namespace {

void describe(const kernel_params& kernel, launch_log::entry& entry) {
    gdsim_record& record = entry.record;
    record.function = reinterpret_cast<std::uintptr_t>(kernel.function);
    if (kernel.function == nullptr) record.function = reinterpret_cast<std::uintptr_t>(kernel.kernel);
    std::copy(kernel.grid.begin(), kernel.grid.end(), record.grid);
    std::copy(kernel.block.begin(), kernel.block.end(), record.block);
    record.shared_memory_bytes = kernel.shared_memory_bytes;
    record.cooperative = kernel.attributes.cooperative();
    record.priority = kernel.attributes.priority();
    const attribute_value policy = kernel.attributes.get(attribute_id::cluster_scheduling_policy);
    record.cluster_scheduling_policy = static_cast<int>(from_bytes(policy).clusterSchedulingPolicyPreference);
    entry.arguments = kernel.arguments;
}

std::uint64_t address_of(CUmemorytype type, CUdeviceptr device, const void* host, CUarray array) {
    if (type == CU_MEMORYTYPE_HOST) return reinterpret_cast<std::uintptr_t>(host);
    return type == CU_MEMORYTYPE_ARRAY ? reinterpret_cast<std::uintptr_t>(array) : device;
}

void describe(const CUDA_MEMCPY3D& copy, gdsim_record& record) {
    record.source = address_of(copy.srcMemoryType, copy.srcDevice, copy.srcHost, copy.srcArray);
    record.destination = address_of(copy.dstMemoryType, copy.dstDevice, copy.dstHost, copy.dstArray);
    record.source_memory_type = static_cast<int>(copy.srcMemoryType);
    record.destination_memory_type = static_cast<int>(copy.dstMemoryType);
    record.width = copy.WidthInBytes;
    record.height = copy.Height;
    record.depth_count = copy.Depth;
}

void describe(const CUDA_MEMSET_NODE_PARAMS& fill, gdsim_record& record) {
    record.destination = fill.dst;
    record.value = fill.value;
    record.element_size_bytes = fill.elementSize;
    record.pitch_bytes = fill.pitch;
    record.width = fill.width;
    record.height = fill.height;
}

}  // namespace

void describe_node(const node_params& params, const std::string& function_name, const dimensions& cluster,
                   launch_log::entry& entry) {
    gdsim_record& record = entry.record;
    if (const auto* kernel = std::get_if<kernel_params>(&params)) {
        describe(*kernel, entry);
        entry.function_name = function_name;
        std::copy(cluster.begin(), cluster.end(), record.cluster);
    }
    if (const auto* copy = std::get_if<memcpy_params>(&params)) describe(copy->copy, record);
    if (const auto* fill = std::get_if<memset_params>(&params)) describe(fill->set, record);
    if (const auto* host = std::get_if<host_params>(&params)) {
        record.host_function = reinterpret_cast<std::uintptr_t>(host->function);
        record.user_data = reinterpret_cast<std::uintptr_t>(host->user_data);
    }
    if (const auto* event = std::get_if<event_params>(&params)) record.event = reinterpret_cast<std::uintptr_t>(event->event);
    if (const auto* alloc = std::get_if<alloc_params>(&params)) record.destination = alloc->address;
    if (const auto* freed = std::get_if<free_params>(&params)) record.destination = freed->address;
}

dimensions effective_cluster(const attribute_set& attributes, const dimensions& static_cluster) {
    const dimensions launch = attributes.cluster();
    const dimensions regular = launch[0] != 0 ? launch : static_cluster;
    const dimensions preferred = attributes.preferred_cluster();
    const bool honoured = here().profile.honours_preferred_cluster != 0 && regular[0] != 0 && preferred[0] != 0;
    return honoured ? preferred : regular;
}

}  // namespace graphdedup_sim
