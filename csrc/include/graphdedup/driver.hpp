// The CUDA driver that a registry talks to.
#pragma once

#include <graphdedup/export.hpp>

#include <memory>
#include <string>

namespace graphdedup {

namespace driver_layer {
struct api;
}

// A loaded driver library. graphdedup links neither libcuda nor libcudart: it opens the driver at run time and takes each
// function from cuGetProcAddress with the version that its signature was written for. Immutable, safe to share among threads;
// the library stays loaded for the life of the process.
class GRAPHDEDUP_EXPORT driver {
  public:
    // Opens the driver at `path`; an empty path means the environment variable GRAPHDEDUP_DRIVER, else "libcuda.so.1".
    // The same path gives the same object. Does not call cuInit: no context is made, no device is touched.
    // Throws driver_not_found.
    [[nodiscard]] static std::shared_ptr<const driver> open(const std::string& path = {});

    ~driver();
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;

    [[nodiscard]] const std::string& path() const noexcept;
    // As cuDriverGetVersion says: 1000 * major + 10 * minor of the newest CUDA that it supports. Throws driver_error.
    [[nodiscard]] int version() const;
    // Number of devices, 0 when the driver finds none. Calls cuInit. Throws driver_error on any other failure.
    [[nodiscard]] int device_count() const;
    // Throws driver_error, also for an ordinal out of range.
    [[nodiscard]] std::string device_name(int ordinal) const;

    // For graphdedup's own layers.
    [[nodiscard]] const driver_layer::api& api() const noexcept;

  private:
    explicit driver(const std::string& path);
    std::unique_ptr<driver_layer::api> api_;
};

}  // namespace graphdedup
