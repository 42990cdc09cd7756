// What driver and device make of a preferred cluster shape (launch attribute 11).
#pragma once

#include "doctor/lab.hpp"

#include <cstdint>

namespace graphdedup::doctor {

struct preferred_cluster_behaviour {
    bool accepted = false;  // a launch may ask for one
    bool honoured = false;  // a kernel runs under it, or may: set too where that could not be found out
    bool readable = false;  // the driver tells a captured node's
};

// Captures a kernel with cluster shape (2,1,1) and preferred shape (4,1,1), runs it and looks. Never throws: what could not be
// tried counts as honoured and not readable.
[[nodiscard]] preferred_cluster_behaviour try_preferred_cluster(const lab& where) noexcept;

}  // namespace graphdedup::doctor
