// Typed errors. Every error names the operation that failed and the object that it was about.
#pragma once

#include <graphdedup/export.hpp>

#include <stdexcept>
#include <string>

namespace graphdedup {

// Base of everything that graphdedup throws.
class GRAPHDEDUP_EXPORT error : public std::runtime_error {
  public:
    error(std::string operation, std::string object, const std::string& what);
    ~error() override;

    error(const error&) = default;
    error& operator=(const error&) = default;

    // What was asked for, such as "Registry.register".
    [[nodiscard]] const std::string& operation() const noexcept { return operation_; }
    // What it was asked of, such as "graph 0x55d0c8a1b2f0" or "member 12".
    [[nodiscard]] const std::string& object() const noexcept { return object_; }

  private:
    std::string operation_;
    std::string object_;
};

// An argument has a value that the operation does not take.
class GRAPHDEDUP_EXPORT invalid_argument : public error {
  public:
    using error::error;
    ~invalid_argument() override;
};

// The graph cannot be used: null, not captured yet, already destroyed.
class GRAPHDEDUP_EXPORT invalid_graph : public error {
  public:
    using error::error;
    ~invalid_graph() override;
};

// The graph, or the current context, belongs to another device or context than the registry.
class GRAPHDEDUP_EXPORT wrong_device : public error {
  public:
    using error::error;
    ~wrong_device() override;
};

// The registry takes no more graphs: `seal()` was called.
class GRAPHDEDUP_EXPORT registry_sealed : public error {
  public:
    using error::error;
    ~registry_sealed() override;
};

// The registry is closed, or the member was removed from it.
class GRAPHDEDUP_EXPORT registry_closed : public error {
  public:
    using error::error;
    ~registry_closed() override;
};

// A file or text is not what it should be: truncated, of another format, or contradicting itself.
class GRAPHDEDUP_EXPORT format_error : public error {
  public:
    using error::error;
    ~format_error() override;
};

// No usable driver: the library was not found, or lacks a symbol that is needed.
class GRAPHDEDUP_EXPORT driver_not_found : public error {
  public:
    using error::error;
    ~driver_not_found() override;
};

// A driver call returned an error.
class GRAPHDEDUP_EXPORT driver_error : public error {
  public:
    // `status` is the CUresult, `status_name` its name ("CUDA_ERROR_INVALID_VALUE"), `call` the driver function.
    driver_error(std::string operation, std::string object, std::string call, int status, std::string status_name);
    ~driver_error() override;

    driver_error(const driver_error&) = default;
    driver_error& operator=(const driver_error&) = default;

    [[nodiscard]] int status() const noexcept { return status_; }
    [[nodiscard]] const std::string& status_name() const noexcept { return status_name_; }
    [[nodiscard]] const std::string& call() const noexcept { return call_; }

  private:
    int status_;
    std::string status_name_;
    std::string call_;
};

// The device had no memory for an executable, after idle executables had been dropped and the call repeated once.
class GRAPHDEDUP_EXPORT out_of_memory : public driver_error {
  public:
    using driver_error::driver_error;
    ~out_of_memory() override;
};

}  // namespace graphdedup
