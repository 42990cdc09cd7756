#include "snapshot/dot.hpp"

#include "snapshot/dot_label.hpp"
#include "snapshot/dot_lexer.hpp"
#include "snapshot/incoming_edges.hpp"
#include "snapshot/recorded_names.hpp"
#include "snapshot/value_bytes.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace graphdedup::snapshot {
namespace {

// One box of the dump. Child graphs and bodies of conditional nodes have boxes of their own, after the one that names them.
struct cluster {
    struct child_reference {
        std::uint32_t child;  // index into graph::children
        std::string name;
        std::size_t at;
    };
    struct placed_edge {
        edge ends;
        std::uint32_t place;  // among the incoming edges of the node
    };

    std::string name;  // "graph_5"
    std::size_t at = 0;
    graph content;
    std::vector<placed_edge> edges;
    std::vector<child_reference> child_references;
    bool is_used = false;
};

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
    const bool is_hexadecimal = text.starts_with("0x");
    if (is_hexadecimal) text.remove_prefix(2);
    const char* const text_end = text.data() + text.size();
    Number number{};
    std::from_chars_result result{};
    if constexpr (std::is_floating_point_v<Number>) {
        result =
            std::from_chars(text.data(), text_end, number, is_hexadecimal ? std::chars_format::hex : std::chars_format::general);
    } else {
        result = std::from_chars(text.data(), text_end, number, is_hexadecimal ? 16 : 10);
    }
    const bool is_whole = result.ec == std::errc{} && result.ptr == text_end;
    return is_whole ? std::optional(number) : std::nullopt;
}

// "graph_5": how a label names another box.
bool is_cluster_name(std::string_view text) {
    constexpr std::string_view prefix = "graph_";
    return text.starts_with(prefix) && parse_number<std::uint64_t>(text.substr(prefix.size())).has_value();
}

// The value of CUmemorytype for "DEVICE", "HOST PAGEABLE" and the like; 0 if the word says nothing.
std::uint32_t parse_memory_type(std::string_view text) {
    static constexpr std::string_view words[] = {"HOST", "DEVICE", "ARRAY", "UNIFIED"};
    for (std::uint32_t i = 0; i < std::size(words); ++i) {
        if (text.starts_with(words[i])) return i + 1;
    }
    return 0;
}

// Reads the label of one node into a cluster.
class node_reader {
  public:
    node_reader(const dot_text& source, std::size_t at, std::string_view label, cluster& into)
        : source_(source),
          at_(at),
          label_(label),
          into_(into),
          g_(into.content) {}

    void run() {
        const std::string_view word = kind_word();
        if (word == "KERNEL") return add(node_kind::kernel, g_.kernels, read_kernel());
        if (word == "MEMCPY") return add(node_kind::memcpy, g_.memcpys, read_memcpy());
        if (word == "MEMSET") return add(node_kind::memset, g_.memsets, read_memset());
        if (word == "HOST") return add(node_kind::host, g_.hosts, host_params{line_value("fn: "), line_value("userData: ")});
        if (word == "EVENT_RECORD") return add(node_kind::event_record, g_.events, line_value("event: "));
        if (word == "EVENT_WAIT") return add(node_kind::event_wait, g_.events, line_value("event: "));
        // Without the verbose flag a kernel's label is its name, which can be any word.
        if (label_.find("node handle") == std::string_view::npos)
            fail("nothing but a name: was the dump made with the verbose flag?");
        if (is_cluster_name(word)) {
            into_.child_references.push_back({static_cast<std::uint32_t>(g_.children.size()), std::string(word), at_});
            return add(node_kind::child_graph, g_.children, graph{});
        }
        g_.nodes.push_back({plain_kind(word), 0, {}});
    }

  private:
    [[noreturn]] void fail(const std::string& message) const {
        source_.fail(at_, "node " + std::to_string(g_.nodes.size()) + " of " + into_.name + ": " + message);
    }

    template <typename Item>
    void add(node_kind kind, std::vector<Item>& list, Item item) {
        g_.nodes.push_back({kind, static_cast<std::uint32_t>(list.size()), {}});
        list.push_back(std::move(item));
    }

    // A record starts with the kind, any other label with a line for the id.
    [[nodiscard]] std::string_view kind_word() const {
        std::string_view rest = label_;
        rest.remove_prefix(std::min(rest.size(), rest.starts_with('{') ? std::size_t{1} : rest.find('\n')));
        while (!rest.empty() && is_dot_space(rest.front())) rest.remove_prefix(1);
        return rest.substr(0, std::min(rest.size(), rest.find_first_of(" |}\r\n")));
    }

