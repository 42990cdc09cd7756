#include <graphdedup/doctor.hpp>

#include "doctor/checks.hpp"
#include "doctor/preferred_cluster.hpp"
#include "driver/context.hpp"

#include <algorithm>

namespace graphdedup {
namespace {

using driver_layer::api;
using driver_layer::call_site;
using driver_layer::check;

constexpr const char* operation = "examine";

class primary_context {
  public:
    primary_context(const api& driver, CUdevice device, const call_site& site) : driver_(driver), device_(device) {
        check(driver, driver.cuDevicePrimaryCtxRetain(&context_, device), "cuDevicePrimaryCtxRetain", site);
    }
    ~primary_context() { static_cast<void>(driver_.cuDevicePrimaryCtxRelease(device_)); }
    primary_context(const primary_context&) = delete;
    primary_context& operator=(const primary_context&) = delete;

    [[nodiscard]] CUcontext get() const noexcept { return context_; }

  private:
    const api& driver_;
    CUdevice device_;
    CUcontext context_ = nullptr;
};

void list_symbols(const api& driver, doctor_report& report) {
    const auto note = [&report](const char* name, bool found) {
        if (found) {
            ++report.symbol_count;
        } else {
            report.missing_symbols.emplace_back(name);
        }
    };
#define GRAPHDEDUP_SYMBOL(name, introduced, need, return_type, parameters) note(#name, driver.name != nullptr);
#include "driver/symbols.def"
#undef GRAPHDEDUP_SYMBOL
}

int attribute_of(const api& driver, CUdevice device, CUdevice_attribute attribute, const call_site& site) {
    int value = 0;
    check(driver, driver.cuDeviceGetAttribute(&value, attribute, device), "cuDeviceGetAttribute", site);
    return value;
}

std::vector<std::string> consequences_of(const doctor_report& report) {
    std::vector<std::string> said;
    said.emplace_back(report.may_share ? "graphs may share executables"
                                       : "graphs do not share: each gets an executable of its own");
    const bool keeps_shapes = std::any_of(report.findings.begin(), report.findings.end(), [](const doctor_finding& f) {
        return !f.needed && !f.holds && f.name.find("cluster shape") != std::string::npos;
    });
    if (keeps_shapes) {
        said.emplace_back("an update reports success and keeps old cluster shapes: graphs share only where all shapes are equal");
    }
    if (report.preferred_cluster_honoured && !report.preferred_cluster_readable) {
        said.emplace_back(
            "preferred cluster shapes have an effect and cannot be read: graphs with clustered kernels do not share");
    }
    return said;
}

}  // namespace

doctor_report examine(const std::shared_ptr<const driver>& d, int device) {
    if (d == nullptr) throw invalid_argument(operation, "driver", "it is null");
    const api& driver = d->api();
    const call_site site{operation, "device"};
    doctor_report report;
    report.driver_path = d->path();
    report.driver_version = d->version();
    list_symbols(driver, report);
    report.device = device;
    report.device_name = d->device_name(device);
    CUdevice handle = 0;
    check(driver, driver.cuDeviceGet(&handle, device), "cuDeviceGet", site);
    report.compute_capability = 10 * attribute_of(driver, handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, site) +
                                attribute_of(driver, handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, site);
    const primary_context context(driver, handle, site);
    const driver_layer::scoped_context current(driver, context.get());
    const doctor::lab where(driver, handle, site);
    for (doctor::finding& f : doctor::run_checks(where, doctor::need::information)) {
        report.findings.push_back({std::move(f.name), f.needed == doctor::need::sharing, f.holds, std::move(f.detail)});
    }
    if (where.has_clusters()) {
        const doctor::preferred_cluster_behaviour seen = doctor::try_preferred_cluster(where);
        report.preferred_cluster_accepted = seen.accepted;
        report.preferred_cluster_honoured = seen.honoured;
        report.preferred_cluster_readable = seen.readable;
    }
    report.may_share =
        std::all_of(report.findings.begin(), report.findings.end(), [](const doctor_finding& f) { return f.holds || !f.needed; });
    report.consequences = consequences_of(report);
    return report;
}

}  // namespace graphdedup
