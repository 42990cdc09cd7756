#include "doctor/gate.hpp"

#include "doctor/checks.hpp"
#include "doctor/exec_memory.hpp"
#include "doctor/preferred_cluster.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace graphdedup::doctor {
namespace {

using place = std::pair<const driver_layer::api*, CUdevice>;

struct verdicts {
    std::mutex mutex;  // held while the checks run: a second registry waits for the answer instead of asking again
    std::map<place, std::string> reasons;
    std::map<place, bool> preferred_clusters;
};

// Leaked on purpose: a registry may be used while statics are being destroyed.
verdicts& known() {
    static auto* const instance = new verdicts();
    return *instance;
}

std::string judge(const driver_layer::api& driver, CUdevice device, const driver_layer::call_site& site) {
    const lab where(driver, device, site);
    for (const finding& f : run_checks(where, need::sharing)) {
        if (!f.holds) return "this driver does not do what sharing needs: " + f.name + " (" + f.detail + ")";
    }
    return {};
}

}  // namespace

std::string reason_not_to_share(const driver_layer::api& driver, CUdevice device, const driver_layer::call_site& site) {
    const std::scoped_lock lock(known().mutex);
    const place key(&driver, device);
    if (const auto at = known().reasons.find(key); at != known().reasons.end()) return at->second;
    try {
        std::string reason = judge(driver, device, site);
        return known().reasons.emplace(key, std::move(reason)).first->second;
    } catch (const error& e) {
        return std::string("whether this driver does what sharing needs could not be checked: ") + e.what();
    }
}

bool honours_preferred_cluster(const driver_layer::api& driver, CUdevice device, const driver_layer::call_site& site) {
    const std::scoped_lock lock(known().mutex);
    const place key(&driver, device);
    if (const auto at = known().preferred_clusters.find(key); at != known().preferred_clusters.end()) return at->second;
    try {
        const lab where(driver, device, site);
        const bool honoured = where.has_clusters() && try_preferred_cluster(where).honoured;
        return known().preferred_clusters.emplace(key, honoured).first->second;
    } catch (const error&) {
        return true;  // the careful answer; the next call tries again
    }
}

void forget_verdicts() {
    const std::scoped_lock lock(known().mutex);
    known().reasons.clear();
    known().preferred_clusters.clear();
    forget_exec_memory();
}

}  // namespace graphdedup::doctor