    // Kinds of which a dump says nothing that is of use here. A word that is none of these is a kind newer than this library,
    // and must stay one: nothing is known of such a node.
    [[nodiscard]] static node_kind plain_kind(std::string_view word) {
        static constexpr std::pair<std::string_view, node_kind> words[] = {
            {"EMPTY", node_kind::empty},
            {"EXT_SEMAS_SIGNAL", node_kind::external_semaphore_signal},
            {"EXT_SEMAS_WAIT", node_kind::external_semaphore_wait},
            {"MEM_ALLOC", node_kind::memory_alloc},
            {"MEM_FREE", node_kind::memory_free},
            {"BATCH_MEM_OP", node_kind::batch_memory_operation},
            {"CONDITIONAL", node_kind::conditional},
        };
        for (const auto& [name, kind] : words) {
            if (word == name) return kind;
        }
        return static_cast<node_kind>(std::numeric_limits<std::uint8_t>::max());
    }

    [[nodiscard]] label_field read_record() const {
        std::optional<label_field> record = label_parser(label_).run();
        if (!record) fail("the braces of its label do not match");
        return std::move(*record);
    }

    template <typename Integer>
    [[nodiscard]] Integer number(std::string_view text, const char* what) const {
        const std::optional<Integer> parsed = parse_number<Integer>(text);
        if (!parsed) fail(std::string("expected a number for ") + what + ", found \"" + std::string(text.substr(0, 40)) + "\"");
        return *parsed;
    }

    template <typename Integer>
    [[nodiscard]] Integer column(const label_table& table, const char* name, std::size_t skip = 0) const {
        const std::string* text = table.find(name, skip);
        if (text == nullptr) fail(std::string("its label lacks ") + name);
        return number<Integer>(*text, name);
    }

    [[nodiscard]] label_table require_table(const label_field& record, const char* name) const {
        const std::optional<label_table> table = find_table(record, name);
        if (!table) fail(std::string("its label lacks ") + name + ": was the dump made with the verbose flag?");
        return *table;
    }

    // The handle on the line that starts with `title`; 0 if no line does.
    [[nodiscard]] std::uint64_t line_value(std::string_view title) const {
        const std::size_t at = label_.find(title);
        if (at == std::string_view::npos) return 0;
        const std::string_view rest = label_.substr(at + title.size());
        return number<std::uint64_t>(rest.substr(0, rest.find_first_of("\r\n")), "a handle");
    }

    kernel_params read_kernel();
    std::string_view read_launch(std::string_view text, kernel_params& kernel) const;
    dimensions take_dimensions(std::string_view& text) const;
    std::uint32_t find_function(std::uint64_t handle, std::string_view name);
    void add_attribute(std::uint16_t id, std::size_t begin, kernel_params& kernel);
    void read_attributes(const label_field& record, kernel_params& kernel);
    memcpy_params read_memcpy() const;
    void read_driver_operands(const label_table& table, memcpy_params& copy) const;
    void read_runtime_operands(const label_field& record, memcpy_params& copy) const;
    std::uint64_t pair_value(const label_field& record, const char* row, const char* name) const;
    memset_params read_memset() const;

    const dot_text& source_;
    std::size_t at_;
    std::string_view label_;
    cluster& into_;
    graph& g_;
};

kernel_params node_reader::read_kernel() {
    const label_field record = read_record();
    const label_field* title = record.find_row("ID");
    if (title == nullptr || title->parts.size() < 3) fail("its label lacks ID, name and launch configuration");
    kernel_params kernel;
    const std::string_view name = read_launch(title->parts[2].text, kernel);
    const auto handle = column<std::uint64_t>(require_table(record, "func handle"), "func handle");
    kernel.function = find_function(handle, name);
    read_attributes(record, kernel);
    return kernel;
}

// "name<<<grid,block,shared memory>>>"; gives the name back. An argument of a template may look like the start of it.
std::string_view node_reader::read_launch(std::string_view text, kernel_params& kernel) const {
    constexpr std::string_view opening = "<<<";
    constexpr std::string_view closing = ">>>";
    const std::size_t at = text.rfind(opening);
    if (at == std::string_view::npos || !text.ends_with(closing)) fail("its label lacks the launch configuration");
    std::string_view rest = text.substr(at + opening.size());
    rest.remove_suffix(std::min(rest.size(), closing.size()));
    kernel.grid = take_dimensions(rest);
    kernel.block = take_dimensions(rest);
    kernel.shared_memory_bytes = number<std::uint32_t>(rest, "the shared memory");
    return text.substr(0, at);
}

