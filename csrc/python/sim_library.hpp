// The simulated driver's control functions, found in the library that is also loaded as the driver.
#pragma once

#include <graphdedup_sim/control.h>
#include <graphdedup/driver.hpp>

#include <memory>
#include <string>

namespace graphdedup::python {

struct sim_library {
#define GRAPHDEDUP_SIM_FUNCTIONS(X)        \
    X(gdsim_version)                       \
    X(gdsim_profile_count)                 \
    X(gdsim_profile_name)                  \
    X(gdsim_reset)                         \
    X(gdsim_set_stale_attributes)          \
    X(gdsim_set_stale_static_cluster)      \
    X(gdsim_set_readable_attributes)       \
    X(gdsim_set_honours_preferred_cluster) \
    X(gdsim_set_refusal_is_partial)        \
    X(gdsim_set_memory_limit)              \
    X(gdsim_set_handle_reuse)              \
    X(gdsim_hide_symbol)                   \
    X(gdsim_set_address_checks)            \
    X(gdsim_set_launches_held)             \
    X(gdsim_set_call_delay_us)             \
    X(gdsim_fail_call)                     \
    X(gdsim_clear_faults)                  \
    X(gdsim_refuse_every_nth_update)       \
    X(gdsim_set_sticky_error)              \
    X(gdsim_get_counters)                  \
    X(gdsim_call_count)                    \
    X(gdsim_last_misuse)                   \
    X(gdsim_log_count)                     \
    X(gdsim_log_get)                       \
    X(gdsim_log_clear)                     \
    X(gdsim_set_log_enabled)               \
    X(gdsim_function_create)
#define GRAPHDEDUP_SIM_POINTER(name) decltype(&::name) name = nullptr;
    GRAPHDEDUP_SIM_FUNCTIONS(GRAPHDEDUP_SIM_POINTER)
#undef GRAPHDEDUP_SIM_POINTER

    std::shared_ptr<const driver> loaded;
};

// Where the package keeps the library: beside the extension module.
[[nodiscard]] std::string sim_library_path();

// Loads it at the first call. Throws driver_not_found.
[[nodiscard]] const sim_library& load_sim_library();

}  // namespace graphdedup::python
