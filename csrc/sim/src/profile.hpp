// The profiles that are known by name.
#pragma once

#include "graphdedup_sim/control.h"

#include <span>
#include <string_view>

namespace graphdedup_sim {

[[nodiscard]] std::span<const gdsim_profile> known_profiles();

// Null if there is none.
[[nodiscard]] const gdsim_profile* find_profile(std::string_view name);

[[nodiscard]] bool is_usable(const gdsim_profile& profile);

}  // namespace graphdedup_sim
