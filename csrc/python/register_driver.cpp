#include "bindings.hpp"
#include "driver/process.hpp"
#include "registry/preparer.hpp"

#include <graphdedup/driver.hpp>

#include <pybind11/stl.h>

namespace graphdedup::python {

namespace py = pybind11;

void register_driver(py::module_& module) {
    // Drivers are immutable and shared: Python never owns one alone.
    py::class_<driver, std::shared_ptr<driver>>(module, "Driver", "A loaded CUDA driver library.")
        .def_static(
            "open", [](const std::string& path) { return std::const_pointer_cast<driver>(driver::open(path)); },
            py::arg("path") = "", py::call_guard<py::gil_scoped_release>(),
            "Open the driver at `path`; empty: GRAPHDEDUP_DRIVER, else libcuda.so.1. Raises DriverNotFoundError.")
        .def_property_readonly("path", &driver::path, "The library's path.")
        .def_property_readonly("version", &driver::version, "1000 * major + 10 * minor of the newest CUDA supported.")
        .def("device_count", &driver::device_count, py::call_guard<py::gil_scoped_release>(), "Number of devices; calls cuInit.")
        .def("device_name", &driver::device_name, py::arg("ordinal"), py::call_guard<py::gil_scoped_release>(),
             "Name of a device; calls cuInit.");
    module.def(
        "prevent_driver_calls",
        [] {
            preparer::stop_all();
            driver_layer::prevent_calls();
        },
        py::call_guard<py::gil_scoped_release>(),
        "From now on no driver call is made: what is held is leaked. For the exit of the interpreter. Waits for a prepare that "
        "is "
        "under way.");
}

}  // namespace graphdedup::python
