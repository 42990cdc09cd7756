#include "registry/bind.hpp"

#include "driver/process.hpp"

namespace graphdedup {
namespace {

using driver_layer::call_site;
using driver_layer::check;

CUcontext retain_primary(registry::impl& r, int ordinal, const call_site& site) {
    CUdevice device = 0;
    check(r.api, r.api.cuDeviceGet(&device, ordinal), "cuDeviceGet", site);
    CUcontext context = nullptr;
    check(r.api, r.api.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain", site);
    r.device = device;
    r.retained_primary = true;
    return context;
}

}  // namespace

void bind_context(registry::impl& r, const call_site& site) {
    if (r.context != nullptr) return;
    check(r.api, r.api.cuInit(0), "cuInit", site);
    CUcontext context = r.options.device < 0 ? driver_layer::current_context(r.api) : nullptr;
    if (context != nullptr) {
        check(r.api, r.api.cuCtxGetDevice(&r.device), "cuCtxGetDevice", site);
    } else {
        context = retain_primary(r, r.options.device < 0 ? 0 : r.options.device, site);
    }
    r.context = context;
}

void unbind_context(registry::impl& r) noexcept {
    if (r.retained_primary && driver_layer::calls_allowed()) static_cast<void>(r.api.cuDevicePrimaryCtxRelease(r.device));
    r.retained_primary = false;
    r.context = nullptr;
}

}  // namespace graphdedup
