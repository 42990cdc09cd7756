// The facts that sharing leans on, tried on the device: each check observes what ran, not what a call returned.
#pragma once

#include "doctor/lab.hpp"

#include <span>
#include <string>
#include <vector>

namespace graphdedup::doctor {

enum class need : std::uint8_t {
    sharing,      // sharing would be wrong without it: checked before the first group of two
    information,  // changes nothing: the rules do not lean on it
};

struct finding {
    std::string name;  // "a refused update changes nothing: last node"
    need needed = need::information;
    bool holds = false;
    std::string detail;  // what was seen, where it does not hold or is worth telling
};

// Runs the checks that sharing needs, or all. Throws driver_error where the device cannot be used at all.
[[nodiscard]] std::vector<finding> run_checks(const lab& where, need up_to);

}  // namespace graphdedup::doctor
