// What the driver says of a kernel function.
#pragma once

#include "driver/api.hpp"
#include "driver/check.hpp"
#include "snapshot/snapshot.hpp"

namespace graphdedup::snapshot {

// Exactly one of both is set.
struct function_handle {
    CUfunction function = nullptr;
    CUkernel kernel = nullptr;

    [[nodiscard]] std::uint64_t identity() const {
        return function != nullptr ? reinterpret_cast<std::uintptr_t>(function) : reinterpret_cast<std::uintptr_t>(kernel);
    }
};

// Reads the static attributes that decide about sharing; with `everything` also the other attributes, the name and the layout
// of the parameters. Throws driver_error.
[[nodiscard]] function read_function(const driver_layer::api& driver, const function_handle& handle, CUdevice device,
                                     bool everything, const driver_layer::call_site& site);

}  // namespace graphdedup::snapshot
