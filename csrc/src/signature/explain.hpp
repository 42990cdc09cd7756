// Why two graphs do not share.
#pragma once

#include "signature/rules.hpp"
#include "signature/signature.hpp"
#include "snapshot/snapshot.hpp"

#include <optional>
#include <string>

namespace graphdedup::signature {

// The first field, in canonical order, that keeps two graphs apart.
struct difference {
    std::string where;         // "node 12", in a child graph "node 3, child node 12", or "graph"
    std::string field;         // "kernel: grid"
    std::string first;         // the value in the first graph: "(16, 1, 1)"
    std::string second;        // and in the second
    std::string first_kernel;  // name of the kernel there; empty if the node is none, or the name was not read
    std::string second_kernel;
};

struct explanation {
    std::string first_private;   // why the first graph is private; empty if it is not
    std::string second_private;  // and the second
    std::optional<difference> differs;
    // The strictest level of `vary` at which the two have one signature; empty if none.
    std::optional<vary> shared_at;

    [[nodiscard]] bool may_share() const { return first_private.empty() && second_private.empty() && !differs; }
};

[[nodiscard]] explanation explain(const snapshot::graph& a, const snapshot::graph& b, vary may_vary,
                                  const device_traits& traits = {});

}  // namespace graphdedup::signature
