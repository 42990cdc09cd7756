#include "snapshot/walk_kernel.hpp"

#include "snapshot/function_facts.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace graphdedup::snapshot {
namespace {

using driver_layer::check;

range append(graph& result, const void* data, std::size_t size_bytes) {
    const range added{static_cast<std::uint32_t>(result.bytes.size()), static_cast<std::uint32_t>(size_bytes)};
    const auto* first = static_cast<const std::byte*>(data);
    result.bytes.insert(result.bytes.end(), first, first + size_bytes);
    return added;
}

// The packed parameter buffer of `extra`: pairs of a tag and a pointer, in any order (CU_LAUNCH_PARAM_*).
struct packed_arguments {
    const void* data = nullptr;
    std::size_t size_bytes = 0;
};

packed_arguments parse_extra(void** extra) {
    packed_arguments found;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) found.data = extra[1];
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) found.size_bytes = *static_cast<const std::size_t*>(extra[1]);
    }
    return found;
}

argument_source source_of(const CUDA_KERNEL_NODE_PARAMS_v2& params) {
    if (params.kernelParams != nullptr) return argument_source::kernel_params;
    return params.extra != nullptr ? argument_source::extra : argument_source::none;
}

}  // namespace

void kernel_reader::reserve(graph& result, std::size_t node_count) const {
    // As many as a driver of CUDA 13 answers for, and the few bytes that most values take.
    constexpr std::size_t attributes_per_node = 14;
    constexpr std::size_t value_bytes_per_node = 72;
    result.kernels.reserve(node_count);
    result.attributes.reserve(node_count * attributes_per_node);
    result.bytes.reserve(node_count * value_bytes_per_node);
}

void kernel_reader::read(CUgraphNode handle, graph& result) {
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    check(driver_, driver_.cuGraphKernelNodeGetParams(handle, &params), "cuGraphKernelNodeGetParams", site_);
    kernel_params kernel;
    kernel.function = find_function(params, result);
    kernel.grid = {params.gridDimX, params.gridDimY, params.gridDimZ};
    kernel.block = {params.blockDimX, params.blockDimY, params.blockDimZ};
    kernel.shared_memory_bytes = params.sharedMemBytes;
    kernel.attributes = read_attributes(handle, result);
    kernel.source = source_of(params);
    if (detail_ == walk_detail::everything) kernel.arguments = read_arguments(params, result.functions[kernel.function], result);
    const auto context = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(params.ctx));
    if (context != 0 && std::find(result.contexts.begin(), result.contexts.end(), context) == result.contexts.end()) {
        result.contexts.push_back(context);
    }
    result.kernels.push_back(kernel);
}

// False if the driver does not let this attribute be read. Any other failure is an error of the walk.
bool kernel_reader::get_attribute(CUgraphNode handle, std::uint16_t id, CUlaunchAttributeValue& value) const {
    const CUresult status = driver_.cuGraphKernelNodeGetAttribute(handle, static_cast<CUlaunchAttributeID>(id), &value);
    if (status == CUDA_ERROR_INVALID_VALUE || status == CUDA_ERROR_NOT_SUPPORTED) return false;
    check(driver_, status, "cuGraphKernelNodeGetAttribute", site_);
    return true;
}

// Which attributes this driver answers for, asked of one node: an id that it does not know fails on every node.
void kernel_reader::probe_attributes(CUgraphNode handle) {
    for (std::uint16_t id = 1; id <= last_probed_attribute; ++id) {
        const attribute_info* info = find_attribute(id);
        if (info != nullptr && info->launch_only) continue;
        CUlaunchAttributeValue value{};
        const bool readable = get_attribute(handle, id, value);
        if (!readable && info == nullptr) continue;
        wanted_.entries.push_back({id, info != nullptr ? info->size_bytes : raw_attribute_size_bytes, readable});
    }
}

attribute kernel_reader::read_attribute(CUgraphNode handle, const readable_attributes::entry& wanted,
                                        value_buffer& values) const {
    if (!wanted.readable) return {wanted.id, false, {}};
    CUlaunchAttributeValue value;
    std::memset(&value, 0, sizeof value);  // padding too: unlisted attributes are compared whole
    if (!get_attribute(handle, wanted.id, value)) return {wanted.id, false, {}};
    std::memcpy(values.bytes.data() + values.used, &value, wanted.size_bytes);
    const range stored{values.begin + values.used, wanted.size_bytes};
    values.used += wanted.size_bytes;
    return {wanted.id, true, stored};
}

range kernel_reader::read_attributes(CUgraphNode handle, graph& result) {
    if (wanted_.entries.empty()) probe_attributes(handle);
    const range added{static_cast<std::uint32_t>(result.attributes.size()), static_cast<std::uint32_t>(wanted_.entries.size())};
    result.attributes.resize(added.begin + added.count);
    attribute* read = result.attributes.data() + added.begin;
    value_buffer values;
    values.begin = static_cast<std::uint32_t>(result.bytes.size());
    bool clustered = false;
    for (readable_attributes::entry& wanted : wanted_.entries) {
        // A driver may refuse to speak of a preferred cluster where no cluster is set, and answer where one is.
        if (wanted.id == attribute_preferred_cluster_dimension && clustered && !std::exchange(wanted_.asked_clustered, true)) {
            CUlaunchAttributeValue value{};
            wanted.readable = get_attribute(handle, wanted.id, value);
        }
        *read = read_attribute(handle, wanted, values);
        if (wanted.id == attribute_cluster_dimension && read->readable) {
            clustered = values.any_nonzero(read->value);
        }
        ++read;
    }
    append(result, values.bytes.data(), values.used);
    return added;
}

std::uint32_t kernel_reader::find_function(const CUDA_KERNEL_NODE_PARAMS_v2& params, graph& result) {
    // `kern` counts only if `func` is null (cuGraphKernelNodeGetParams).
    const function_handle handle{params.func, params.func == nullptr ? params.kern : nullptr};
    const auto [at, is_new] = functions_.try_emplace(handle.identity(), static_cast<std::uint32_t>(result.functions.size()));
    if (is_new) result.functions.push_back(read_function(driver_, handle, device_, detail_ == walk_detail::everything, site_));
    return at->second;
}

range kernel_reader::read_arguments(const CUDA_KERNEL_NODE_PARAMS_v2& params, const function& f, graph& result) const {
    if (params.kernelParams == nullptr && params.extra == nullptr) return {};
    if (params.kernelParams == nullptr) {
        const packed_arguments packed = parse_extra(params.extra);
        return packed.data != nullptr ? append(result, packed.data, packed.size_bytes) : range{};
    }
    std::vector<std::byte> buffer;
    for (std::size_t i = 0; i < f.params.size(); ++i) {
        const param_info& param = f.params[i];
        buffer.resize(std::max<std::size_t>(buffer.size(), param.offset_bytes + param.size_bytes));
        std::memcpy(buffer.data() + param.offset_bytes, params.kernelParams[i], param.size_bytes);
    }
    return append(result, buffer.data(), buffer.size());
}

}  // namespace graphdedup::snapshot
