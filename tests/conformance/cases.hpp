// The groups of cases. Each adds its own to the list.
#pragma once

#include "suite.hpp"

namespace graphdedup::conformance {

void add_kernel_cases(suite& all);          // function, block, shared memory, grid, arguments
void add_argument_form_cases(suite& all);   // kernelParams and extra
void add_cluster_cases(suite& all);         // launch attribute
void add_static_cluster_cases(suite& all);  // of the function
void add_attribute_cases(suite& all);       // every other launch attribute
void add_preferred_cluster_cases(suite& all);
void add_refusal_cases(suite& all);   // node kinds, counts
void add_topology_cases(suite& all);  // edges, ports, orders
void add_memcpy_cases(suite& all);
void add_memset_cases(suite& all);
void add_host_and_event_cases(suite& all);
void add_special_node_cases(suite& all);  // memory, conditional, device-updatable
void add_in_flight_cases(suite& all);
void add_query_cases(suite& all);  // reading graphs
void add_user_object_cases(suite& all);
void add_mixed_cluster_cases(suite& all);  // launch attribute against the function's: last, as launches may fail

}  // namespace graphdedup::conformance
