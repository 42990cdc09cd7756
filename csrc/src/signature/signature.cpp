#include "signature/signature.hpp"

#include "signature/encode.hpp"
#include "signature/private_causes.hpp"

#define XXH_INLINE_ALL
#include <xxhash/xxhash.h>

#include <cstring>
#include <map>

namespace graphdedup::signature {
namespace {

// Appends every field to the canonical bytes, through a buffer of its own: a graph has some thirty fields a node, of a few bytes
// each. Node borders need no mark: see encode.hpp.
class byte_sink {
  public:
    explicit byte_sink(std::vector<std::byte>& bytes) : bytes_(bytes) {}

    void field(rule, const void* data, std::size_t size_bytes) {
        if (size_bytes > buffer_.size() - used_) flush();
        if (size_bytes > buffer_.size()) return append(static_cast<const std::byte*>(data), size_bytes);
        std::memcpy(buffer_.data() + used_, data, size_bytes);
        used_ += size_bytes;
    }
    void count(const char*, std::uint32_t value) { field(rule::node_kind, &value, sizeof value); }
    void begin_node(std::uint32_t) {}
    void end_node() {}
    void enter_child(std::uint32_t) {}
    void leave_child() {}

    // To be called once all fields are there.
    void flush() {
        append(buffer_.data(), used_);
        used_ = 0;
    }

  private:
    void append(const std::byte* first, std::size_t size_bytes) { bytes_.insert(bytes_.end(), first, first + size_bytes); }

    std::vector<std::byte>& bytes_;
    std::array<std::byte, 4096> buffer_;
    std::size_t used_ = 0;
};

digest digest_of(const std::vector<std::byte>& bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return {hash.high64, hash.low64};
}

}  // namespace

std::string private_reason(const snapshot::graph& g, const device_traits& traits) {
    const auto finding = find_private_cause(g, traits);
    return finding ? std::string(info_of(finding->cause).reason) + ": " + finding->where : std::string();
}

signature sign_with(const snapshot::graph& g, const rule_set& equal, const device_traits& traits, std::vector<std::byte> memory) {
    constexpr std::size_t typical_bytes_per_node = 192;
    signature result{.bytes = std::move(memory), .hash = {}, .private_reason = {}};
    result.bytes.clear();
    result.bytes.reserve(g.nodes.size() * typical_bytes_per_node);
    byte_sink sink(result.bytes);
    encoder(sink, equal).graph(g);
    sink.flush();
    result.hash = digest_of(result.bytes);
    result.private_reason = private_reason(g, traits);
    return result;
}

signature sign(const snapshot::graph& g, vary may_vary, const device_traits& traits, std::vector<std::byte> memory) {
    return sign_with(g, equal_at(may_vary), traits, std::move(memory));
}

std::vector<std::vector<std::size_t>> group(const std::vector<const snapshot::graph*>& graphs, vary may_vary,
                                            const device_traits& traits) {
    std::vector<std::vector<std::size_t>> groups;
    std::map<std::vector<std::byte>, std::size_t> known;  // compares whole bytes: a digest would do as little as it saves
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        signature s = sign(*graphs[i], may_vary, traits);
        if (!s.private_reason.empty()) {
            groups.push_back({i});
            continue;
        }
        const auto [at, is_new] = known.try_emplace(std::move(s.bytes), groups.size());
        if (is_new) groups.emplace_back();
        groups[at->second].push_back(i);
    }
    return groups;
}

}  // namespace graphdedup::signature
