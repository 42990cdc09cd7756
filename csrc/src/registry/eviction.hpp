// Which of a group's loaded members gives up its executable when another one is replayed.
//
// Found by simulation over serving traces, see docs/design/executable-choice.md: the member used longest ago, unless another
// rule, the one of `longest_reuse`, would have missed clearly less often lately. Two shadows, lists of what a pool of the same
// size would hold under either rule, tell. Time counts changes of member within the group: replays of one member in a row are one
// use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace graphdedup::eviction {

enum class rule : std::uint8_t {
    least_recent,   // gives up whose last use is longest ago
    longest_reuse,  // whose last reuse distance, or time since the last use, is largest; a member that has not come back yet
                    // first; of equals the one used last. Keeps what it can of a cycle that is longer than the pool
};
inline constexpr std::size_t rule_count = 2;

// What is noted of one member.
struct uses {
    std::uint64_t last_use = 0;  // 0: never
    std::uint64_t distance = std::numeric_limits<std::uint64_t>::max();
    std::array<bool, rule_count> held = {};  // by the shadow of that rule
};

// One a group. Wants the group's mutex held.
class chooser {
  public:
    // Notes a replay. `pool_size`: executables that the group's members share, at least 1. Constant time but for a change of
    // member that a shadow misses, which takes time in proportion to the pool. Throws std::bad_alloc; what was noted is then
    // incomplete, which makes a choice no worse than unlucky.
    void note(uses& member, std::size_t pool_size) {
        if (&member == last_) return;
        note_change(member, pool_size);
    }
    // Index of the candidate to give up. `candidates` is not empty.
    [[nodiscard]] std::size_t choose(std::span<const uses* const> candidates) const noexcept;
    // The member goes.
    void forget(const uses& member) noexcept;

  private:
    struct shadow {
        std::vector<uses*> held;
        double misses = 0;  // each counts less with every use since
    };

    void note_change(uses& member, std::size_t pool_size);
    void note_in_shadow(rule r, uses& member, std::size_t pool_size);
    [[nodiscard]] std::size_t choose_by(rule r, std::span<const uses* const> candidates) const noexcept;

    std::uint64_t now_ = 0;
    const uses* last_ = nullptr;
    std::array<shadow, rule_count> shadows_;
};

}  // namespace graphdedup::eviction
