#include "faults.hpp"

namespace graphdedup_sim {

CUresult fault_plan::next_call(symbol id) {
    CUresult status = CUDA_SUCCESS;
    for (planned_fault& fault : planned_) {
        if (fault.id != id) continue;
        ++fault.seen_count;
        if (fault.seen_count < fault.nth) continue;
        const bool over = fault.count != 0 && fault.seen_count >= fault.nth + fault.count;
        if (!over && status == CUDA_SUCCESS) status = fault.status;
    }
    return status;
}

CUgraphExecUpdateResult fault_plan::next_update() {
    if (refused_nth_ == 0) return CU_GRAPH_EXEC_UPDATE_SUCCESS;
    ++update_count_;
    return update_count_ % refused_nth_ == 0 ? refusal_ : CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

}  // namespace graphdedup_sim
