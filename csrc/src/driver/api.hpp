// The driver's functions, as found at run time.
#pragma once

#include <cuda.h>

#include <string>

namespace graphdedup::driver_layer {

// One pointer for each line of symbols.def. Required ones are never null.
struct api {
#define GRAPHDEDUP_SYMBOL(name, introduced, need, return_type, parameters) return_type(CUDAAPI* name) parameters = nullptr;
#include "driver/symbols.def"
#undef GRAPHDEDUP_SYMBOL

    std::string path;         // of the library
    void* library = nullptr;  // dlopen handle, never closed: a driver cannot be unloaded safely
};

// Opens the library and looks up every symbol. Throws driver_not_found, naming the first required symbol that is missing.
[[nodiscard]] api load(const std::string& path);

}  // namespace graphdedup::driver_layer
