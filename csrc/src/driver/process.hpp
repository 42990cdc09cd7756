// When driver calls are no longer allowed: while the process exits, and in a forked child.
#pragma once

namespace graphdedup::driver_layer {

// False once prevent_calls() was called, and in a child made by fork(): the driver supports neither (a child has no CUDA
// context; after the driver's own exit handler every call fails or crashes). What the core owns is then leaked on purpose.
[[nodiscard]] bool calls_allowed() noexcept;

void prevent_calls() noexcept;

// What an error says where calls are not allowed.
inline constexpr const char* why_not_allowed =
    "no driver call is possible here: the process is exiting, or was forked from the one that made the registry";

// Registers the fork handler, once. Called before the first use of a driver.
void watch_forks() noexcept;

}  // namespace graphdedup::driver_layer
