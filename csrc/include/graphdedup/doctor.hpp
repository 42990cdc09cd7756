// What this machine's driver and device do, tried out, and what follows for sharing.
#pragma once

#include <graphdedup/driver.hpp>
#include <graphdedup/export.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace graphdedup {

struct doctor_finding {
    std::string name;     // "an update applies arguments"
    bool needed = false;  // sharing leans on it
    bool holds = false;
    std::string detail;  // what was seen where it does not hold; else empty
};

struct doctor_report {
    std::string driver_path;
    int driver_version = 0;                    // 1000 * major + 10 * minor of CUDA
    std::size_t symbol_count = 0;              // driver functions that were found
    std::vector<std::string> missing_symbols;  // optional ones that this driver does not have
    int device = 0;                            // ordinal
    std::string device_name;
    int compute_capability = 0;  // 10 * major + minor
    std::vector<doctor_finding> findings;
    // Of a preferred cluster shape: whether a launch may ask for one, whether it has an effect, whether a captured one is told.
    bool preferred_cluster_accepted = false;
    bool preferred_cluster_honoured = false;
    bool preferred_cluster_readable = false;
    bool may_share = false;                 // everything needed holds
    std::vector<std::string> consequences;  // in words
};

// Runs all checks on a device, in its primary context. Takes some milliseconds and a little device memory, leaves nothing behind.
// Throws driver_error where the device cannot be used at all.
[[nodiscard]] GRAPHDEDUP_EXPORT doctor_report examine(const std::shared_ptr<const driver>& d, int device = 0);

}  // namespace graphdedup
