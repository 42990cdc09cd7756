#include "doctor/exec_memory.hpp"

#include "doctor/lab.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace graphdedup::doctor {
namespace {

constexpr std::uint32_t node_count = 512;
constexpr std::size_t most_executables = 24;
constexpr std::size_t enough_bytes = std::size_t{24} << 20;
// Bounds, and the guess, of bytes a node: on an H200 executables of decode graphs take some 2,700 (docs/gpu.md).
constexpr std::uint64_t least = 256;
constexpr std::uint64_t most = 65536;
constexpr std::uint64_t guess = 4096;

using place = std::pair<const driver_layer::api*, CUdevice>;

struct prices {
    std::mutex mutex;  // held while measuring
    std::map<place, std::uint64_t> known;
};

prices& all() {
    static auto* const instance = new prices();  // leaked: see gate.cpp
    return *instance;
}

std::size_t free_bytes(const lab& where, const driver_layer::call_site& site) {
    std::size_t free = 0;
    std::size_t total = 0;
    driver_layer::check(where.driver(), where.driver().cuMemGetInfo(&free, &total), "cuMemGetInfo", site);
    return free;
}

std::uint64_t measure(const driver_layer::api& driver, CUdevice device, const driver_layer::call_site& site) {
    const lab where(driver, device, site);
    lab::chain source(where);
    for (std::uint32_t i = 0; i < node_count; ++i) source.kernel({.slot = i % lab::slot_count});
    std::vector<exec::graph_exec> executables;
    where.run(executables.emplace_back(where.instantiate(source)));  // what the first of all takes is not counted
    const std::size_t before = free_bytes(where, site);
    std::size_t taken = 0;
    while (executables.size() <= most_executables && taken < enough_bytes) {
        where.run(executables.emplace_back(where.instantiate(source)));
        const std::size_t now = free_bytes(where, site);
        taken = before > now ? before - now : 0;
    }
    return taken / ((executables.size() - 1) * node_count);
}

}  // namespace

std::uint64_t exec_bytes_per_node(const driver_layer::api& driver, CUdevice device, const driver_layer::call_site& site) {
    const std::scoped_lock lock(all().mutex);
    const place key(&driver, device);
    if (const auto at = all().known.find(key); at != all().known.end()) return at->second;
    try {
        const std::uint64_t measured = measure(driver, device, site);
        if (measured < least) return guess;  // somebody gave memory back meanwhile, or the driver had enough of it at hand
        return all().known.emplace(key, std::min(measured, most)).first->second;
    } catch (const error&) {
        return guess;  // the next registry tries again
    }
}

void forget_exec_memory() {
    const std::scoped_lock lock(all().mutex);
    all().known.clear();
}

}  // namespace graphdedup::doctor
