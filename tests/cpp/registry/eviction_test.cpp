// The choice of an executable, without a driver.
#include "registry/eviction.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace {

using namespace graphdedup::eviction;

// A pool that serves members by the chooser's choices.
class pool_model {
  public:
    pool_model(std::size_t members, std::size_t size) : members_(members), size_(size) {}

    // Counts a miss where the member is not held.
    void replay(std::size_t i) {
        uses& wanted = members_[i];
        if (std::ranges::find(held_, &wanted) == held_.end()) {
            ++misses;
            if (held_.size() < size_) {
                held_.push_back(&wanted);
            } else {
                held_[chooser_.choose(held_)] = &wanted;
            }
        }
        chooser_.note(wanted, held_.size());
    }
    void forget(std::size_t i) {
        std::erase(held_, &members_[i]);
        chooser_.forget(members_[i]);
    }
    [[nodiscard]] bool holds(std::size_t i) const { return std::ranges::find(held_, &members_[i]) != held_.end(); }

    std::size_t misses = 0;

  private:
    std::vector<uses> members_;
    std::size_t size_;
    std::vector<const uses*> held_;
    chooser chooser_;
};

}  // namespace

TEST_CASE("sizes that drift: the member used longest ago goes") {
    pool_model pool(4, 2);
    for (const std::size_t i : {0U, 1U, 0U, 2U}) pool.replay(i);
    CHECK(pool.holds(0));
    CHECK_FALSE(pool.holds(1));
    CHECK(pool.holds(2));
}

TEST_CASE("replays in a row are one use") {
    pool_model pool(4, 2);
    pool.replay(0);
    for (int n = 0; n < 10; ++n) pool.replay(1);
    pool.replay(0);
    pool.replay(2);
    CHECK(pool.holds(0));
    CHECK_FALSE(pool.holds(1));
}

TEST_CASE("a cycle longer than the pool: most of it stays, where the least recently used would miss always") {
    constexpr std::size_t members = 28;
    pool_model pool(members, 20);
    const auto cycles = [&](int count) {
        for (int n = 0; n < count; ++n) {
            for (std::size_t i = 0; i < members; ++i) pool.replay(i);
        }
    };
    cycles(10);
    pool.misses = 0;
    cycles(10);
    CHECK(pool.misses <= 10 * members * 4 / 10);  // the bound, which knows the future, is 8 of 27
}

TEST_CASE("a scan of members used once does not push out those that come again") {
    pool_model pool(70, 24);
    for (std::size_t scan = 0; scan < 30; ++scan) {
        for (int n = 0; n < 3; ++n) {
            for (std::size_t i = 0; i < 20; ++i) pool.replay(i);
        }
        if (scan == 29) pool.misses = 0;
        for (std::size_t i = 20; i < 70; ++i) pool.replay(i);
    }
    for (std::size_t i = 0; i < 20; ++i) pool.replay(i);
    CHECK(pool.misses <= 50);  // those of the scan; the least recently used would miss 70 times
}

TEST_CASE("a member that goes is not chosen again, and leaves no trace") {
    pool_model pool(5, 2);
    for (const std::size_t i : {0U, 1U, 2U, 1U, 0U, 2U}) pool.replay(i);
    pool.forget(2);
    pool.replay(3);
    pool.replay(4);
    CHECK(pool.holds(4));
    CHECK_FALSE(pool.holds(2));
}
