// From CUresult to typed errors.
#pragma once

#include "driver/api.hpp"

#include <graphdedup/error.hpp>

#include <string>
#include <string_view>

namespace graphdedup::driver_layer {

// "CUDA_ERROR_INVALID_VALUE"; for a code that the driver does not know, "CUresult <code>".
[[nodiscard]] std::string status_name(const api& driver, CUresult status);

// "graph 0x55d0c8a1b2f0"
[[nodiscard]] std::string describe(std::string_view kind, const void* handle);

// What an error says of the call that failed. Views, so that nothing is built while calls succeed.
struct call_site {
    std::string_view operation;    // what the user asked for: "Registry.register"
    std::string_view object_kind;  // "graph"
    const void* object = nullptr;
};

// Throws out_of_memory for CUDA_ERROR_OUT_OF_MEMORY, driver_error for any other failure.
[[noreturn]] void fail(const api& driver, CUresult status, std::string_view call, const call_site& site);

inline void check(const api& driver, CUresult status, std::string_view call, const call_site& site) {
    if (status != CUDA_SUCCESS) [[unlikely]]
        fail(driver, status, call, site);
}

}  // namespace graphdedup::driver_layer
