// Whether a graph must stay alone.
#pragma once

#include "signature/rules.hpp"
#include "signature/signature.hpp"
#include "snapshot/snapshot.hpp"

#include <optional>
#include <string>

namespace graphdedup::signature {

struct private_finding {
    private_cause cause;
    // "node 12 (kernel foo)"; in a child graph "node 3, child node 12 (kernel foo)"
    std::string where;
};

// The first node that makes the graph private; empty if it may share.
[[nodiscard]] std::optional<private_finding> find_private_cause(const snapshot::graph& g, const device_traits& traits);

// Whether the driver makes no second executable of the graph, even after the first is gone: device-updatable kernels.
[[nodiscard]] bool is_instantiated_once(const snapshot::graph& g);

}  // namespace graphdedup::signature
