// Python objects that C++ holds and may let go of on any thread.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

namespace graphdedup::python {

// False while the interpreter goes down: its objects are then leaked.
[[nodiscard]] inline bool interpreter_usable() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsInitialized() != 0 && Py_IsFinalizing() == 0;
#else
    return Py_IsInitialized() != 0 && _Py_IsFinalizing() == 0;
#endif
}

// A reference to `object` whose end takes the GIL. None gives null.
[[nodiscard]] inline std::shared_ptr<void> hold(const pybind11::object& object) {
    if (object.is_none()) return nullptr;
    PyObject* const raw = object.ptr();
    Py_INCREF(raw);
    return {raw, [](void* held) {
                if (!interpreter_usable()) return;
                const pybind11::gil_scoped_acquire gil;
                Py_DECREF(static_cast<PyObject*>(held));
            }};
}

[[nodiscard]] inline pybind11::handle as_handle(const std::shared_ptr<void>& held) {
    return {static_cast<PyObject*>(held.get())};
}

}  // namespace graphdedup::python
