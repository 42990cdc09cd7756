#include "signature/explain.hpp"

#include "signature/encode.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace graphdedup::signature {
namespace {

// One field as it was encoded, and where.
struct located_field {
    rule id;
    const char* count_of;  // what is counted; null for a field of a rule
    std::uint32_t place;   // index into `places`
    snapshot::range bytes;
};

// Keeps every field apart, with the node that it belongs to.
class field_sink {
  public:
    explicit field_sink(const snapshot::graph& root) { graphs_.push_back(&root); }

    struct place {
        std::vector<std::uint32_t> path;  // node indices, outermost first; empty: the graph itself
        const snapshot::graph* inner;     // the graph that the last index is of
    };

    void field(rule r, const void* data, std::size_t size_bytes) { add(r, nullptr, data, size_bytes); }
    void count(const char* what, std::uint32_t value) { add(rule::node_kind, what, &value, sizeof value); }
    void add(rule r, const char* count_of, const void* data, std::size_t size_bytes) {
        const auto* first = static_cast<const std::byte*>(data);
        fields_.push_back({r,
                           count_of,
                           static_cast<std::uint32_t>(places_.size() - 1),
                           {static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(size_bytes)}});
        bytes_.insert(bytes_.end(), first, first + size_bytes);
    }
    void begin_node(std::uint32_t index) {
        path_.push_back(index);
        places_.push_back({path_, graphs_.back()});
    }
    void end_node() { path_.pop_back(); }
    void enter_child(std::uint32_t child) { graphs_.push_back(&graphs_.back()->children[child]); }
    void leave_child() { graphs_.pop_back(); }

    [[nodiscard]] const std::vector<located_field>& fields() const { return fields_; }
    [[nodiscard]] const place& place_of(const located_field& f) const { return places_[f.place]; }
    [[nodiscard]] std::span<const std::byte> value_of(const located_field& f) const {
        return std::span(bytes_).subspan(f.bytes.begin, f.bytes.count);
    }

  private:
    std::vector<located_field> fields_;
    std::vector<place> places_ = {{{}, nullptr}};
    std::vector<std::byte> bytes_;
    std::vector<std::uint32_t> path_;
    std::vector<const snapshot::graph*> graphs_;
};

std::string text_of_path(const std::vector<std::uint32_t>& path) {
    if (path.empty()) return "graph";
    std::string text;
    for (const std::uint32_t index : path) text += (text.empty() ? "node " : ", child node ") + std::to_string(index);
    return text;
}

std::string kernel_name(const field_sink::place& at) {
    if (at.path.empty() || at.inner == nullptr || at.path.back() >= at.inner->nodes.size()) return {};
    const snapshot::node& n = at.inner->nodes[at.path.back()];
    if (n.kind != snapshot::node_kind::kernel) return {};
    return at.inner->functions[at.inner->kernels[n.detail].function].name;
}

std::string as_hex(std::span<const std::byte> value) {
    std::string text = "0x";
    for (const std::byte b : value) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(b));
        text += digits;
    }
    return text;
}

template <typename integer>
integer load(std::span<const std::byte> value) {
    integer loaded{};
    std::memcpy(&loaded, value.data(), std::min(sizeof loaded, value.size()));
    return loaded;
}

bool is_handle(rule r) { return r == rule::kernel_function || r == rule::host_function || r == rule::event; }

std::string text_of_value(rule r, std::span<const std::byte> value) {
    if (value.size() == 3 * sizeof(std::uint32_t)) {
        std::array<std::uint32_t, 3> xyz{};
        std::memcpy(xyz.data(), value.data(), value.size());
        return "(" + std::to_string(xyz[0]) + ", " + std::to_string(xyz[1]) + ", " + std::to_string(xyz[2]) + ")";
    }
    if (r == rule::node_kind && value.size() == 1) return snapshot::name_of(load<snapshot::node_kind>(value));
    if (value.size() > sizeof(std::uint64_t)) return as_hex(value);
    const bool is_fact = r == rule::kernel_static_cluster || r == rule::kernel_static_cluster_policy;
    if (is_fact && load<std::int64_t>(value) == unknown_fact) return "not known";
    if (!is_handle(r)) return std::to_string(load<std::uint64_t>(value));
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(load<std::uint64_t>(value)));
    return text;
}

std::string name_of(const located_field& f) {
    if (f.count_of != nullptr) return f.count_of;
    const rule_info& info = info_of(f.id);
    return std::string(info.subject) + ": " + info.field;
}

difference describe(const field_sink& a, const field_sink& b, std::size_t i) {
    const located_field& f = a.fields()[i];
    const located_field& g = b.fields()[i];
    const auto& at_first = a.place_of(f);
    const auto& at_second = b.place_of(g);
    return {text_of_path(at_first.path),
            name_of(f),
            text_of_value(f.id, a.value_of(f)),
            text_of_value(g.id, b.value_of(g)),
            kernel_name(at_first),
            kernel_name(at_second)};
}

std::optional<difference> first_difference(const snapshot::graph& x, const snapshot::graph& y, const rule_set& equal) {
    field_sink a(x);
    field_sink b(y);
    encoder(a, equal).graph(x);
    encoder(b, equal).graph(y);
    const std::size_t common = std::min(a.fields().size(), b.fields().size());
    for (std::size_t i = 0; i < common; ++i) {
        const bool same =
            a.fields()[i].id == b.fields()[i].id && std::ranges::equal(a.value_of(a.fields()[i]), b.value_of(b.fields()[i]));
        if (!same) return describe(a, b, i);
    }
    // A shorter sequence is never a beginning of a longer one: counts come first.
    return std::nullopt;
}

std::optional<vary> strictest_shared(const snapshot::graph& a, const snapshot::graph& b) {
    for (const vary level : {vary::arguments, vary::grid, vary::kernel}) {
        if (!first_difference(a, b, equal_at(level))) return level;
    }
    return std::nullopt;
}

}  // namespace

explanation explain(const snapshot::graph& a, const snapshot::graph& b, vary may_vary, const device_traits& traits) {
    explanation result;
    result.first_private = sign(a, may_vary, traits).private_reason;
    result.second_private = sign(b, may_vary, traits).private_reason;
    result.differs = first_difference(a, b, equal_at(may_vary));
    if (result.first_private.empty() && result.second_private.empty()) result.shared_at = strictest_shared(a, b);
    return result;
}

}  // namespace graphdedup::signature
