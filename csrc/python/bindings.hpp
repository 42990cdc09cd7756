// One function an area; module.cpp calls them all.
#pragma once

#include <pybind11/pybind11.h>

namespace graphdedup::python {

void register_errors(pybind11::module_& module);
void register_driver(pybind11::module_& module);
void register_snapshot(pybind11::module_& module);
void register_graph(pybind11::module_& module);
void register_registry(pybind11::module_& module);
void register_doctor(pybind11::module_& module);
void register_log(pybind11::module_& module);
void register_testing(pybind11::module_& module);
void register_sim(pybind11::module_& module);

}  // namespace graphdedup::python
