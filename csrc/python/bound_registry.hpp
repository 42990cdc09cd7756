// The registry as Python holds it.
#pragma once

#include <graphdedup/registry.hpp>

#include <memory>
#include <utility>

namespace graphdedup::python {

struct bound_registry {
    registry core;

    bound_registry(std::shared_ptr<const driver> d, const registry_options& options) : core(std::move(d), options) {}
};

}  // namespace graphdedup::python
