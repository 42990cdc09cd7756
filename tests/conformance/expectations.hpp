// What each driver does, in one table: the only place where cases differ from driver to driver.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace graphdedup::conformance {

enum class outcome {
    applied,        // accepted, and the device then does what the new graph says
    kept,           // accepted, and the device still does what the old graph said; all else is applied
    accepted,       // accepted, and all that can be seen is applied: the field itself has no effect that can be seen
    refused,        // refused, and the executable runs as before
    not_supported,  // likewise, with CUDA_ERROR_NOT_SUPPORTED
    launch_fails,   // accepted, and the executable can then not be launched
    unavailable,    // the driver does not let such a graph be made
    yes,
    no,
};

[[nodiscard]] std::string_view name_of(outcome o) noexcept;

enum class profile : std::size_t { driver580_h200, driver580_b200, clean, count_ };

[[nodiscard]] std::string_view name_of(profile p) noexcept;
[[nodiscard]] std::optional<profile> find_profile(std::string_view name) noexcept;

enum class need {
    sharing,      // the sharing rules would be wrong without it: asked of unknown drivers too
    information,  // no rule leans on it
};

struct expectation {
    std::string_view fact;
    need needed;
    outcome of[static_cast<std::size_t>(profile::count_)];  // by profile
};

[[nodiscard]] std::span<const expectation> expectations() noexcept;

// Throws std::logic_error for a fact that the table does not have.
[[nodiscard]] const expectation& expectation_of(std::string_view fact);

// Asserts that `seen` is what the table says of this driver. Of an unknown driver only what sharing needs is asserted: that a
// field which may differ between sharing graphs is applied or the update refused.
void check_fact(std::optional<profile> driver, std::string_view fact, outcome seen);

}  // namespace graphdedup::conformance
