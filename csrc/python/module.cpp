#include "bindings.hpp"

PYBIND11_MODULE(_core, module) {
    using namespace graphdedup::python;
    module.doc() = "The C++ core of graphdedup. Not a public interface: use the package.";
    module.attr("__version__") = GRAPHDEDUP_VERSION;
    register_errors(module);
    register_driver(module);
    register_snapshot(module);
    register_graph(module);
    register_registry(module);
    register_doctor(module);
    register_log(module);
    register_testing(module);
    register_sim(module);
}
