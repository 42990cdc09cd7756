#include "expectations.hpp"

#include "suite.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace graphdedup::conformance {
namespace {

using enum outcome;
using enum need;

// Columns of outcomes: driver580-h200, driver580-b200, clean.
constexpr expectation table[] = {
    // Fields that may differ between graphs that share.
    {"kernel fields, update", sharing, {applied, applied, applied}},
    {"kernel fields, set params", information, {applied, applied, applied}},
    {"more shared memory than the function allows", information, {unavailable, unavailable, unavailable}},
    {"memcpy 1D addresses, update", sharing, {applied, applied, applied}},
    {"memcpy 1D size, update", sharing, {applied, applied, applied}},
    {"memset 1D address, update", sharing, {applied, applied, applied}},
    {"memset 1D value, update", sharing, {applied, applied, applied}},
    {"memset 1D width, update", sharing, {applied, applied, applied}},
    {"memset 1D memory, update", sharing, {applied, applied, applied}},
    {"memset 2D address, update", sharing, {applied, applied, applied}},
    {"memset 2D value, update", sharing, {applied, applied, applied}},
    {"memset 2D memory, update", sharing, {applied, applied, applied}},
    {"host node, update", sharing, {applied, applied, applied}},
    {"programmatic edges kept, update", sharing, {applied, applied, applied}},

    // Clusters.
    {"cluster dimension, update", information, {kept, kept, applied}},
    {"cluster dimension with another function, update", information, {applied, applied, applied}},
    {"cluster dimension with another function, set params", information, {kept, kept, kept}},
    {"cluster dimension lost with another function, update", information, {kept, kept, applied}},
    {"cluster dimension lost with another function, set params", information, {kept, kept, kept}},
    {"cluster dimension, set params", information, {kept, kept, kept}},
    {"static cluster gained, update", information, {applied, applied, applied}},
    {"static cluster gained, set params", information, {applied, applied, applied}},
    {"static cluster lost, update", information, {kept, kept, applied}},
    {"static cluster lost, set params", information, {kept, kept, applied}},
    {"static cluster changed, update", information, {applied, applied, applied}},
    {"static cluster changed, set params", information, {applied, applied, applied}},
    {"static cluster kept by another function, update", sharing, {applied, applied, applied}},
    {"static cluster kept by another function, set params", information, {applied, applied, applied}},
    {"cluster dimension to an equal static cluster, update", information, {applied, applied, applied}},
    {"static cluster to an equal cluster dimension, update", information, {applied, applied, applied}},
    {"cluster dimension to another static cluster, update", information, {applied, applied, applied}},
    {"static cluster to another cluster dimension, update", information, {applied, applied, applied}},
    {"preferred cluster is honoured", information, {no, yes, yes}},
    {"preferred cluster can be read", information, {no, no, yes}},
    {"preferred cluster can be set on a node", information, {no, no, yes}},
    {"preferred cluster, update", information, {kept, kept, applied}},

    // Other launch attributes: all that is seen is that the update says that it worked.
    {"access policy window, update", information, {accepted, accepted, accepted}},
    {"cluster scheduling policy, update", information, {accepted, accepted, accepted}},
    {"priority, update", information, {accepted, accepted, accepted}},
    {"memory sync domain map, update", information, {accepted, accepted, accepted}},
    {"memory sync domain, update", information, {accepted, accepted, accepted}},
    {"shared memory carveout, update", information, {accepted, accepted, accepted}},
    {"an attribute kept, update", sharing, {accepted, accepted, accepted}},
    {"an attribute, set params", information, {accepted, accepted, accepted}},
    {"priority with USE_NODE_PRIORITY, update", information, {refused, refused, refused}},
    {"cooperative, update", information, {refused, refused, refused}},
    {"device-updatable, update", information, {not_supported, not_supported, not_supported}},
    {"device-updatable, set params", information, {applied, applied, applied}},
    {"device-updatable, a second executable", information, {no, no, no}},

    {"attribute 1 can be read", information, {yes, yes, yes}},
    {"attribute 2 can be read", information, {yes, yes, yes}},
    {"attribute 3 can be read", information, {no, no, no}},
    {"attribute 4 can be read", sharing, {yes, yes, yes}},
    {"attribute 5 can be read", information, {yes, yes, yes}},
    {"attribute 6 can be read", information, {no, no, no}},
    {"attribute 7 can be read", information, {no, no, no}},
    {"attribute 8 can be read", information, {yes, yes, yes}},
    {"attribute 9 can be read", information, {yes, yes, yes}},
    {"attribute 10 can be read", information, {yes, yes, yes}},
    {"attribute 11 can be read", information, {no, no, yes}},
    {"attribute 12 can be read", information, {no, no, no}},
    {"attribute 13 can be read", information, {yes, yes, yes}},
    {"attribute 14 can be read", information, {yes, yes, yes}},
    {"attribute 15 can be read", information, {no, no, no}},
    {"attribute 16 can be read", information, {no, no, no}},
    {"attribute 17 can be read", information, {no, no, no}},
    {"attribute 18 can be read", information, {no, no, no}},

    // Kinds and topology.
    {"node kind, update", sharing, {refused, refused, refused}},
    {"node count, update", sharing, {refused, refused, refused}},
    {"edge count, update", information, {refused, refused, refused}},
    {"edge source, update", information, {refused, refused, refused}},
    {"edge type, update", information, {refused, refused, refused}},
    {"edge port, update", information, {refused, refused, refused}},
    {"dependency order, update", information, {applied, applied, applied}},
    {"dependency order, mixed, update", information, {refused, refused, refused}},
    {"dependency order with clusters, update", information, {kept, kept, applied}},
    {"order in which edges were added, update", sharing, {applied, applied, applied}},
    {"creation order, update", information, {applied, applied, applied}},
    {"creation order, mixed, update", information, {applied, applied, applied}},
    {"creation order of a chain, update", information, {applied, applied, applied}},

    // Copies, fills, events.
    {"memcpy between device and host memory, update", information, {refused, refused, refused}},
    {"memcpy between pinned and pageable memory, update", information, {applied, applied, applied}},
    {"memcpy between device and pool memory, update", information, {refused, refused, refused}},
    {"memcpy 2D kept, update", sharing, {applied, applied, applied}},
    {"memcpy 3D kept, update", sharing, {applied, applied, applied}},
    {"memcpy 2D addresses, update", sharing, {refused, refused, refused}},
    {"memcpy 3D addresses, update", sharing, {refused, refused, refused}},
    {"memcpy 2D shape, update", information, {refused, refused, refused}},
    {"memcpy 3D shape, update", information, {refused, refused, refused}},
    {"memcpy dimensions, update", information, {refused, refused, refused}},
    {"memset 1D element size, update", information, {applied, applied, applied}},
    {"memset 2D element size, update", information, {refused, refused, refused}},
    {"memset 2D width, update", information, {refused, refused, refused}},
    {"memset 2D height, update", information, {refused, refused, refused}},
    {"memset 2D pitch, update", information, {refused, refused, refused}},
    {"memset dimensions, update", information, {refused, refused, refused}},
    {"event record, update", information, {applied, applied, applied}},
    {"event wait, update", information, {applied, applied, applied}},

    // Nodes whose graphs do not share.
    {"memory nodes, a second executable", information, {no, no, no}},
    {"memory nodes, a clone", information, {no, no, no}},
    {"memory nodes, a child graph", information, {no, no, no}},
    {"memory nodes, update", information, {applied, applied, applied}},
    {"memory nodes, update from an instantiated graph", information, {not_supported, not_supported, not_supported}},
    {"conditional, update of the body", information, {applied, applied, applied}},
    {"conditional, update to another kind of node in the body", information, {refused, refused, refused}},

    // Reading graphs; user objects.
    {"dependencies are read in the order in which they were added", sharing, {yes, yes, yes}},
    {"dependencies are read in the order of the list given", sharing, {yes, yes, yes}},
    {"an accepted update retains the new graph's user objects", information, {yes, yes, yes}},
    {"an accepted update releases the old graph's user objects", information, {yes, yes, yes}},
};

// A field that may differ: applied, or refused, so that its graph gets an executable of its own. A fact of another sort is one
// that all known drivers agree on.
bool is_safe(const expectation& expected, outcome seen) {
    const bool refusal = seen == refused || seen == not_supported;
    return seen == expected.of[0] || seen == applied || (refusal && expected.of[0] != yes);
}

}  // namespace

