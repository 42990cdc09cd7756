// Reference counts of user objects.
#pragma once

#include "objects.hpp"

namespace graphdedup_sim {

void retain(const holdings& held);

// Objects without a reference left are destroyed once the lock has been let go.
void release(const holdings& held);

}  // namespace graphdedup_sim
