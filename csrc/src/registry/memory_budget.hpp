// The device memory that all executables of a registry may take together.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace graphdedup {

// Counts in nodes. Thread-safe.
class memory_budget {
  public:
    explicit memory_budget(std::uint64_t limit_bytes) noexcept : limit_bytes_(limit_bytes) {}

    [[nodiscard]] bool limited() const noexcept { return limit_bytes_ != 0; }
    [[nodiscard]] std::uint64_t bytes_per_node() const noexcept { return bytes_per_node_; }
    void set_bytes_per_node(std::uint64_t price) noexcept { bytes_per_node_ = price; }
    [[nodiscard]] std::uint64_t used_bytes() const noexcept { return nodes_ * bytes_per_node_; }

    // Takes the memory of an executable of so many nodes, if it fits beside those that exist.
    [[nodiscard]] bool try_take(std::uint64_t node_count) noexcept {
        std::uint64_t used = nodes_;
        do {
            if (limited() && (used + node_count) * bytes_per_node_ > limit_bytes_) return false;
        } while (!nodes_.compare_exchange_weak(used, used + node_count));
        return true;
    }
    // The same, fit or not. True if it fitted.
    bool take(std::uint64_t node_count) noexcept {
        if (try_take(node_count)) return true;
        nodes_ += node_count;
        return false;
    }
    void give(std::uint64_t node_count) noexcept { nodes_ -= node_count; }

  private:
    const std::uint64_t limit_bytes_;  // 0: none
    std::atomic<std::uint64_t> bytes_per_node_{0};
    std::atomic<std::uint64_t> nodes_{0};  // of all executables alive
};

// What one executable took of a budget; its end gives it back.
class memory_share {
  public:
    memory_share(std::shared_ptr<memory_budget> taken_from, std::uint64_t node_count) noexcept
        : budget_(std::move(taken_from)),
          node_count_(node_count) {}
    ~memory_share() {
        if (budget_ != nullptr) budget_->give(node_count_);
    }
    memory_share(memory_share&& other) noexcept : budget_(std::move(other.budget_)), node_count_(other.node_count_) {}
    memory_share& operator=(memory_share&&) = delete;
    memory_share(const memory_share&) = delete;
    memory_share& operator=(const memory_share&) = delete;

  private:
    std::shared_ptr<memory_budget> budget_;
    std::uint64_t node_count_;
};

}  // namespace graphdedup
