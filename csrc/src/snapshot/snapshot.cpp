#include "snapshot/snapshot.hpp"

#include "snapshot/recorded_names.hpp"

namespace graphdedup::snapshot {

const char* name_of(node_kind kind) noexcept {
    const auto index = static_cast<std::size_t>(kind);
    return index < node_kind_names.size() ? node_kind_names[index] : "unknown";
}

void graph::clear() {
    nodes.clear();
    edges.clear();
    kernels.clear();
    memcpys.clear();
    memsets.clear();
    hosts.clear();
    events.clear();
    children.clear();
    functions.clear();
    attributes.clear();
    bytes.clear();
    contexts.clear();
    exact = true;
}

}  // namespace graphdedup::snapshot
