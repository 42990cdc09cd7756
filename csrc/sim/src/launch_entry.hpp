// The log entry of a node that runs.
#pragma once

#include "launch_log.hpp"
#include "objects.hpp"

#include <string>

namespace graphdedup_sim {

// Fills in what depends on the parameters of the node.
void describe_node(const node_params& params, const std::string& function_name, const dimensions& cluster,
                   launch_log::entry& entry);

// The cluster shape that a kernel runs with: launch attribute, else the function's; zeros for none.
[[nodiscard]] dimensions effective_cluster(const attribute_set& attributes, const dimensions& static_cluster);

}  // namespace graphdedup_sim
