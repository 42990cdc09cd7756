#include "snapshot/snapshot.hpp"

#include "snapshot/recorded_names.hpp"

namespace graphdedup::snapshot {

const char* name_of(node_kind kind) noexcept {
    const auto index = static_cast<std::size_t>(kind);
    return index < node_kind_names.size() ? node_kind_names[index] : "unknown";
}

}  // namespace graphdedup::snapshot
