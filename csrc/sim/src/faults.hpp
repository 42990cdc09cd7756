// Failures on order.
#pragma once

#include "symbols.hpp"

#include <cstdint>
#include <vector>

namespace graphdedup_sim {

class fault_plan {
  public:
    void fail(symbol id, std::uint64_t nth, std::uint64_t count, CUresult status) {
        planned_.push_back({id, nth, count, 0, status});
    }

    // Every nth update is refused; 0: none.
    void refuse_updates(std::uint64_t nth, CUgraphExecUpdateResult reason) {
        refused_nth_ = nth;
        refusal_ = reason;
        update_count_ = 0;
    }

    // Counts the call; CUDA_SUCCESS unless a fault is due.
    [[nodiscard]] CUresult next_call(symbol id);

    // Counts the update; CU_GRAPH_EXEC_UPDATE_SUCCESS unless a refusal is due.
    [[nodiscard]] CUgraphExecUpdateResult next_update();

    void clear() { *this = {}; }

    CUresult sticky_error = CUDA_SUCCESS;

  private:
    struct planned_fault {
        symbol id;
        std::uint64_t nth;
        std::uint64_t count;  // 0: for ever
        std::uint64_t seen_count;
        CUresult status;
    };

    std::vector<planned_fault> planned_;
    std::uint64_t refused_nth_ = 0;
    std::uint64_t update_count_ = 0;
    CUgraphExecUpdateResult refusal_ = CU_GRAPH_EXEC_UPDATE_SUCCESS;
};

}  // namespace graphdedup_sim
