#include "bench.hpp"

#include "doctor/kernels.hpp"

#include <cstdlib>

namespace graphdedup::conformance {
namespace {

using driver_layer::api;

int attribute_of(const api& driver, CUdevice device, CUdevice_attribute attribute) {
    int value = 0;
    check(driver, driver.cuDeviceGetAttribute(&value, attribute, device), "cuDeviceGetAttribute", bench::site);
    return value;
}

CUstream create_stream(const api& driver) {
    CUstream stream = nullptr;
    check(driver, driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate", bench::site);
    return stream;
}

CUmodule load_module(const api& driver, CUdevice device) {
    const bool clusters = attribute_of(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 9;
    const std::string ptx = doctor::module_ptx(kernels, clusters);
    CUmodule module = nullptr;
    check(driver, driver.cuModuleLoadData(&module, ptx.c_str()), "cuModuleLoadData", bench::site);
    return module;
}

}  // namespace

primary_context::primary_context(const api& driver) : driver_(driver) {
    check(driver, driver.cuInit(0), "cuInit", bench::site);
    check(driver, driver.cuDeviceGet(&device_, 0), "cuDeviceGet", bench::site);
    check(driver, driver.cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain", bench::site);
    check(driver, driver.cuCtxPushCurrent(context_), "cuCtxPushCurrent", bench::site);
}

primary_context::~primary_context() {
    CUcontext popped = nullptr;
    static_cast<void>(driver_.cuCtxPopCurrent(&popped));
    static_cast<void>(driver_.cuDevicePrimaryCtxRelease(device_));
}

bench::bench(std::shared_ptr<const graphdedup::driver> loaded)
    : loaded_(std::move(loaded)),
      context_(driver()),
      stream_(driver(), create_stream(driver())),
      other_stream_(driver(), create_stream(driver())),
      module_(driver(), load_module(driver(), context_.device())),
      lab_(driver(), context_.device(), site),
      arena_(driver(), stream_.get()),
      known_as_(recognise()) {
    for (const char* name : {"gd_report_big_a", "gd_report_big_b"}) {
        constexpr auto limit = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        check(driver(), driver().cuFuncSetAttribute(function(name), limit, static_cast<int>(big_shared_bytes)),
              "cuFuncSetAttribute", site);
    }
}

// The simulation says its profile in the device's name: "Simulated H200 (driver580-h200)".
std::optional<profile> bench::recognise() const {
    const std::string name = loaded_->device_name(0);
    if (name.starts_with("Simulated")) {
        const std::size_t open = name.find('(');
        return open == std::string::npos ? std::nullopt
                                         : find_profile(std::string_view(name).substr(open + 1, name.size() - open - 2));
    }
    const int major = attribute_of(driver(), context_.device(), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    constexpr int driver580_version = 13000;
    if (major == 9 && loaded_->version() == driver580_version) return profile::driver580_h200;
    return std::nullopt;
}

std::string bench::description() const {
    const std::string judged = known_as_ ? std::string(name_of(*known_as_)) : "nothing: only what sharing needs is asserted";
    return loaded_->device_name(0) + ", driver " + std::to_string(loaded_->version()) + " (" + loaded_->path() + "), judged by " +
           judged;
}

CUfunction bench::function(std::string_view name) const {
    CUfunction found = nullptr;
    check(driver(), driver().cuModuleGetFunction(&found, module_.get(), std::string(name).c_str()), "cuModuleGetFunction", site);
    return found;
}

exec::graph_exec bench::instantiate(CUgraph source, std::uint64_t flags) const { return {driver(), source, flags, site}; }

void bench::synchronize() const { check(driver(), driver().cuStreamSynchronize(stream()), "cuStreamSynchronize", site); }

image bench::run(const exec::graph_exec& executable) const {
    memories().clear();
    launch(executable);
    synchronize();
    return memories().read();
}

}  // namespace graphdedup::conformance
