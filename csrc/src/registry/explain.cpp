#include "signature/explain.hpp"
#include "registry/state.hpp"
#include "snapshot/walk.hpp"

namespace graphdedup {
namespace {

constexpr const char* operation = "Registry.explain";

snapshot::graph read_again(const registry::impl& r, const shared_graph& g) {
    const auto at = r.members.find(g.id());
    if (r.is_closed || at == r.members.end()) {
        throw registry_closed(operation, "member " + std::to_string(g.id()), "it is not registered here, or not any more");
    }
    // A replay must not read the graph at the same time (no graph call is thread-safe on one graph).
    const std::scoped_lock lock(at->second->group->mutex);
    CUgraph const source = at->second->source;
    return snapshot::walk(r.api, source, r.device, snapshot::walk_detail::everything, {operation, "graph", source});
}

const char* name_of(vary level) {
    switch (level) {
        case vary::arguments: return "arguments";
        case vary::grid: return "grid";
        case vary::kernel: return "kernel";
    }
    return "";
}

}  // namespace

sharing_explanation registry::explain(const shared_graph& a, const shared_graph& b) const {
    // Held over the walk: the sources must not be let go of meanwhile.
    const std::scoped_lock lock(impl_->mutex);
    const snapshot::graph first = read_again(*impl_, a);
    const snapshot::graph second = read_again(*impl_, b);
    const signature::explanation found = signature::explain(first, second, impl_->options.may_vary);
    sharing_explanation said;
    const auto& first_member = *impl_->members.at(a.id());
    const auto& second_member = *impl_->members.at(b.id());
    said.first_private = first_member.group->private_reason;
    said.second_private = second_member.group->private_reason;
    said.may_share = said.first_private.empty() && said.second_private.empty() && !found.differs;
    said.same_group = first_member.group == second_member.group;
    if (found.differs) {
        said.where = found.differs->where;
        said.field = found.differs->field;
        said.first_value = found.differs->first;
        said.second_value = found.differs->second;
        said.first_kernel = found.differs->first_kernel;
        said.second_kernel = found.differs->second_kernel;
    }
    if (found.shared_at) said.shared_at = name_of(*found.shared_at);
    return said;
}

}  // namespace graphdedup
