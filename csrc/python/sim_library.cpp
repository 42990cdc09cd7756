#include "sim_library.hpp"

#include "driver/api.hpp"

#include <graphdedup/error.hpp>

#include <dlfcn.h>

namespace graphdedup::python {
namespace {

template <typename function_type>
void find(const driver& d, const char* name, function_type*& target) {
    target = reinterpret_cast<function_type*>(dlsym(d.api().library, name));
    if (target == nullptr) throw driver_not_found("load simulated driver", d.path(), std::string("it has no ") + name);
}

sim_library load() {
    sim_library library;
    library.loaded = driver::open(sim_library_path());
#define GRAPHDEDUP_SIM_FIND(name) find(*library.loaded, #name, library.name);
    GRAPHDEDUP_SIM_FUNCTIONS(GRAPHDEDUP_SIM_FIND)
#undef GRAPHDEDUP_SIM_FIND
    if (library.gdsim_version() != GDSIM_VERSION) {
        throw driver_not_found("load simulated driver", library.loaded->path(), "it is of another release");
    }
    return library;
}

}  // namespace

std::string sim_library_path() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&sim_library_path), &here) == 0 || here.dli_fname == nullptr)
        return "libgraphdedup_sim.so";
    const std::string module(here.dli_fname);
    return module.substr(0, module.rfind('/') + 1) + "libgraphdedup_sim.so";
}

const sim_library& load_sim_library() {
    static const sim_library library = load();
    return library;
}

}  // namespace graphdedup::python
