// Handles and the objects behind them. A handle is never the address of anything, so that a stale one is found, not followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace graphdedup_sim {

// Values grow for the life of the process: a handle from before a reset stays stale.
[[nodiscard]] std::uintptr_t next_handle_value() noexcept;

// True for a value that some table has given out, living or not.
[[nodiscard]] bool was_handle_value(std::uintptr_t value) noexcept;

template <typename handle_type, typename object_type>
class handle_table {
  public:
    // `reuse`: take the value that was freed last, as a real allocator likes to.
    handle_type add(std::unique_ptr<object_type> object, bool reuse) {
        std::uintptr_t value = 0;
        if (reuse && !freed_.empty()) {
            value = freed_.back();
            freed_.pop_back();
        } else {
            value = next_handle_value();
        }
        objects_.emplace(value, std::move(object));
        return to_handle(value);
    }

    // Null for a handle that is unknown or stale.
    [[nodiscard]] object_type* find(handle_type handle) const {
        const auto at = objects_.find(to_value(handle));
        return at == objects_.end() ? nullptr : at->second.get();
    }

    // The handle is stale from here on.
    std::unique_ptr<object_type> take(handle_type handle) {
        const auto at = objects_.find(to_value(handle));
        if (at == objects_.end()) return nullptr;
        std::unique_ptr<object_type> object = std::move(at->second);
        objects_.erase(at);
        freed_.push_back(to_value(handle));
        return object;
    }

    [[nodiscard]] std::size_t size() const noexcept { return objects_.size(); }

    template <typename function_type>
    void for_each(function_type&& visit) const {
        for (const auto& [value, object] : objects_) visit(to_handle(value), *object);
    }

    [[nodiscard]] static std::uintptr_t to_value(handle_type handle) noexcept { return reinterpret_cast<std::uintptr_t>(handle); }
    [[nodiscard]] static handle_type to_handle(std::uintptr_t value) noexcept { return reinterpret_cast<handle_type>(value); }

  private:
    std::unordered_map<std::uintptr_t, std::unique_ptr<object_type>> objects_;
    std::vector<std::uintptr_t> freed_;
};

}  // namespace graphdedup_sim
