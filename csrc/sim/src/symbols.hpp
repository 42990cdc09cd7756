// The functions that this driver has: the same list that graphdedup loads, as ids, names and declarations.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace graphdedup_sim {

enum class symbol : std::size_t {
#define GRAPHDEDUP_SYMBOL(name, introduced, need, return_type, parameters) name,
#include "../../src/driver/symbols.def"
#undef GRAPHDEDUP_SYMBOL
    count
};

inline constexpr std::size_t symbol_count = static_cast<std::size_t>(symbol::count);

struct symbol_info {
    const char* name;
    int introduced;
};

inline constexpr std::array<symbol_info, symbol_count> symbol_table{{
#define GRAPHDEDUP_SYMBOL(name, introduced, need, return_type, parameters) {#name, introduced},
#include "../../src/driver/symbols.def"
#undef GRAPHDEDUP_SYMBOL
}};

[[nodiscard]] constexpr const symbol_info& info_of(symbol id) { return symbol_table[static_cast<std::size_t>(id)]; }

[[nodiscard]] constexpr std::optional<symbol> find_symbol(std::string_view name) {
    for (std::size_t i = 0; i < symbol_count; ++i) {
        if (symbol_table[i].name == name) return static_cast<symbol>(i);
    }
    return std::nullopt;
}

// What each function does, once its call has been admitted. They run with the lock of the world held.
namespace impl {
#define GRAPHDEDUP_SYMBOL(name, introduced, need, return_type, parameters) return_type name parameters;
#include "../../src/driver/symbols.def"
#undef GRAPHDEDUP_SYMBOL
}  // namespace impl

}  // namespace graphdedup_sim
