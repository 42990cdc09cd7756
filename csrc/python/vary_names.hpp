// The levels of `vary` by name.
#pragma once

#include <graphdedup/error.hpp>
#include <graphdedup/registry.hpp>

#include <string>

namespace graphdedup::python {

[[nodiscard]] inline vary parse_vary(const std::string& name, const char* operation) {
    if (name == "arguments") return vary::arguments;
    if (name == "grid") return vary::grid;
    if (name == "kernel") return vary::kernel;
    throw invalid_argument(operation, "vary", "it must be 'arguments', 'grid' or 'kernel', not '" + name + "'");
}

}  // namespace graphdedup::python
