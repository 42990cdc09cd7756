#include <graphdedup/driver.hpp>

#include "driver/api.hpp"
#include "driver/check.hpp"
#include "driver/process.hpp"

#include <cstdlib>
#include <map>
#include <mutex>

namespace graphdedup {
namespace {

std::string resolve(const std::string& path) {
    if (!path.empty()) return path;
    const char* from_environment = std::getenv("GRAPHDEDUP_DRIVER");
    return from_environment != nullptr && *from_environment != '\0' ? from_environment : "libcuda.so.1";
}

}  // namespace

std::shared_ptr<const driver> driver::open(const std::string& path) {
    // Leaked on purpose: registries may outlive static destruction.
    static auto* opened = new std::map<std::string, std::shared_ptr<const driver>>();
    static std::mutex mutex;
    const std::string resolved = resolve(path);
    const std::scoped_lock lock(mutex);
    auto& entry = (*opened)[resolved];
    if (entry == nullptr) {
        driver_layer::watch_forks();
        entry.reset(new driver(resolved));
    }
    return entry;
}

driver::driver(const std::string& path) : api_(std::make_unique<driver_layer::api>(driver_layer::load(path))) {}
driver::~driver() = default;

const std::string& driver::path() const noexcept { return api_->path; }
const driver_layer::api& driver::api() const noexcept { return *api_; }

int driver::version() const {
    int version = 0;
    driver_layer::check(*api_, api_->cuDriverGetVersion(&version), "cuDriverGetVersion", {"Driver.version", "driver"});
    return version;
}

int driver::device_count() const {
    const driver_layer::call_site site{"Driver.device_count", "driver"};
    const CUresult status = api_->cuInit(0);
    if (status == CUDA_ERROR_NO_DEVICE) return 0;
    driver_layer::check(*api_, status, "cuInit", site);
    int count = 0;
    driver_layer::check(*api_, api_->cuDeviceGetCount(&count), "cuDeviceGetCount", site);
    return count;
}

std::string driver::device_name(int ordinal) const {
    const driver_layer::call_site site{"Driver.device_name", "device"};
    driver_layer::check(*api_, api_->cuInit(0), "cuInit", site);
    CUdevice device = 0;
    const CUresult status = api_->cuDeviceGet(&device, ordinal);
    if (status != CUDA_SUCCESS) {  // an ordinal is no handle: it is named as what it is
        throw driver_error("Driver.device_name", "device " + std::to_string(ordinal), "cuDeviceGet", static_cast<int>(status),
                           driver_layer::status_name(*api_, status));
    }
    char name[256] = {};
    driver_layer::check(*api_, api_->cuDeviceGetName(name, sizeof name, device), "cuDeviceGetName", site);
    return name;
}

}  // namespace graphdedup
