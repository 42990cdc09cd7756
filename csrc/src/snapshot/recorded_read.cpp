#include "snapshot/attribute_table.hpp"
#include "snapshot/incoming_edges.hpp"
#include "snapshot/recorded.hpp"
#include "snapshot/recorded_names.hpp"
#include "snapshot/value_bytes.hpp"

#include <graphdedup/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace graphdedup::snapshot {
namespace {

using nlohmann::json;

struct source {
    const char* operation;
    std::string_view origin;

    [[noreturn]] void fail(const std::string& message) const { throw format_error(operation, std::string(origin), message); }
};

// A JSON value that knows where it stands, so that a message can say it. The path is put together only for a message. Values
// that a member function returns refer to the value they came from.
class value {
  public:
    value(const json& data, const source& from) : data_(data), from_(from) {}

    [[noreturn]] void fail(const std::string& message) const {
        const std::string where = path();
        from_.fail(where.empty() ? message : where + ": " + message);
    }
    [[noreturn]] void expected(const char* what) const { fail(std::string("expected ") + what + ", found " + data_.type_name()); }

    [[nodiscard]] bool is_null() const { return data_.is_null(); }
    [[nodiscard]] bool is_object() const { return data_.is_object(); }
    [[nodiscard]] bool is_string() const { return data_.is_string(); }
    [[nodiscard]] std::string text() const { return data_.dump(); }

    [[nodiscard]] std::optional<value> find(const char* key) const {
        if (!data_.is_object()) expected("an object");
        const auto at = data_.find(key);
        if (at == data_.end()) return std::nullopt;
        return value(*at, *this, key, 0);
    }
    [[nodiscard]] value member(const char* key) const {
        const std::optional<value> found = find(key);
        if (!found) fail(std::string("\"") + key + "\" is missing");
        return *found;
    }
    template <typename Visit>
    void each_member(Visit visit) const {
        if (!data_.is_object()) expected("an object");
        for (const auto& [key, item] : data_.items()) visit(std::string_view(key), value(item, *this, key.c_str(), 0));
    }

    [[nodiscard]] std::size_t size() const {
        if (!data_.is_array()) expected("an array");
        return data_.size();
    }
    [[nodiscard]] value at(std::size_t index) const { return {data_[index], *this, nullptr, index}; }
    void expect_size(std::size_t count) const {
        if (size() != count) fail("expected " + std::to_string(count) + " items, found " + std::to_string(size()));
    }

    // A whole number from `lowest` to `highest`.
    template <typename Integer>
    [[nodiscard]] Integer integer(std::int64_t lowest, std::uint64_t highest) const {
        if (!data_.is_number_integer()) expected("a whole number");
        const bool negative = !data_.is_number_unsigned() && data_.get<std::int64_t>() < 0;
        const bool fits = negative ? data_.get<std::int64_t>() >= lowest : data_.get<std::uint64_t>() <= highest;
        if (!fits) fail(data_.dump() + " is out of range");
        return negative ? static_cast<Integer>(data_.get<std::int64_t>()) : static_cast<Integer>(data_.get<std::uint64_t>());
    }
    template <std::unsigned_integral Integer>
    [[nodiscard]] Integer unsigned_integer() const {
        return integer<Integer>(0, std::numeric_limits<Integer>::max());
    }
    // Signed or unsigned: the bits count.
    [[nodiscard]] std::uint32_t word() const {
        return integer<std::uint32_t>(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::uint32_t>::max());
    }
    [[nodiscard]] float real() const {
        if (!data_.is_number()) expected("a number");
        const double number = data_.get<double>();
        if (std::abs(number) > static_cast<double>(std::numeric_limits<float>::max())) fail("is out of range");
        return static_cast<float>(number);
    }
    [[nodiscard]] bool boolean() const {
        if (!data_.is_boolean()) expected("true or false");
        return data_.get<bool>();
    }
    [[nodiscard]] const std::string& string() const {
        if (!data_.is_string()) expected("a string");
        return data_.get_ref<const std::string&>();
    }

  private:
    value(const json& data, const value& parent, const char* key, std::size_t index)
        : data_(data),
          from_(parent.from_),
          parent_(&parent),
          key_(key),
          index_(index) {}

