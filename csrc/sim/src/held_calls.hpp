// Calls that a test stops in their middle.
#pragma once

#include "symbols.hpp"

namespace graphdedup_sim {

// Calls of `id` by other threads than this one wait in wait_while_held; false lets those of `id` go on.
void set_calls_held(symbol id, bool held);
void release_held_calls();
// Waits until some call waits.
void wait_for_held_call();

// Wants no lock held.
void wait_while_held(symbol id);

}  // namespace graphdedup_sim
