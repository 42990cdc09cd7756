// The declarations of the entries in a PTX text. Their code is not looked at.
#pragma once

#include "objects.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace graphdedup_sim {

// Empty if the text is not PTX, or a declaration cannot be read.
[[nodiscard]] std::optional<std::vector<function_object>> parse_ptx(std::string_view text);

// The attributes of a function without anything special.
[[nodiscard]] std::map<int, int> plain_attributes();

}  // namespace graphdedup_sim