    [[nodiscard]] std::string path() const {
        if (parent_ == nullptr) return {};
        const std::string before = parent_->path();
        if (key_ == nullptr) return before + "[" + std::to_string(index_) + "]";
        return before.empty() ? key_ : before + "." + key_;
    }

    const json& data_;
    const source& from_;
    const value* parent_ = nullptr;
    const char* key_ = nullptr;  // of an object's member; an array's item has an index
    std::size_t index_ = 0;
};

// An index into any list of a graph fits 32 bits as long as the text is no longer than this.
constexpr std::size_t max_text_bytes = std::size_t{1} << 30;
// Child graphs nest three brackets each; the rest is room for what may be added to the format.
constexpr std::size_t max_nesting = 256;

// Calls `visit(character, depth, position)` for what is outside of strings, `string(position, depth)` for the start of each
// string; a bracket counts towards its own depth. Stops when a visitor returns false.
template <typename Visit, typename String>
void scan(std::string_view text, Visit visit, String string) {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') {
            if (!string(i, depth)) return;
            for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
            continue;
        }
        if (c == '{' || c == '[') ++depth;
        if (!visit(c, depth, i)) return;
        if ((c == '}' || c == ']') && depth > 0) --depth;
    }
}

json parse(std::string_view text, const source& from) {
    if (text.size() > max_text_bytes) from.fail("the text is longer than 1 GiB");
    const auto check_depth = [&](char, std::size_t depth, std::size_t at) {
        if (depth > max_nesting) from.fail("byte " + std::to_string(at) + ": nested too deeply");
        return true;
    };
    scan(text, check_depth, [](std::size_t, std::size_t) { return true; });
    try {
        return json::parse(text.begin(), text.end());
    } catch (const json::parse_error& e) {
        from.fail("byte " + std::to_string(e.byte) + ": not valid JSON");
    } catch (const json::exception& e) {  // a number that no type holds
        from.fail(std::string("not valid JSON: ") + e.what());
    }
}

dimensions read_dimensions(const value& from) {
    from.expect_size(3);
    const auto item = [&](std::size_t i) { return from.at(i).unsigned_integer<std::uint32_t>(); };
    return {item(0), item(1), item(2)};
}

range read_hex(const value& from, graph& result) {
    const std::string& digits = from.string();
    const range added{static_cast<std::uint32_t>(result.bytes.size()), static_cast<std::uint32_t>(digits.size() / 2)};
    if (digits.size() % 2 != 0) from.fail("expected two hexadecimal digits a byte");
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        std::uint8_t byte = 0;
        const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
        if (error != std::errc{} || end != digits.data() + i + 2) from.fail("expected hexadecimal digits");
        result.bytes.push_back(static_cast<std::byte>(byte));
    }
    return added;
}

// The number at the end of "type_27" or "attribute_27", written without a sign or leading zeros.
std::optional<std::uint16_t> number_after(std::string_view prefix, std::string_view name) {
    if (!name.starts_with(prefix)) return std::nullopt;
    const std::string_view digits = name.substr(prefix.size());
    std::uint16_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool padded = digits.size() > 1 && digits.front() == '0';
    if (error != std::errc{} || end != digits.data() + digits.size() || padded) return std::nullopt;
    return number;
}

// ---- launch attributes

// A number, or its bits as eight hexadecimal digits: JSON has no infinity and no NaN.
float read_ratio(const value& from) {
    if (!from.is_string()) return from.real();
    const std::string& digits = from.string();
    std::uint32_t bits = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    const bool is_complete = error == std::errc{} && end == digits.data() + digits.size() && digits.size() == 8;
    if (!is_complete) from.fail("expected a number or eight hexadecimal digits");
    return std::bit_cast<float>(bits);
}

void read_window(const value& from, graph& result) {
    access_window window;
    if (from.is_object()) {
        window.base_ptr = from.member("base_ptr").unsigned_integer<std::uint64_t>();
        window.num_bytes = from.member("num_bytes").unsigned_integer<std::uint64_t>();
        window.hit_ratio = read_ratio(from.member("hit_ratio"));
        window.hit_property = from.member("hit_property").word();
        window.miss_property = from.member("miss_property").word();
    } else {
        window.num_bytes = from.unsigned_integer<std::uint64_t>();
    }
    append_window(result.bytes, window);
}

