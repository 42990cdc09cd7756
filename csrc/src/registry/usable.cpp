#include "registry/usable.hpp"

#include "driver/process.hpp"

namespace graphdedup {

std::string describe(const member_state& m) { return "member " + std::to_string(m.id) + " (" + m.name + ")"; }

void require_calls_allowed(const char* operation, const member_state& m) {
    if (driver_layer::calls_allowed()) [[likely]]
        return;
    throw registry_closed(operation, describe(m), driver_layer::why_not_allowed);
}

void require_usable(std::string_view operation, const member_state& m) {
    if (m.group->closed) [[unlikely]]
        throw registry_closed(std::string(operation), describe(m), "the registry is closed");
    if (m.removed) [[unlikely]]
        throw registry_closed(std::string(operation), describe(m), "the graph was removed from the registry");
}

}  // namespace graphdedup
