#include "registry/source.hpp"

#include "registry/load.hpp"
#include "snapshot/walk.hpp"

namespace graphdedup {
namespace {

template <typename function>
auto with_source(member_state& m, const char* operation, function read) {
    const std::unique_lock lock = lock_settled(operation, m);
    const driver_layer::scoped_context context(m.group->driver, m.group->context);
    return read(driver_layer::call_site{operation, "graph", m.source});
}

}  // namespace

snapshot::graph read_source(member_state& m, const char* operation) {
    return with_source(m, operation, [&m](const driver_layer::call_site& site) {
        CUdevice device = 0;
        const driver_layer::api& api = m.group->driver;
        driver_layer::check(api, api.cuCtxGetDevice(&device), "cuCtxGetDevice", site);
        return snapshot::walk(api, m.source, device, snapshot::walk_detail::everything, site);
    });
}

void shared_graph::debug_dump(const std::string& path, unsigned int flags) const {
    constexpr const char* operation = "SharedGraph.debug_dump";
    if (member_ == nullptr) throw invalid_argument(operation, "shared graph", "the handle is empty");
    with_source(*member_, operation, [&](const driver_layer::call_site& site) {
        const driver_layer::api& api = member_->group->driver;
        driver_layer::check(api, api.cuGraphDebugDotPrint(member_->source, path.c_str(), flags), "cuGraphDebugDotPrint", site);
    });
}

}  // namespace graphdedup
