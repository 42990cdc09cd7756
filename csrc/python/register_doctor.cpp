#include "bindings.hpp"

#include <graphdedup/doctor.hpp>

#include <pybind11/stl.h>

namespace graphdedup::python {

namespace py = pybind11;

void register_doctor(py::module_& module) {
    py::class_<doctor_finding>(module, "DoctorFinding", "One thing that was tried.")
        .def_readonly("name", &doctor_finding::name)
        .def_readonly("needed", &doctor_finding::needed)
        .def_readonly("holds", &doctor_finding::holds)
        .def_readonly("detail", &doctor_finding::detail);
    py::class_<doctor_report>(module, "DoctorReport", "What a driver and device do, and what follows.")
        .def_readonly("driver_path", &doctor_report::driver_path)
        .def_readonly("driver_version", &doctor_report::driver_version)
        .def_readonly("symbol_count", &doctor_report::symbol_count)
        .def_readonly("missing_symbols", &doctor_report::missing_symbols)
        .def_readonly("device", &doctor_report::device)
        .def_readonly("device_name", &doctor_report::device_name)
        .def_readonly("compute_capability", &doctor_report::compute_capability)
        .def_readonly("findings", &doctor_report::findings)
        .def_readonly("preferred_cluster_accepted", &doctor_report::preferred_cluster_accepted)
        .def_readonly("preferred_cluster_honoured", &doctor_report::preferred_cluster_honoured)
        .def_readonly("preferred_cluster_readable", &doctor_report::preferred_cluster_readable)
        .def_readonly("may_share", &doctor_report::may_share)
        .def_readonly("consequences", &doctor_report::consequences);
    module.def(
        "examine", [](const std::shared_ptr<driver>& d, int device) { return examine(d, device); }, py::arg("driver"),
        py::arg("device") = 0, py::call_guard<py::gil_scoped_release>(), "Try out what sharing leans on.");
}

}  // namespace graphdedup::python
