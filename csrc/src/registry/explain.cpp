#include "signature/explain.hpp"
#include "registry/source.hpp"
#include "registry/state.hpp"
#include "registry/usable.hpp"

namespace graphdedup {
namespace {

constexpr const char* operation = "Registry.explain";

void require_registered(const registry::impl& r, const std::shared_ptr<member_state>& m) {
    const auto at = m != nullptr ? r.members.find(m->id) : r.members.end();
    if (!r.is_closed && at != r.members.end() && at->second == m) return;
    throw registry_closed(operation, m != nullptr ? describe(*m) : "shared graph", "it is not registered here, or not any more");
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
    if (a.member_ != nullptr) require_calls_allowed(operation, *a.member_);
    // Held over the walk: the sources must not be let go of meanwhile.
    const std::scoped_lock lock(impl_->mutex);
    require_registered(*impl_, a.member_);
    require_registered(*impl_, b.member_);
    const snapshot::graph first = read_source(*a.member_, operation);
    const snapshot::graph second = read_source(*b.member_, operation);
    const signature::explanation found = signature::explain(first, second, impl_->options.may_vary);
    sharing_explanation said;
    const member_state& first_member = *a.member_;
    const member_state& second_member = *b.member_;
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