// "5," or "{5,6}," or "{5,6,7},": what is left out is 1.
dimensions node_reader::take_dimensions(std::string_view& text) const {
    const bool is_list = text.starts_with('{');
    const std::size_t end = text.find(is_list ? "}," : ",");
    if (end == std::string_view::npos) fail("its launch configuration is not complete");
    std::string_view rest = text.substr(is_list ? 1 : 0, is_list ? end - 1 : end);
    text.remove_prefix(end + (is_list ? 2 : 1));
    std::uint32_t sides[3] = {1, 1, 1};
    for (std::size_t i = 0;; ++i) {
        if (i == std::size(sides)) fail("its launch configuration has more than three dimensions");
        const std::size_t comma = rest.find(',');
        sides[i] = number<std::uint32_t>(rest.substr(0, comma), "a dimension");
        if (comma == std::string_view::npos) return {sides[0], sides[1], sides[2]};
        rest.remove_prefix(comma + 1);
    }
}

std::uint32_t node_reader::find_function(std::uint64_t handle, std::string_view name) {
    const auto at =
        std::find_if(g_.functions.begin(), g_.functions.end(), [&](const function& f) { return f.identity == handle; });
    const auto index = static_cast<std::uint32_t>(at - g_.functions.begin());
    if (at == g_.functions.end()) g_.functions.push_back({handle, std::string(name), {}, {}});
    return index;
}

// The value is what was appended to the bytes since they had the size `begin`.
void node_reader::add_attribute(std::uint16_t id, std::size_t begin, kernel_params& kernel) {
    const auto first = static_cast<std::uint32_t>(begin);
    g_.attributes.push_back({id, true, {first, static_cast<std::uint32_t>(g_.bytes.size()) - first}});
    ++kernel.attributes.count;
}

void node_reader::read_attributes(const label_field& record, kernel_params& kernel) {
    kernel.attributes.begin = static_cast<std::uint32_t>(g_.attributes.size());
    if (const std::optional<label_table> table = find_table(record, "base_ptr")) {
        const std::size_t begin = g_.bytes.size();
        const auto property = [&](const char* name) -> std::uint32_t {  // CUaccessProperty by its initial
            const std::string* letter = table->find(name);
            return letter == nullptr ? 0 : *letter == "S" ? 1 : *letter == "P" ? 2 : 0;
        };
        append_window(g_.bytes, {column<std::uint64_t>(*table, "base_ptr"), column<std::uint64_t>(*table, "num_bytes"),
                                 column<float>(*table, "hitRatio"), property("hitProp"), property("missProp")});
        add_attribute(1, begin, kernel);
    }
    static constexpr std::pair<const char*, std::uint16_t> rows[] = {{"cooperative", 2}, {"priority", 8}};
    for (const auto& [name, id] : rows) {
        const label_field* row = record.find_row(name);
        if (row == nullptr || row->parts.size() != 2) continue;
        const std::size_t begin = g_.bytes.size();
        append_integer(g_.bytes, static_cast<std::uint32_t>(number<std::int32_t>(row->parts[1].text, name)));
        add_attribute(id, begin, kernel);
    }
}

// A dump made through the runtime shows a copy in the structures of the runtime.
memcpy_params node_reader::read_memcpy() const {
    const label_field record = read_record();
    memcpy_params copy;
    if (const std::optional<label_table> operands = find_table(record, "MemoryType")) {
        read_driver_operands(*operands, copy);
        const label_table extent = require_table(record, "WidthInBytes");
        copy.width_bytes = column<std::uint64_t>(extent, "WidthInBytes");
        copy.height = column<std::uint64_t>(extent, "Height");
        copy.depth = column<std::uint64_t>(extent, "Depth");
        return copy;
    }
    read_runtime_operands(record, copy);
    copy.width_bytes = pair_value(record, "Extent", "Width");
    copy.height = pair_value(record, "Extent", "Height");
    copy.depth = pair_value(record, "Extent", "Depth");
    return copy;
}

