// Writing to the log.
#pragma once

#include <graphdedup/log.hpp>

namespace graphdedup {

void write_log(log_level level, const std::string& message);

}  // namespace graphdedup
