#include "snapshot/attribute_table.hpp"
#include "snapshot/recorded.hpp"
#include "snapshot/recorded_names.hpp"
#include "snapshot/value_bytes.hpp"

#include <graphdedup/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace graphdedup::snapshot {
namespace {

using json = nlohmann::ordered_json;  // a file is read by people, too: members stand in a sensible order

// A name from elsewhere may hold bytes that are no UTF-8; JSON cannot, and each becomes a replacement character.
std::string text_of(const json& document) { return document.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string hex(std::span<const std::byte> bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const std::byte b : bytes) {
        text += digits[std::to_integer<unsigned>(b) >> 4U];
        text += digits[std::to_integer<unsigned>(b) & 15U];
    }
    return text;
}

json write_dimensions(const dimensions& d) { return json::array({d.x, d.y, d.z}); }

json write_ratio(float ratio) {
    if (std::isfinite(ratio)) return ratio;
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", std::bit_cast<std::uint32_t>(ratio));
    return digits;
}

json write_window(std::span<const std::byte> bytes) {
    const access_window window = load_window(bytes);
    std::vector<std::byte> size_alone;
    append_window(size_alone, {.num_bytes = window.num_bytes});
    if (std::equal(bytes.begin(), bytes.end(), size_alone.begin(), size_alone.end())) return window.num_bytes;
    return {{"base_ptr", window.base_ptr},
            {"num_bytes", window.num_bytes},
            {"hit_ratio", write_ratio(window.hit_ratio)},
            {"hit_property", window.hit_property},
            {"miss_property", window.miss_property}};
}

json write_value(const attribute_info& info, std::span<const std::byte> bytes) {
    const auto word = [&](std::size_t index) { return load_integer<std::uint32_t>(bytes, 4 * index); };
    switch (info.shape) {
        case attribute_shape::integer: return static_cast<std::int32_t>(word(0));
        case attribute_shape::flag_byte: return load_integer<std::uint8_t>(bytes, 0);
        case attribute_shape::domain_map:
            return json::array({load_integer<std::uint8_t>(bytes, 0), load_integer<std::uint8_t>(bytes, 1)});
        case attribute_shape::dimensions: return json::array({word(0), word(1), word(2)});
        case attribute_shape::access_window: return write_window(bytes);
    }
    return nullptr;
}

json write_attributes(const graph& g, const kernel_params& kernel) {
    json written = json::object();
    for (const attribute& a : g.attributes_of(kernel)) {
        const attribute_info* info = find_attribute(a.id);
        const std::string name = info != nullptr ? info->name : std::string(unnamed_attribute_prefix) + std::to_string(a.id);
        json& value = written[name];
        if (!a.readable) continue;  // stays null
        value = info != nullptr ? write_value(*info, g.view(a.value)) : json(hex(g.view(a.value)));
    }
    return written;
}

json write_operand(const memcpy_operand& operand) {
    json written;
    for (const named_operand_field& f : operand_field_names) written[f.name] = operand.*f.field;
    return written;
}

json write_memcpy(const memcpy_params& copy) {
    return {{"type", name_of(node_kind::memcpy)},
            {"src_type", copy.source.memory_type},
            {"dst_type", copy.destination.memory_type},
            {"width_bytes", copy.width_bytes},
            {"height", copy.height},
            {"depth", copy.depth},
            {"src", write_operand(copy.source)},
            {"dst", write_operand(copy.destination)}};
}

json write_memset(const memset_params& set) {
    return {{"type", name_of(node_kind::memset)},
            {"element_bytes", set.element_bytes},
            {"width", set.width},
            {"height", set.height},
            {"value", set.value},
            {"destination", set.destination},
            {"pitch_bytes", set.pitch_bytes}};
}

json write_kernel(const graph& g, const kernel_params& kernel, const std::vector<std::size_t>& ids) {
    json written{{"type", name_of(node_kind::kernel)},
                 {"function", ids[kernel.function]},
                 {"grid", write_dimensions(kernel.grid)},
                 {"block", write_dimensions(kernel.block)},
                 {"shared_memory_bytes", kernel.shared_memory_bytes},
                 {"attributes", write_attributes(g, kernel)},
                 {"arguments", argument_source_names[static_cast<std::size_t>(kernel.source)]}};
    if (kernel.arguments.count != 0) written["argument_bytes"] = hex(g.view(kernel.arguments));
    return written;
}

// The place of each function of `g` among all functions of the set.
std::vector<std::size_t> collect(const graph& g, std::vector<function>& functions) {
    std::vector<std::size_t> ids;
    for (const function& wanted : g.functions) {
        const auto at = std::find_if(functions.begin(), functions.end(),
                                     [&](const function& known) { return known.identity == wanted.identity; });
        ids.push_back(static_cast<std::size_t>(at - functions.begin()));
        if (at == functions.end()) functions.push_back(wanted);
    }
    return ids;
}

json write(const graph& g, std::vector<function>& functions);

json write_node(const graph& g, const node& n, const std::vector<std::size_t>& ids, std::vector<function>& functions) {
    switch (n.kind) {
        case node_kind::kernel: return write_kernel(g, g.kernels[n.detail], ids);
        case node_kind::memcpy: return write_memcpy(g.memcpys[n.detail]);
        case node_kind::memset: return write_memset(g.memsets[n.detail]);
        case node_kind::host:
            return {
                {"type", name_of(n.kind)}, {"function", g.hosts[n.detail].function}, {"user_data", g.hosts[n.detail].user_data}};
        case node_kind::event_wait:
        case node_kind::event_record: return {{"type", name_of(n.kind)}, {"event", g.events[n.detail]}};
        case node_kind::child_graph: return {{"type", name_of(n.kind)}, {"child", write(g.children[n.detail], functions)}};
        default: break;
    }
    const auto value = static_cast<std::size_t>(n.kind);
    if (value < node_kind_names.size()) return {{"type", name_of(n.kind)}};
    return {{"type", std::string(unnamed_kind_prefix) + std::to_string(value)}};
}

json write(const graph& g, std::vector<function>& functions) {
    const std::vector<std::size_t> ids = collect(g, functions);
    json nodes = json::array();
    for (const node& n : g.nodes) nodes.push_back(write_node(g, n, ids, functions));
    json edges = json::array();
    for (const edge& e : g.edges) edges.push_back(json::array({e.from, e.to, e.from_port, e.to_port, e.type}));
    json written{{"nodes", std::move(nodes)}, {"edges", std::move(edges)}};
    if (!g.exact) written["exact"] = false;
    return written;
}

json write_function(const function& f, std::size_t id) {
    json params;  // null: not known
    for (const param_info& p : f.params) params.push_back(json::array({p.offset_bytes, p.size_bytes}));
    json facts = json::object();
    for (const named_fact& fact : function_fact_names) {
        const std::optional<std::int32_t>& value = f.facts.*fact.field;
        facts[fact.name] = value ? json(*value) : json(nullptr);
    }
    return {{"id", id},
            {"name", f.name.empty() ? json(nullptr) : json(f.name)},
            {"param_layout", std::move(params)},
            {"attributes", std::move(facts)}};
}

json parse_meta(std::string_view meta) {
    constexpr int max_nesting = 64;  // printing descends into it
    bool is_flat = true;
    const auto check_depth = [&](int depth, json::parse_event_t, const json&) {
        return is_flat = is_flat && depth <= max_nesting;
    };
    json parsed = json::parse(meta.begin(), meta.end(), check_depth, false);
    if (!is_flat || !parsed.is_object()) throw format_error("write function table", "meta", "not the JSON text of an object");
    return parsed;
}

}  // namespace

std::string recorder::write_graph(const graph& g) { return text_of(write(g, functions_)); }

std::string recorder::write_function_table(std::string_view meta) const {
    json written = json::object();
    if (!meta.empty()) written["meta"] = parse_meta(meta);
    json& functions = written["functions"] = json::array();
    for (std::size_t id = 0; id < functions_.size(); ++id) functions.push_back(write_function(functions_[id], id));
    return text_of(written);
}

}  // namespace graphdedup::snapshot
