// The simulated driver as its users see it: loaded at run time, functions found by name.
#pragma once

#include "graphdedup_sim/control.h"

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace sim_tests {

struct driver_functions {
#define GRAPHDEDUP_SYMBOL(name, introduced, need, return_type, parameters) return_type(CUDAAPI* name) parameters = nullptr;
#include "driver/symbols.def"
#undef GRAPHDEDUP_SYMBOL
};

using get_proc_address_fn = CUresult(CUDAAPI*)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);

struct control_functions {
#define SIM_CONTROLS(X)                                                                                                       \
    X(version)                                                                                                                \
    X(profile_count)                                                                                                          \
    X(profile_name)                                                                                                           \
    X(profile_get)                                                                                                            \
    X(reset) X(reset_to) X(get_profile) X(set_profile) X(set_stale_attributes) X(set_stale_static_cluster)                    \
        X(set_readable_attributes) X(set_honours_preferred_cluster) X(set_refusal_is_partial) X(set_memory_limit)             \
            X(set_handle_reuse) X(hide_symbol) X(forbid_during_capture) X(set_address_checks) X(set_launches_held)            \
                X(held_launch_count) X(set_call_delay_us) X(fail_call) X(clear_faults) X(refuse_every_nth_update)             \
                    X(set_sticky_error) X(get_counters) X(call_count) X(last_misuse) X(log_count) X(log_get) X(log_arguments) \
                        X(log_clear) X(set_log_enabled) X(function_create) X(function_destroy) X(node_set_attribute)          \
                            X(context_create) X(user_object_reference_count) X(exec_id) X(exec_size_bytes) X(exec_flags)
#define SIM_DECLARE(name) decltype(&gdsim_##name) name = nullptr;
    SIM_CONTROLS(SIM_DECLARE)
#undef SIM_DECLARE
};

[[nodiscard]] const driver_functions& cu();
[[nodiscard]] const control_functions& gdsim();
[[nodiscard]] get_proc_address_fn get_proc_address();

template <typename handle_type>
[[nodiscard]] std::uintptr_t value_of(handle_type handle) {
    return reinterpret_cast<std::uintptr_t>(handle);
}

}  // namespace sim_tests
