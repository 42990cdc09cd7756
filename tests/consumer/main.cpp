// Needs no cuda.h, no driver and no device.
#include <graphdedup/driver.hpp>
#include <graphdedup/error.hpp>
#include <graphdedup/log.hpp>
#include <graphdedup/registry.hpp>

#include <cstdio>

int main() {
    try {
        const auto driver = graphdedup::driver::open("/nonexistent/libcuda.so.1");
    } catch (const graphdedup::driver_not_found& e) {
        // Caught by its type across the library's border.
        std::printf("%s\n", e.what());
        return 0;
    }
    return 1;
}
