// Whether this driver and device may be trusted with sharing.
#pragma once

#include "driver/api.hpp"
#include "driver/check.hpp"

#include <string>

namespace graphdedup::doctor {

// Runs the checks that sharing needs, once a process and device, and remembers the verdict. Empty if all hold; otherwise what
// does not, for the user to read. Wants the device's context current. Thread-safe. Where the checks cannot be run (no memory,
// say) the answer is what failed, and the next call tries again.
[[nodiscard]] std::string reason_not_to_share(const driver_layer::api& driver, CUdevice device,
                                              const driver_layer::call_site& site);

// Whether a kernel may run under its preferred cluster shape on this device; asked once a process and device. Wants the device's
// context current. Thread-safe.
[[nodiscard]] bool honours_preferred_cluster(const driver_layer::api& driver, CUdevice device,
                                             const driver_layer::call_site& site);

// Forgets all verdicts and what executables cost: for a simulated driver whose behaviour was changed.
void forget_verdicts();

}  // namespace graphdedup::doctor
