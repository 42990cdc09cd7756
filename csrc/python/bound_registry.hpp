// The registry as Python holds it.
#pragma once

#include <graphdedup/registry.hpp>

#include <pybind11/pybind11.h>

#include <memory>
#include <utility>

namespace graphdedup::python {

// The registry, and who to ask for the current stream.
struct bound_registry {
    registry core;
    pybind11::object current_stream;

    bound_registry(std::shared_ptr<const driver> d, const registry_options& options, pybind11::object stream)
        : core(std::move(d), options), current_stream(std::move(stream)) {}
};

}  // namespace graphdedup::python
