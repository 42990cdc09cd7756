// From C++ errors to the classes of graphdedup.errors.
#include "bindings.hpp"

#include <graphdedup/error.hpp>

namespace graphdedup::python {
namespace {

namespace py = pybind11;

template <typename... extra>
void raise(const char* class_name, const error& e, extra&&... more) {
    const py::object type = py::module_::import("graphdedup.errors").attr(class_name);
    const py::object instance =
        type(e.what(), py::arg("operation") = e.operation(), py::arg("object") = e.object(), std::forward<extra>(more)...);
    PyErr_SetObject(type.ptr(), instance.ptr());
}

void raise_driver_error(const char* class_name, const driver_error& e) {
    raise(class_name, e, py::arg("call") = e.call(), py::arg("status") = e.status(), py::arg("status_name") = e.status_name());
}

void translate(std::exception_ptr pointer) {
    try {
        if (pointer) std::rethrow_exception(pointer);
    } catch (const out_of_memory& e) {
        raise_driver_error("OutOfDeviceMemoryError", e);
    } catch (const driver_error& e) {
        raise_driver_error("DriverError", e);
    } catch (const driver_not_found& e) {
        raise("DriverNotFoundError", e);
    } catch (const invalid_argument& e) {
        raise("InvalidArgumentError", e);
    } catch (const invalid_graph& e) {
        raise("InvalidGraphError", e);
    } catch (const wrong_device& e) {
        raise("WrongDeviceError", e);
    } catch (const registry_sealed& e) {
        raise("RegistrySealedError", e);
    } catch (const registry_closed& e) {
        raise("RegistryClosedError", e);
    } catch (const format_error& e) {
        raise("FormatError", e);
    } catch (const error& e) {
        raise("GraphDedupError", e);
    }
}

}  // namespace

void register_errors(py::module_&) { py::register_local_exception_translator(translate); }

}  // namespace graphdedup::python
