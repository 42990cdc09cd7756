#include "registry/eviction.hpp"

#include <algorithm>
#include <tuple>

namespace graphdedup::eviction {
namespace {

// How much of a miss is left after each use: what came long ago no longer counts.
constexpr double remembered = 1.0 - 1.0 / 256;
// How many times the other rule's misses `least_recent` must have had to be left.
constexpr double lead = 1.1;

constexpr std::size_t index_of(rule r) noexcept { return static_cast<std::size_t>(r); }

}  // namespace

void chooser::note_change(uses& member, std::size_t pool_size) {
    last_ = &member;
    ++now_;
    if (pool_size > 1) {  // else there is nothing to choose
        note_in_shadow(rule::least_recent, member, pool_size);
        note_in_shadow(rule::longest_reuse, member, pool_size);
    }
    if (member.last_use != 0) member.distance = now_ - member.last_use;
    member.last_use = now_;
}

void chooser::note_in_shadow(rule r, uses& member, std::size_t pool_size) {
    shadow& s = shadows_[index_of(r)];
    s.misses *= remembered;
    bool& held = member.held[index_of(r)];
    if (held) return;
    while (s.held.size() >= pool_size) {
        s.misses += 1;
        const auto given_up = s.held.begin() + static_cast<std::ptrdiff_t>(choose_by(r, s.held));
        (*given_up)->held[index_of(r)] = false;
        *given_up = s.held.back();
        s.held.pop_back();
    }
    s.held.push_back(&member);
    held = true;
}

std::size_t chooser::choose(std::span<const uses* const> candidates) const noexcept {
    const double recent = shadows_[index_of(rule::least_recent)].misses;
    const double reuse = shadows_[index_of(rule::longest_reuse)].misses;
    return choose_by(recent > lead * reuse ? rule::longest_reuse : rule::least_recent, candidates);
}

std::size_t chooser::choose_by(rule r, std::span<const uses* const> candidates) const noexcept {
    const auto least_recent = [](const uses* a, const uses* b) { return a->last_use < b->last_use; };
    const auto expected = [this](const uses* m) {
        // Never used at all: nobody waits for it.
        const bool never = m->last_use == 0;
        return std::tuple(never, std::max(m->distance, now_ - m->last_use), m->last_use);
    };
    const auto chosen =
        r == rule::least_recent
            ? std::ranges::min_element(candidates, least_recent)
            : std::ranges::max_element(candidates, [&](const uses* a, const uses* b) { return expected(a) < expected(b); });
    return static_cast<std::size_t>(chosen - candidates.begin());
}

void chooser::forget(const uses& member) noexcept {
    if (last_ == &member) last_ = nullptr;
    for (shadow& s : shadows_) std::erase(s.held, &member);
}

}  // namespace graphdedup::eviction
