// Launching and uploading executables.
#include "capture.hpp"
#include "exec_graph.hpp"
#include "in_flight.hpp"
#include "launch_entry.hpp"
#include "symbols.hpp"
#include "world.hpp"

namespace graphdedup_sim::impl {
namespace {

// Writes the log of a launch, and gathers what it will do.
class launcher {
  public:
    launcher(const exec_object& exec, CUstream stream, CUdevice device) {
        common_.launch_index = here().launch_count;
        common_.exec_id = exec.id;
        common_.stream = reinterpret_cast<std::uintptr_t>(stream);
        common_.device = device;
        common_.after_upload = exec.uploaded ? 1 : 0;
        work_.user_objects = exec.user_objects;
    }

    void add(const exec_graph& body, int depth) {
        for (const std::size_t index : body.order) {
            const exec_node& node = body.nodes[index];
            if (node.inner.empty()) {
                add(node, index, depth);
            } else if (const exec_graph* chosen = chosen_body(node)) {
                add(*chosen, depth + 1);
            }
        }
    }

    [[nodiscard]] launch_work take() { return std::move(work_); }

  private:
    void add(const exec_node& node, std::size_t index, int depth) {
        dimensions cluster{};
        if (const auto* kernel = std::get_if<kernel_params>(&node.applied)) {
            cluster = effective_cluster(kernel->attributes, node.static_cluster);
        }
        if (here().log.enabled) {
            launch_log::entry entry;
            entry.record = common_;
            entry.record.depth = depth;
            entry.record.node_kind = static_cast<int>(node.type);
            entry.record.node_index = index;
            describe_node(node.applied, node.function_name, cluster, entry);
            here().log.append(std::move(entry));
        }
        // Work runs in order: there is nothing to wait for.
        const bool waits = node.type == CU_GRAPH_NODE_TYPE_WAIT_EVENT;
        work_.steps.push_back({waits ? node_params{} : node.applied, node.function_name, cluster});
    }

    // Nothing in a graph can change its condition here: a loop whose condition holds runs once.
    static const exec_graph* chosen_body(const exec_node& node) {
        const auto* conditional = std::get_if<conditional_params>(&node.applied);
        if (conditional == nullptr) return &node.inner.front();
        const unsigned int condition = node.default_value;
        constexpr int switch_type = 2;  // CU_GRAPH_COND_TYPE_SWITCH, of CUDA 12.8
        const bool is_switch = static_cast<int>(conditional->type) == switch_type;
        const std::size_t chosen = is_switch ? condition : (condition != 0 ? 0 : 1);
        return chosen < node.inner.size() ? &node.inner[chosen] : nullptr;
    }

    gdsim_record common_{};
    launch_work work_;
};

// False, and a misuse noted, if a kernel's function is gone.
bool has_all_functions(const exec_graph& body) {
    return !any_node(body, [](const exec_node& node) {
        const auto* kernel = std::get_if<kernel_params>(&node.applied);
        if (kernel == nullptr) return false;
        const bool loaded = kernel->function != nullptr ? here().functions.find(kernel->function) != nullptr
                                                        : here().kernels.find(kernel->kernel) != nullptr;
        if (!loaded) note_misuse("cuGraphLaunch: function " + node.function_name + " was unloaded");
        return !loaded;
    });
}

// The stream, unless it captures: executables are not turned into nodes here.
CUresult check_stream(const found_stream& stream) {
    if (stream.status != CUDA_SUCCESS) return stream.status;
    if (stream.stream == nullptr || !stream.stream->capturing) return CUDA_SUCCESS;
    stream.stream->capture.invalidated = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

}  // namespace

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
    exec_object* found = lookup(here().execs, exec, symbol::cuGraphUpload);
    if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = check_stream(find_stream(stream, symbol::cuGraphUpload));
    if (status != CUDA_SUCCESS) return status;
    found->uploaded = true;
    ++here().counters.upload_count;
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
    world& w = here();
    exec_object* found = lookup(w.execs, exec, symbol::cuGraphLaunch);
    if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const found_stream on = find_stream(stream, symbol::cuGraphLaunch);
    if (const CUresult status = check_stream(on); status != CUDA_SUCCESS) return status;
    if (!has_all_functions(found->body)) return CUDA_ERROR_INVALID_HANDLE;
    launcher launch(*found, stream, on.device());
    launch.add(found->body, 0);
    submit(launch.take());
    ++w.launch_count;
    ++w.counters.launch_count;
    if (!found->uploaded) ++w.counters.launch_without_upload_count;
    found->uploaded = true;
    return CUDA_SUCCESS;
}

}  // namespace graphdedup_sim::impl
