// What graphdedup has to say outside of errors.
#pragma once

#include <graphdedup/export.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace graphdedup {

enum class log_level : std::uint8_t { info, warning };

// May be called from any thread, never while a lock of graphdedup is held. What it throws is dropped.
using log_sink = std::function<void(log_level, const std::string&)>;

// Replaces the sink of this process. An empty one restores the default: warnings go to stderr, the rest nowhere.
GRAPHDEDUP_EXPORT void set_log_sink(log_sink sink);

}  // namespace graphdedup