std::string_view name_of(outcome o) noexcept {
    constexpr std::array names{"applied",
                               "kept as it was",
                               "accepted",
                               "refused",
                               "not supported",
                               "accepted, and the launch fails",
                               "cannot be made",
                               "yes",
                               "no"};
    return names[static_cast<std::size_t>(o)];
}

std::string_view name_of(profile p) noexcept {
    constexpr std::array names{"driver580-h200", "driver580-b200", "clean"};
    return names[static_cast<std::size_t>(p)];
}

std::optional<profile> find_profile(std::string_view name) noexcept {
    for (std::size_t i = 0; i < static_cast<std::size_t>(profile::count_); ++i) {
        if (name_of(static_cast<profile>(i)) == name) return static_cast<profile>(i);
    }
    return std::nullopt;
}

std::span<const expectation> expectations() noexcept { return table; }

const expectation& expectation_of(std::string_view fact) {
    const auto is_named = [&](const expectation& e) { return e.fact == fact; };
    const auto found = std::find_if(std::begin(table), std::end(table), is_named);
    if (found == std::end(table)) throw std::logic_error("no expectation is named \"" + std::string(fact) + "\"");
    return *found;
}

void check_fact(std::optional<profile> driver, std::string_view fact, outcome seen) {
    const expectation& expected = expectation_of(fact);
    if (driver) {
        const outcome wanted = expected.of[static_cast<std::size_t>(*driver)];
        expect(seen == wanted,
               std::string(fact) + ": " + std::string(name_of(seen)) + " instead of " + std::string(name_of(wanted)));
    } else if (expected.needed == sharing) {
        expect(is_safe(expected, seen), std::string(fact) + ": " + std::string(name_of(seen)));
    }
}

}  // namespace graphdedup::conformance
