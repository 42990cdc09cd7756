#include "driver/api.hpp"

#include <graphdedup/error.hpp>

#include <dlfcn.h>

#include <cstdint>

namespace graphdedup::driver_layer {
namespace {

// cuGetProcAddress_v2 (CUDA 12.0): tells a missing symbol from one that this driver is too old for.
using get_proc_address_fn = CUresult(CUDAAPI*)(const char* symbol, void** function, int version, cuuint64_t flags,
                                               CUdriverProcAddressQueryResult* status);

constexpr const char* operation = "load CUDA driver";

class symbol_finder {
  public:
    symbol_finder(const std::string& path, get_proc_address_fn get) : path_(path), get_(get) {}

    void* find(const char* name, int introduced, bool required) const {
        void* function = nullptr;
        CUdriverProcAddressQueryResult found{};
        const CUresult status = get_(name, &function, introduced, CU_GET_PROC_ADDRESS_DEFAULT, &found);
        if (status == CUDA_SUCCESS && function != nullptr) return function;
        if (!required) return nullptr;
        const bool too_old = found == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
        throw driver_not_found(operation, path_,
                               std::string(too_old ? "the driver is too old: it has " : "the driver does not have ") + name +
                                   (too_old ? " only in a version before " : " of CUDA ") + version_text(introduced));
    }

  private:
    static std::string version_text(int version) {
        return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    }

    const std::string& path_;
    get_proc_address_fn get_;
};

template <typename function_type>
void assign(function_type*& target, void* function) {
    target = reinterpret_cast<function_type*>(function);
}

constexpr bool required = true;
constexpr bool optional = false;

}  // namespace

api load(const std::string& path) {
    api loaded;
    loaded.path = path;
    loaded.library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded.library == nullptr) {
        const char* said = dlerror();
        std::string reason = said != nullptr ? said : "the library cannot be opened";
        if (reason.starts_with(path + ": ")) reason.erase(0, path.size() + 2);  // the error names it anyway
        throw driver_not_found(operation, path, reason);
    }
    auto* get = reinterpret_cast<get_proc_address_fn>(dlsym(loaded.library, "cuGetProcAddress_v2"));
    if (get == nullptr)
        throw driver_not_found(operation, path, "it has no cuGetProcAddress_v2: a driver of CUDA 12.4 or newer is needed");
    const symbol_finder finder(path, get);
#define GRAPHDEDUP_SYMBOL(name, introduced, need, return_type, parameters) \
    assign(loaded.name, finder.find(#name, introduced, need));
#include "driver/symbols.def"
#undef GRAPHDEDUP_SYMBOL
    return loaded;
}

}  // namespace graphdedup::driver_layer