void node_reader::read_driver_operands(const label_table& table, memcpy_params& copy) const {
    std::size_t nth = 0;
    for (memcpy_operand* operand : {&copy.source, &copy.destination}) {
        const std::string* type = table.find("MemoryType", nth);
        if (type == nullptr) fail("its label lacks the memory type of the destination");
        operand->memory_type = parse_memory_type(*type);
        const char* where = operand->memory_type == 1 ? "Host" : operand->memory_type == 3 ? "Array" : "Device";
        operand->address = column<std::uint64_t>(table, where, nth);
        operand->pitch_bytes = column<std::uint64_t>(table, "Pitch", nth);
        operand->height = column<std::uint64_t>(table, "Height", nth);
        operand->x_bytes = column<std::uint64_t>(table, "XInBytes", nth);
        operand->y = column<std::uint64_t>(table, "Y", nth);
        operand->z = column<std::uint64_t>(table, "Z", nth);
        operand->lod = column<std::uint64_t>(table, "LOD", nth);
        ++nth;
    }
}

void node_reader::read_runtime_operands(const label_field& record, memcpy_params& copy) const {
    if (const label_field* kind = record.find_row("kind"); kind != nullptr && kind->parts.size() == 2) {
        const std::string_view text = kind->parts[1].text;  // "HtoD (HOST PAGEABLE to DEVICE)"
        const std::size_t from = text.find('(');
        const std::size_t to = text.find(" to ");
        if (from != std::string_view::npos) copy.source.memory_type = parse_memory_type(text.substr(from + 1));
        if (to != std::string_view::npos) copy.destination.memory_type = parse_memory_type(text.substr(to + 4));
    }
    const std::optional<label_table> pointers = find_table(record, "ptr");
    if (!pointers) return;  // an array has none
    std::size_t nth = 0;
    for (memcpy_operand* operand : {&copy.source, &copy.destination}) {
        operand->address = column<std::uint64_t>(*pointers, "ptr", nth);
        operand->pitch_bytes = column<std::uint64_t>(*pointers, "pitch", nth);
        operand->height = column<std::uint64_t>(*pointers, "ysize", nth);
        const char* row = nth == 0 ? "srcPos" : "dstPos";
        operand->x_bytes = pair_value(record, row, "x");
        operand->y = pair_value(record, row, "y");
        operand->z = pair_value(record, row, "z");
        ++nth;
    }
}

// From a row "{title | {{x | 0} | {y | 0}}}".
std::uint64_t node_reader::pair_value(const label_field& record, const char* row, const char* name) const {
    const label_field* found = record.find_row(row);
    const label_field* pair = found != nullptr ? found->find_row(name) : nullptr;
    if (pair == nullptr || pair->parts.size() != 2) fail(std::string("its label lacks ") + name + " of " + row);
    return number<std::uint64_t>(pair->parts[1].text, name);
}

memset_params node_reader::read_memset() const {
    const label_field record = read_record();
    const label_table table = require_table(record, "dptr");
    return {column<std::uint64_t>(table, "dptr"),  column<std::uint64_t>(table, "pitch"),
            column<std::uint32_t>(table, "value"), column<std::uint32_t>(table, "elementSize"),
            column<std::uint64_t>(table, "width"), column<std::uint64_t>(table, "height")};
}

// The file around the labels.
class dump_reader {
  public:
    explicit dump_reader(const dot_text& source) : source_(source), lexer_(source) {}

    graph run() {
        if (!lexer_.peek().is_word("digraph")) lexer_.unexpected("\"digraph\"");
        lexer_.take();
        if (lexer_.peek().is_name()) lexer_.take();
        lexer_.expect_sign("{");
        while (!lexer_.take_if_sign("}")) {
            if (!lexer_.peek().is_word("subgraph")) lexer_.unexpected("a subgraph: not a dump of CUDA");
            read_cluster();
        }
        if (lexer_.peek().kind != dot_token::type::end) lexer_.unexpected("the end");
        if (clusters_.empty()) source_.fail(0, "no subgraph: not a dump of CUDA");
        return assemble(clusters_.front(), 0);
    }

  private:
    void read_cluster() {
        constexpr std::string_view prefix = "cluster_";
        lexer_.take();
        const dot_token id = lexer_.expect_name("the name of a subgraph");
        cluster added;
        added.at = id.at;
        added.name = "graph_" + std::string(id.text.substr(std::min(prefix.size(), id.text.size())));
        if (!id.text.starts_with(prefix) || !is_cluster_name(added.name))
            source_.fail(id.at, "not a dump of CUDA: no \"cluster_<number>\"");
        lexer_.expect_sign("{");
        while (!lexer_.take_if_sign("}")) read_statement(added);
        if (!by_name_.try_emplace(added.name, clusters_.size()).second) source_.fail(id.at, added.name + " is there twice");
        finish(added);
        clusters_.push_back(std::move(added));
    }

