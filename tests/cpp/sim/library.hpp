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
#define SIM_CONTROL(name) decltype(&gdsim_##name) name = nullptr;
#include "controls.def"
#undef SIM_CONTROL
};

[[nodiscard]] const driver_functions& cu();
[[nodiscard]] const control_functions& gdsim();
[[nodiscard]] get_proc_address_fn get_proc_address();

template <typename handle_type>
[[nodiscard]] std::uintptr_t value_of(handle_type handle) {
    return reinterpret_cast<std::uintptr_t>(handle);
}

}  // namespace sim_tests
