#include "exec/graph_exec.hpp"

#include "driver/context.hpp"
#include "driver/process.hpp"

namespace graphdedup::exec {
namespace {

const char* text_of(CUgraphExecUpdateResult reason) {
    switch (reason) {
        case CU_GRAPH_EXEC_UPDATE_SUCCESS: return "no reason given";
        case CU_GRAPH_EXEC_UPDATE_ERROR: return "unexpected error";
        case CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED: return "topology changed";
        case CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED: return "node type changed";
        case CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED: return "function changed";
        case CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED: return "parameters changed in an unsupported way";
        case CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED: return "a node cannot be updated";
        case CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE: return "function changed in an unsupported way";
        case CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED: return "attributes changed in an unsupported way";
        default: return "unknown reason";
    }
}

}  // namespace

std::string describe(const driver_layer::api& driver, const update_outcome& outcome) {
    return driver_layer::status_name(driver, outcome.status) + " (" + text_of(outcome.reason) + ")";
}

graph_exec::graph_exec(const driver_layer::api& driver, CUgraph source, std::uint64_t flags, const driver_layer::call_site& site)
    : driver_(&driver) {
    const driver_layer::relaxed_capture relaxed(driver);
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    params.flags = flags;
    check(driver, driver.cuGraphInstantiateWithParams(&handle_, source, &params), "cuGraphInstantiateWithParams", site);
}

graph_exec::~graph_exec() {
    if (handle_ == nullptr || !driver_layer::calls_allowed()) return;
    const driver_layer::relaxed_capture relaxed(*driver_);
    // Nothing can be done about a failure here, and the handle is gone either way.
    static_cast<void>(driver_->cuGraphExecDestroy(handle_));
}

update_outcome graph_exec::update(CUgraph source) const noexcept {
    const driver_layer::relaxed_capture relaxed(*driver_);
    CUgraphExecUpdateResultInfo info{};
    const CUresult status = driver_->cuGraphExecUpdate(handle_, source, &info);
    return {status, info.result};
}

void graph_exec::upload(CUstream stream, const driver_layer::call_site& site) const {
    check(*driver_, driver_->cuGraphUpload(handle_, stream), "cuGraphUpload", site);
}

void graph_exec::launch(CUstream stream, const driver_layer::call_site& site) const {
    check(*driver_, driver_->cuGraphLaunch(handle_, stream), "cuGraphLaunch", site);
}

}  // namespace graphdedup::exec