void read_named_value(const attribute_info& info, const value& from, graph& result) {
    switch (info.shape) {
        case attribute_shape::integer: return append_integer(result.bytes, from.word());
        case attribute_shape::flag_byte: return append_integer(result.bytes, from.unsigned_integer<std::uint8_t>());
        case attribute_shape::access_window: return read_window(from, result);
        case attribute_shape::domain_map:
            from.expect_size(2);
            for (std::size_t i = 0; i < 2; ++i) append_integer(result.bytes, from.at(i).unsigned_integer<std::uint8_t>());
            return;
        case attribute_shape::dimensions: {
            const dimensions d = read_dimensions(from);
            for (const std::uint32_t side : {d.x, d.y, d.z}) append_integer(result.bytes, side);
            return;
        }
    }
}

// A recording that was made before an attribute had its name keeps all 64 bytes; of these, those with a meaning are taken.
void read_raw_value(const attribute_info* info, const value& from, graph& result) {
    const range raw = read_hex(from, result);
    if (raw.count != raw_attribute_size_bytes) from.fail("expected the hexadecimal digits of 64 bytes");
    if (info != nullptr) result.bytes.resize(raw.begin + info->size_bytes);
}

const attribute_info* find_attribute_by_name(std::string_view name) {
    const auto at = std::find_if(attribute_table.begin(), attribute_table.end(),
                                 [&](const attribute_info& info) { return info.name == name; });
    return at != attribute_table.end() ? &*at : nullptr;
}

void read_attribute(std::string_view name, const value& from, graph& result) {
    const attribute_info* info = find_attribute_by_name(name);
    const bool is_named = info != nullptr;
    const std::optional<std::uint16_t> id = is_named ? info->id : number_after(unnamed_attribute_prefix, name);
    // To leave it out would make kernels look more alike than they are.
    if (!id) from.fail("not an attribute that this release knows");
    if (!is_named) info = find_attribute(*id);
    attribute& added = result.attributes.emplace_back(attribute{*id, !from.is_null(), {}});
    if (!added.readable) return;
    added.value.begin = static_cast<std::uint32_t>(result.bytes.size());
    if (is_named) {
        read_named_value(*info, from, result);
    } else {
        read_raw_value(info, from, result);
    }
    added.value.count = static_cast<std::uint32_t>(result.bytes.size()) - added.value.begin;
}

range read_attributes(const value& from, graph& result) {
    range added{static_cast<std::uint32_t>(result.attributes.size()), 0};
    from.each_member([&](std::string_view name, const value& item) { read_attribute(name, item, result); });
    added.count = static_cast<std::uint32_t>(result.attributes.size()) - added.begin;
    const auto first = result.attributes.begin() + added.begin;
    std::sort(first, result.attributes.end(), [](const attribute& a, const attribute& b) { return a.id < b.id; });
    const auto twice =
        std::adjacent_find(first, result.attributes.end(), [](const attribute& a, const attribute& b) { return a.id == b.id; });
    if (twice != result.attributes.end()) from.fail("attribute " + std::to_string(twice->id) + " is given twice");
    return added;
}

// ---- functions

// Far above what a driver takes, and far below what a reader of the buffer could not allocate.
constexpr std::uint32_t max_params_bytes = 1U << 20;

std::uint32_t end_of(const std::vector<param_info>& params) {
    return params.empty() ? 0 : params.back().offset_bytes + params.back().size_bytes;
}

std::vector<param_info> read_params(const value& from) {
    std::vector<param_info> params;
    if (from.is_null()) return params;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const value item = from.at(i);
        item.expect_size(2);
        const param_info param{item.at(0).integer<std::uint32_t>(0, max_params_bytes),
                               item.at(1).integer<std::uint32_t>(0, max_params_bytes)};
        if (param.offset_bytes < end_of(params)) item.fail("overlaps the parameter before");
        params.push_back(param);
    }
    return params;
}

function read_function(const value& from) {
    function read;
    read.identity = from.member("id").unsigned_integer<std::uint64_t>();
    const value name = from.member("name");
    if (!name.is_null()) read.name = name.string();
    read.params = read_params(from.member("param_layout"));
    const value facts = from.member("attributes");
    for (const named_fact& fact : function_fact_names) {
        const std::optional<value> item = facts.find(fact.name);
        if (!item || item->is_null()) continue;
        read.facts.*fact.field = item->integer<std::int32_t>(std::numeric_limits<std::int32_t>::min(),
                                                             std::uint64_t{std::numeric_limits<std::int32_t>::max()});
    }
    return read;
}

