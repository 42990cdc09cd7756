// Whether a member can still be used.
#pragma once

#include "registry/state.hpp"

#include <string>
#include <string_view>

namespace graphdedup {

// "member 12 (decode 8)"
[[nodiscard]] std::string describe(const member_state& m);

// Throws registry_closed where no driver call is possible: at exit, and in a forked child. To be asked before any lock is waited
// for: in a child, a thread that is not there may hold it.
void require_calls_allowed(const char* operation, const member_state& m);
// Throws registry_closed where the registry is closed or the member removed: its source may be gone. Wants the group's mutex
// held.
void require_usable(std::string_view operation, const member_state& m);

}  // namespace graphdedup
