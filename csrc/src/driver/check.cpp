#include "driver/check.hpp"

#include <cstdio>

namespace graphdedup::driver_layer {

std::string status_name(const api& driver, CUresult status) {
    const char* name = nullptr;
    if (driver.cuGetErrorName(status, &name) == CUDA_SUCCESS && name != nullptr) return name;
    return "CUresult " + std::to_string(static_cast<int>(status));
}

std::string describe(std::string_view kind, const void* handle) {
    char address[32];
    std::snprintf(address, sizeof address, "%p", handle);
    return std::string(kind) + " " + (handle != nullptr ? address : "0x0");
}

void fail(const api& driver, CUresult status, std::string_view call, const call_site& site) {
    const std::string operation(site.operation);
    const std::string object = describe(site.object_kind, site.object);
    const int code = static_cast<int>(status);
    if (status == CUDA_ERROR_OUT_OF_MEMORY) {
        throw out_of_memory(operation, object, std::string(call), code, status_name(driver, status));
    }
    throw driver_error(operation, object, std::string(call), code, status_name(driver, status));
}

}  // namespace graphdedup::driver_layer