// ---- nodes

node_kind read_kind(const value& from) {
    const std::string& name = from.string();
    const auto at = std::find(node_kind_names.begin(), node_kind_names.end(), name);
    if (at != node_kind_names.end()) return static_cast<node_kind>(at - node_kind_names.begin());
    const std::optional<std::uint16_t> number = number_after(unnamed_kind_prefix, name);
    const bool is_unnamed = number && *number >= node_kind_names.size() && *number <= std::numeric_limits<std::uint8_t>::max();
    if (!is_unnamed) from.fail("not a node type");
    return static_cast<node_kind>(*number);
}

argument_source read_argument_source(const value& from) {
    const auto at = std::find(argument_source_names.begin(), argument_source_names.end(), from.string());
    if (at == argument_source_names.end()) from.fail("expected \"kernel_params\", \"extra\" or \"none\"");
    return static_cast<argument_source>(at - argument_source_names.begin());
}

// What recordings made before an extension of the format lack is 0.
template <std::unsigned_integral Integer>
Integer read_optional(const value& from, const char* key) {
    const std::optional<value> found = from.find(key);
    return found && !found->is_null() ? found->unsigned_integer<Integer>() : Integer{0};
}

memcpy_operand read_operand(const value& copy, const char* key, const char* type_key) {
    memcpy_operand operand;
    operand.memory_type = copy.member(type_key).unsigned_integer<std::uint32_t>();
    const std::optional<value> rest = copy.find(key);
    if (!rest || rest->is_null()) return operand;
    for (const named_operand_field& f : operand_field_names) operand.*f.field = read_optional<std::uint64_t>(*rest, f.name);
    return operand;
}

memcpy_params read_memcpy(const value& from) {
    return {read_operand(from, "src", "src_type"), read_operand(from, "dst", "dst_type"),
            from.member("width_bytes").unsigned_integer<std::uint64_t>(), from.member("height").unsigned_integer<std::uint64_t>(),
            from.member("depth").unsigned_integer<std::uint64_t>()};
}

memset_params read_memset(const value& from) {
    return {
        read_optional<std::uint64_t>(from, "destination"),      read_optional<std::uint64_t>(from, "pitch_bytes"),
        from.member("value").unsigned_integer<std::uint32_t>(), from.member("element_bytes").unsigned_integer<std::uint32_t>(),
        from.member("width").unsigned_integer<std::uint64_t>(), from.member("height").unsigned_integer<std::uint64_t>()};
}

// ---- graphs

using functions_by_id = std::unordered_map<std::uint64_t, const function*>;

// One graph; a child graph has a reader of its own.
class graph_reader {
  public:
    graph_reader(const functions_by_id& known, int depth) : known_(known), depth_(depth) {}

    graph read(const value& from) {
        const std::optional<value> exact = from.find("exact");
        if (exact) result_.exact = exact->boolean();
        const value nodes = from.member("nodes");
        result_.nodes.reserve(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) read_node(nodes.at(i));
        read_edges(from.member("edges"));
        return std::move(result_);
    }

  private:
    void read_node(const value& from) {
        const node_kind kind = read_kind(from.member("type"));
        std::uint32_t detail = 0;
        const auto add = [&](auto& list, auto item) {
            detail = static_cast<std::uint32_t>(list.size());
            list.push_back(std::move(item));
        };
        switch (kind) {
            case node_kind::kernel: add(result_.kernels, read_kernel(from)); break;
            case node_kind::memcpy: add(result_.memcpys, read_memcpy(from)); break;
            case node_kind::memset: add(result_.memsets, read_memset(from)); break;
            case node_kind::host:
                add(result_.hosts,
                    host_params{read_optional<std::uint64_t>(from, "function"), read_optional<std::uint64_t>(from, "user_data")});
                break;
            case node_kind::event_wait:
            case node_kind::event_record: add(result_.events, read_optional<std::uint64_t>(from, "event")); break;
            case node_kind::child_graph: add(result_.children, read_child(from)); break;
            default: break;  // the kind is all that is known of such a node
        }
        result_.nodes.push_back({kind, detail, {}});
    }

