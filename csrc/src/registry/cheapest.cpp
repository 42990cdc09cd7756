// Which of several members costs least to replay now.
#include "driver/process.hpp"
#include "registry/state.hpp"
#include "registry/usable.hpp"

#include <algorithm>
#include <tuple>

namespace graphdedup {
namespace {

constexpr const char* operation = "Registry.cheapest";

// By rising cost: loaded, on its way, to be updated to; the last by the number of nodes.
std::tuple<int, std::size_t> cost_of(member_state& m) {
    const std::scoped_lock lock(m.group->mutex);
    require_usable(operation, m);
    if (m.loading) return {1, 0};
    if (m.executable != nullptr) return {0, 0};
    return {2, m.node_count};
}

}  // namespace

std::size_t registry::cheapest(std::span<const shared_graph> candidates) const {
    if (candidates.empty()) throw invalid_argument(operation, "candidates", "there are none");
    std::size_t best = 0;
    std::tuple<int, std::size_t> least;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const std::shared_ptr<member_state>& m = candidates[i].internal();
        if (m == nullptr) throw invalid_argument(operation, "shared graph", "the handle is empty");
        require_calls_allowed(operation, *m);
        if (m->owner.lock() != impl_) throw invalid_argument(operation, describe(*m), "it is not registered here");
        const auto cost = cost_of(*m);
        if (i == 0 || cost < least) {
            best = i;
            least = cost;
        }
    }
    return best;
}

}  // namespace graphdedup
