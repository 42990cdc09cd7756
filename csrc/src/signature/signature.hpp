// The signature of a graph: what all graphs that share an executable have in common.
//
// A signature is a string of canonical bytes and their 128-bit digest. Two graphs may share if and only if their bytes are
// equal; the digest only finds the candidates. No driver call here.
#pragma once

#include "signature/rules.hpp"
#include "snapshot/snapshot.hpp"

#include <graphdedup/registry.hpp>

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace graphdedup::signature {

// XXH3-128 of the canonical bytes, high word first.
struct digest {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend auto operator<=>(const digest&, const digest&) = default;
};

struct signature {
    std::vector<std::byte> bytes;
    digest hash;
    // Why the graph must not share with any other; empty if it may.
    std::string private_reason;
};

// What the device adds to the rules.
struct device_traits {
    // The device gives preferred cluster shapes an effect (seen on Blackwell): a graph with a clustered kernel whose preferred
    // shape cannot be read is then private.
    bool honours_preferred_cluster = false;
};

// Why the graph must not share with any other; empty if it may.
[[nodiscard]] std::string private_reason(const snapshot::graph& g, const device_traits& traits);

// `memory`: bytes that are no longer needed; only their capacity is used.
[[nodiscard]] signature sign(const snapshot::graph& g, vary may_vary, const device_traits& traits = {},
                             std::vector<std::byte> memory = {});

// The same with the given set of rules in force, whichever level they come from: for tests of single rules.
[[nodiscard]] signature sign_with(const snapshot::graph& g, const rule_set& equal, const device_traits& traits = {},
                                  std::vector<std::byte> memory = {});

// Groups graphs by signature, in order of first appearance: each inner list holds indices into `graphs`. Private graphs stand
// alone.
[[nodiscard]] std::vector<std::vector<std::size_t>> group(const std::vector<const snapshot::graph*>& graphs, vary may_vary,
                                                          const device_traits& traits = {});

}  // namespace graphdedup::signature
