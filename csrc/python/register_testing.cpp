// Back doors for tests.
#include "bindings.hpp"
#include "bound_registry.hpp"
#include "registry/state.hpp"

#include <pybind11/stl.h>

#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace graphdedup::python {
namespace {

namespace py = pybind11;

std::optional<std::vector<std::byte>> copy_of(const std::optional<py::bytes>& bytes) {
    if (!bytes) return std::nullopt;
    const auto text = static_cast<std::string_view>(*bytes);
    std::vector<std::byte> copy(text.size());
    std::memcpy(copy.data(), text.data(), text.size());
    return copy;
}

}  // namespace

void register_testing(py::module_& module) {
    py::module_ testing = module.def_submodule("testing", "Back doors for tests.");
    testing.def(
        "force_signature",
        [](bound_registry& r, const std::optional<py::bytes>& bytes) { force_signature(r.core, copy_of(bytes)); },
        py::arg("registry"), py::arg("signature"),
        "Every graph added from now on gets this signature, so that a clash can be seen; None restores the rules.");
}

}  // namespace graphdedup::python
