#include <graphdedup/error.hpp>

#include <utility>

namespace graphdedup {

error::error(std::string operation, std::string object, const std::string& what)
    : std::runtime_error(operation + ": " + object + ": " + what),
      operation_(std::move(operation)),
      object_(std::move(object)) {}

driver_error::driver_error(std::string operation, std::string object, std::string call, int status, std::string status_name)
    : error(std::move(operation), std::move(object), call + " returned " + status_name + " (" + std::to_string(status) + ")"),
      status_(status),
      status_name_(std::move(status_name)),
      call_(std::move(call)) {}

// Out of line, so that each class has one vtable and one type information, in this library.
error::~error() = default;
invalid_argument::~invalid_argument() = default;
invalid_graph::~invalid_graph() = default;
wrong_device::~wrong_device() = default;
registry_sealed::~registry_sealed() = default;
registry_closed::~registry_closed() = default;
format_error::~format_error() = default;
driver_not_found::~driver_not_found() = default;
driver_error::~driver_error() = default;
out_of_memory::~out_of_memory() = default;

}  // namespace graphdedup