    kernel_params read_kernel(const value& from) {
        kernel_params kernel;
        kernel.function = find_function(from.member("function"));
        kernel.grid = read_dimensions(from.member("grid"));
        kernel.block = read_dimensions(from.member("block"));
        kernel.shared_memory_bytes = from.member("shared_memory_bytes").unsigned_integer<std::uint32_t>();
        kernel.attributes = read_attributes(from.member("attributes"), result_);
        kernel.source = read_argument_source(from.member("arguments"));
        const std::optional<value> bytes = from.find("argument_bytes");
        if (bytes && !bytes->is_null()) kernel.arguments = read_arguments(*bytes, kernel);
        return kernel;
    }

    range read_arguments(const value& from, const kernel_params& kernel) {
        const range added = read_hex(from, result_);
        if (added.count == 0) return {};
        if (kernel.source == argument_source::none) from.fail("the kernel's \"arguments\" are \"none\"");
        const std::uint32_t least = end_of(result_.functions[kernel.function].params);
        if (added.count < least) from.fail("the function's parameters take " + std::to_string(least) + " bytes");
        return added;
    }

    std::uint32_t find_function(const value& from) {
        const auto id = from.unsigned_integer<std::uint64_t>();
        const auto [at, is_new] = used_.try_emplace(id, static_cast<std::uint32_t>(result_.functions.size()));
        if (!is_new) return at->second;
        const auto known = known_.find(id);
        if (known == known_.end()) from.fail("the function table has no function " + std::to_string(id));
        result_.functions.push_back(*known->second);
        return at->second;
    }

    graph read_child(const value& from) {
        const value child = from.member("child");
        if (depth_ == max_child_depth) child.fail("child graphs are nested too deeply");
        return graph_reader(known_, depth_ + 1).read(child);
    }

    edge read_edge(const value& from) const {
        from.expect_size(5);
        const auto end = [&](std::size_t i) {
            const value item = from.at(i);
            const auto index = item.unsigned_integer<std::uint32_t>();
            if (index >= result_.nodes.size()) item.fail("the graph has no node " + std::to_string(index));
            return index;
        };
        const auto byte = [&](std::size_t i) { return from.at(i).unsigned_integer<std::uint8_t>(); };
        return {end(0), end(1), byte(2), byte(3), byte(4)};
    }

    void read_edges(const value& from) {
        std::vector<edge> edges;
        edges.reserve(from.size());
        for (std::size_t i = 0; i < from.size(); ++i) edges.push_back(read_edge(from.at(i)));
        set_edges(result_, edges);
        if (has_cycle(result_)) from.fail("the edges form a cycle");
    }

    const functions_by_id& known_;
    int depth_;
    graph result_;
    std::unordered_map<std::uint64_t, std::uint32_t> used_;
};

}  // namespace

function_table read_function_table(std::string_view text, std::string_view origin) {
    const source from{"read function table", origin};
    const json document = parse(text, from);
    const value root(document, from);
    function_table table;
    if (const std::optional<value> meta = root.find("meta"); meta && !meta->is_null()) {
        if (!meta->is_object()) meta->expected("an object");
        table.meta = meta->text();
    }
    const value functions = root.member("functions");
    std::unordered_map<std::uint64_t, std::size_t> seen;
    for (std::size_t i = 0; i < functions.size(); ++i) {
        const value item = functions.at(i);
        table.functions.push_back(read_function(item));
        const auto [first, is_new] = seen.try_emplace(table.functions.back().identity, i);
        if (!is_new) item.fail("has the id of functions[" + std::to_string(first->second) + "]");
    }
    return table;
}

graph read_graph(std::string_view text, const function_table& functions, std::string_view origin) {
    const source from{"read recorded graph", origin};
    const json document = parse(text, from);
    functions_by_id known;
    for (const function& f : functions.functions) known.emplace(f.identity, &f);
    return graph_reader(known, 0).read(value(document, from));
}

bool is_function_table(std::string_view text) noexcept {
    bool found = false;
    const auto anything = [](char, std::size_t, std::size_t) { return true; };
    const auto is_key = [&](std::size_t at, std::size_t depth) {
        if (depth != 1) return true;
        const std::string_view rest = text.substr(at);
        found = rest.starts_with("\"functions\"");
        return !found && !rest.starts_with("\"nodes\"");
    };
    scan(text, anything, is_key);
    return found;
}

}  // namespace graphdedup::snapshot
