// cuLaunchKernelEx: runs a kernel, or records it as a node where the stream captures.
#include "capture.hpp"
#include "graph_edit.hpp"
#include "in_flight.hpp"
#include "kernel_params.hpp"
#include "launch_entry.hpp"
#include "symbols.hpp"
#include "world.hpp"

#include <span>

namespace graphdedup_sim::impl {
namespace {

constexpr symbol operation = symbol::cuLaunchKernelEx;

// Attributes of a launch that a node does not keep.
constexpr attribute_mask launch_only = mask_of(attribute_id::programmatic_stream_serialization) |
                                       mask_of(attribute_id::programmatic_event) | mask_of(attribute_id::launch_completion_event);

struct launch_request {
    kernel_params kernel;
    bool overlaps_previous = false;  // may start before the kernel before it in the stream has ended
};

CUresult read_attributes(std::span<const CUlaunchAttribute> given, launch_request& request) {
    // What can be launched with need not be readable from the node that it becomes.
    const attribute_mask allowed =
        here().profile.readable_attributes | launch_only | mask_of(attribute_id::preferred_cluster_dimension);
    for (const CUlaunchAttribute& attribute : given) {
        const int id = static_cast<int>(attribute.id);
        if (id == CU_LAUNCH_ATTRIBUTE_IGNORE) continue;
        if ((allowed & mask_of(id)) == 0) return CUDA_ERROR_INVALID_VALUE;
        if (id == attribute_id::programmatic_stream_serialization) {
            request.overlaps_previous = attribute.value.programmaticStreamSerializationAllowed != 0;
        }
        if ((launch_only & mask_of(id)) == 0) request.kernel.attributes.set(id, to_bytes(attribute.value));
    }
    return CUDA_SUCCESS;
}

CUresult read_request(const CUlaunchConfig& config, CUfunction function, void** params, void** extra, launch_request& request) {
    CUDA_KERNEL_NODE_PARAMS_v2 given{};
    given.func = function;
    given.gridDimX = config.gridDimX;
    given.gridDimY = config.gridDimY;
    given.gridDimZ = config.gridDimZ;
    given.blockDimX = config.blockDimX;
    given.blockDimY = config.blockDimY;
    given.blockDimZ = config.blockDimZ;
    given.sharedMemBytes = config.sharedMemBytes;
    given.kernelParams = params;
    given.extra = extra;
    if (here().kernels.find(reinterpret_cast<CUkernel>(function)) != nullptr) {  // a kernel may be passed as a function
        given.func = nullptr;
        given.kern = reinterpret_cast<CUkernel>(function);
    }
    if (config.numAttrs != 0 && config.attrs == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = read_kernel_params(given, operation, request.kernel);
    return status != CUDA_SUCCESS ? status : read_attributes({config.attrs, config.numAttrs}, request);
}

CUresult record(capture_state& capture, launch_request request) {
    if (capture.invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    CUgraphEdgeData data{};
    const node_object* last = here().nodes.find(capture.last);
    if (request.overlaps_previous && last != nullptr && last->type == CU_GRAPH_NODE_TYPE_KERNEL) {
        data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
        data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    }
    const CUgraphNode before = capture.last;
    const node_place place{capture.graph, &before, &data, before != nullptr ? std::size_t{1} : 0};
    capture.last = insert_node(place, CU_GRAPH_NODE_TYPE_KERNEL, std::move(request.kernel));
    return CUDA_SUCCESS;
}

CUresult run(const found_stream& stream, CUstream handle, launch_request request) {
    if (request.kernel.attributes.device_updatable()) return CUDA_ERROR_INVALID_VALUE;
    const function_object& function = *find_function(request.kernel.function, request.kernel.kernel, operation);
    const dimensions cluster = effective_cluster(request.kernel.attributes, function.static_cluster());
    launch_log::entry entry;
    entry.record.launch_index = here().launch_count++;
    entry.record.stream = reinterpret_cast<std::uintptr_t>(handle);
    entry.record.device = stream.device();
    entry.record.node_kind = CU_GRAPH_NODE_TYPE_KERNEL;
    describe_node(request.kernel, function.name, cluster, entry);
    here().log.append(std::move(entry));
    launch_work work;
    work.steps.push_back({std::move(request.kernel), function.name, cluster});
    submit(std::move(work));
    return CUDA_SUCCESS;
}

}  // namespace

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** params, void** extra) {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const found_stream stream = find_stream(config->hStream, operation);
    if (stream.status != CUDA_SUCCESS) return stream.status;
    launch_request request;
    if (const CUresult status = read_request(*config, function, params, extra, request); status != CUDA_SUCCESS) return status;
    const bool captures = stream.stream != nullptr && stream.stream->capturing;
    if (captures) return record(stream.stream->capture, std::move(request));
    return run(stream, config->hStream, std::move(request));
}

}  // namespace graphdedup_sim::impl
