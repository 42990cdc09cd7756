// Whether an update is accepted: the restrictions on what it may change.
#pragma once

#include "objects.hpp"

namespace graphdedup_sim {

struct update_verdict {
    CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    CUgraphNode node = nullptr;  // of the new graph
    CUgraphNode from = nullptr;  // of the edge that has no partner

    [[nodiscard]] bool accepted() const { return result == CU_GRAPH_EXEC_UPDATE_SUCCESS; }
};

// `body` is what the executable holds, `wanted` the new graph in the same form. `by_priority`: instantiated to use priorities of
// nodes.
[[nodiscard]] update_verdict judge_update(const exec_graph& body, const exec_graph& wanted, bool by_priority);

}  // namespace graphdedup_sim