    // A node, an edge, or how the box looks.
    void read_statement(cluster& into) {
        if (lexer_.take_if_sign(";")) return;
        const dot_token first = lexer_.expect_name("a node, an edge or \"}\"");
        if (first.kind == dot_token::type::word) {
            if (lexer_.take_if_sign("=")) lexer_.expect_name("a value");
            read_options();
        } else if (lexer_.take_if_sign("->")) {
            read_edge(first, into);
        } else {
            read_node(first, into);
        }
    }

    struct options {
        std::optional<dot_token> label;
        std::optional<dot_token> head_label;
    };

    options read_options() {
        options read;
        if (!lexer_.take_if_sign("[")) return read;
        while (!lexer_.take_if_sign("]")) {
            const dot_token name = lexer_.expect_name("an attribute or \"]\"");
            lexer_.expect_sign("=");
            const dot_token value = lexer_.expect_name("a value");
            if (name.is_word("label")) read.label = value;
            if (name.is_word("headlabel")) read.head_label = value;
            if (!lexer_.take_if_sign(",")) lexer_.take_if_sign(";");
        }
        return read;
    }

    // The index in a name such as "graph_5_node_3".
    [[nodiscard]] std::uint32_t node_index(const dot_token& name, const cluster& in) const {
        const std::string prefix = in.name + "_node_";
        const std::optional<std::uint32_t> index =
            name.text.starts_with(prefix) ? parse_number<std::uint32_t>(name.text.substr(prefix.size())) : std::nullopt;
        if (!index)
            source_.fail(name.at, "expected a node of " + in.name + ", found \"" + std::string(name.text.substr(0, 40)) + "\"");
        return *index;
    }

    void read_node(const dot_token& name, cluster& into) {
        const std::size_t expected = into.content.nodes.size();
        if (node_index(name, into) != expected)
            source_.fail(name.at, "expected node " + std::to_string(expected) + " of " + into.name);
        const options read = read_options();
        if (!read.label) source_.fail(name.at, "the node has no label");
        node_reader(source_, name.at, read.label->text, into).run();
    }

    void read_edge(const dot_token& from, cluster& into) {
        const dot_token to = lexer_.expect_name("a node");
        const edge ends{node_index(from, into), node_index(to, into), 0, 0, 0};
        const options read = read_options();
        std::uint32_t place = 0;
        if (read.head_label) {
            const std::optional<std::uint32_t> parsed = parse_number<std::uint32_t>(read.head_label->text);
            if (!parsed) source_.fail(read.head_label->at, "expected a number for headlabel");
            place = *parsed;
        }
        into.edges.push_back({ends, place});
    }

    void finish(cluster& done) const {
        std::stable_sort(done.edges.begin(), done.edges.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
        std::vector<edge> edges;
        for (const cluster::placed_edge& e : done.edges) {
            const std::uint32_t last = std::max(e.ends.from, e.ends.to);
            if (last >= done.content.nodes.size())
                source_.fail(done.at, "an edge names node " + std::to_string(last) + ", which is not there");
            edges.push_back(e.ends);
        }
        set_edges(done.content, edges);
        if (has_cycle(done.content)) source_.fail(done.at, "the edges form a cycle");
        done.content.exact = false;
    }

    // Takes the child graphs out of their boxes. Each is the child of one node, which keeps a hostile text from growing here.
    graph assemble(cluster& of, int depth) {
        of.is_used = true;
        for (const cluster::child_reference& wanted : of.child_references) {
            const auto at = by_name_.find(wanted.name);
            if (at == by_name_.end()) source_.fail(wanted.at, "the dump lacks the child graph " + wanted.name);
            cluster& child = clusters_[at->second];
            if (child.is_used) source_.fail(wanted.at, wanted.name + " cannot be a child here: it is in use elsewhere");
            if (depth == max_child_depth) source_.fail(wanted.at, "child graphs are nested too deeply");
            of.content.children[wanted.child] = assemble(child, depth + 1);
        }
        return std::move(of.content);
    }

    const dot_text& source_;
    dot_lexer lexer_;
    std::vector<cluster> clusters_;
    std::unordered_map<std::string, std::size_t> by_name_;
};

}  // namespace

graph read_dot(std::string_view text, std::string_view origin) {
    const dot_text source{text, origin};
    return dump_reader(source).run();
}

bool is_dot(std::string_view text) noexcept {
    while (!text.empty() && is_dot_space(text.front())) text.remove_prefix(1);
    return text.starts_with("digraph") || text.starts_with("strict digraph");
}

}  // namespace graphdedup::snapshot
