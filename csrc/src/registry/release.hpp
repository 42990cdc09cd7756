// Letting go of members.
#pragma once

#include "registry/state.hpp"

namespace graphdedup {

// What the member keeps alive goes to `out`. Wants the group's mutex held.
void release(member_state& m, released& out);

}  // namespace graphdedup
