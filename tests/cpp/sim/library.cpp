#include "library.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace sim_tests {
namespace {

void* library() {
    static void* const opened = [] {
        void* handle = dlopen(GRAPHDEDUP_SIM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) throw std::runtime_error(dlerror());
        return handle;
    }();
    return opened;
}

template <typename function_type>
void find(function_type& function, const char* name) {
    function = reinterpret_cast<function_type>(dlsym(library(), name));
    if (function == nullptr) throw std::runtime_error(std::string("not exported: ") + name);
}

template <typename function_type>
void find_in_driver(function_type*& function, const char* name, int introduced) {
    void* found = nullptr;
    CUdriverProcAddressQueryResult result{};
    if (get_proc_address()(name, &found, introduced, 0, &result) != CUDA_SUCCESS) throw std::runtime_error(name);
    function = reinterpret_cast<function_type*>(found);
}

}  // namespace

get_proc_address_fn get_proc_address() {
    get_proc_address_fn found = nullptr;
    find(found, "cuGetProcAddress_v2");
    return found;
}

const driver_functions& cu() {
    static const driver_functions functions = [] {
        driver_functions made;
#define GRAPHDEDUP_SYMBOL(name, introduced, need, return_type, parameters) find_in_driver(made.name, #name, introduced);
#include "driver/symbols.def"
#undef GRAPHDEDUP_SYMBOL
        return made;
    }();
    return functions;
}

const control_functions& gdsim() {
    static const control_functions functions = [] {
        control_functions made;
#define SIM_CONTROL(name) find(made.name, "gdsim_" #name);
#include "controls.def"
#undef SIM_CONTROL
        return made;
    }();
    return functions;
}

}  // namespace sim_tests
