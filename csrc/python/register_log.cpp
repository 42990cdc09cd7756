#include "bindings.hpp"
#include "held_object.hpp"

#include <graphdedup/log.hpp>

#include <string>

namespace graphdedup::python {

namespace py = pybind11;

void register_log(py::module_& module) {
    module.def(
        "set_log_sink",
        [](const py::object& callable) {
            if (callable.is_none()) return set_log_sink({});
            set_log_sink([held = hold(callable)](log_level level, const std::string& message) {
                if (!interpreter_usable()) return;
                const py::gil_scoped_acquire gil;
                try {
                    as_handle(held)(level == log_level::warning, message);
                } catch (py::error_already_set& e) {
                    e.discard_as_unraisable("graphdedup log");
                }
            });
        },
        py::arg("sink"), "Send the log to `sink(is_warning, message)`; None: warnings to stderr.");
}

}  // namespace graphdedup::python
