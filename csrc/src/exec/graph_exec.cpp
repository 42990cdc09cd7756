#include "exec/graph_exec.hpp"

#include "driver/context.hpp"

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

CUgraphExec instantiate(const driver_layer::api& driver, CUgraph source, std::uint64_t flags,
                        const driver_layer::call_site& site) {
    const driver_layer::relaxed_capture relaxed(driver);
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    params.flags = flags;
    CUgraphExec made = nullptr;
    check(driver, driver.cuGraphInstantiateWithParams(&made, source, &params), "cuGraphInstantiateWithParams", site);
    return made;
}

}  // namespace

std::string describe(const driver_layer::api& driver, const update_outcome& outcome) {
    return driver_layer::status_name(driver, outcome.status) + " (" + text_of(outcome.reason) + ")";
}

graph_exec::graph_exec(const driver_layer::api& driver, CUgraph source, std::uint64_t flags, const driver_layer::call_site& site)
    : driver_(&driver),
      handle_(driver, instantiate(driver, source, flags, site)) {}

update_outcome graph_exec::update(CUgraph source) const noexcept {
    const driver_layer::relaxed_capture relaxed(*driver_);
    CUgraphExecUpdateResultInfo info{};
    const CUresult status = driver_->cuGraphExecUpdate(handle_.get(), source, &info);
    return {status, info.result};
}

void graph_exec::upload(CUstream stream, const driver_layer::call_site& site) const {
    check(*driver_, driver_->cuGraphUpload(handle_.get(), stream), "cuGraphUpload", site);
}

void graph_exec::launch(CUstream stream, const driver_layer::call_site& site) const {
    check(*driver_, driver_->cuGraphLaunch(handle_.get(), stream), "cuGraphLaunch", site);
}

}  // namespace graphdedup::exec
