// Work that was launched and has not run yet.
#pragma once

#include "objects.hpp"

namespace graphdedup_sim {

struct launch_work;

// With the lock held. The work runs once the call is over, or later if launches are held.
void submit(launch_work work);

// Without the lock. Runs all that is in flight, in order, or waits for the thread that does. Within a host function, on the
// thread that runs it, nothing is done.
void drain_in_flight();

// With the lock held: one node. Only host functions are not run here.
void run_step(const node_params& params, const std::string& function_name, const dimensions& cluster);

}  // namespace graphdedup_sim
