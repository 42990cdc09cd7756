// What was written reads back as it was.
#include "recorded_set.hpp"
#include "same_graph.hpp"
#include "snapshot/attribute_table.hpp"
#include "snapshot/dot.hpp"
#include "snapshot/incoming_edges.hpp"
#include "snapshot/recorded.hpp"
#include "snapshot/value_bytes.hpp"

#include <graphdedup/error.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <limits>

namespace graphdedup::snapshot {
namespace {

using testing::difference;

graph write_and_read(const graph& g) {
    recorder recorded;
    const std::string text = recorded.write_graph(g);
    return read_graph(text, read_function_table(recorded.write_function_table(""), "functions"), "graph");
}

range append(graph& g, std::size_t count, unsigned first) {
    const range added{static_cast<std::uint32_t>(g.bytes.size()), static_cast<std::uint32_t>(count)};
    for (std::size_t i = 0; i < count; ++i) g.bytes.push_back(static_cast<std::byte>((first + 3 * i) & 0xffU));
    return added;
}

void add_window(graph& g, const access_window& window) {
    const auto begin = static_cast<std::uint32_t>(g.bytes.size());
    append_window(g.bytes, window);
    g.attributes.push_back({1, true, {begin, 28}});
}

// A kernel with a value for each listed attribute but the window, and for one that the table does not list.
kernel_params full_kernel(graph& g, std::uint32_t function_index, const access_window& window, unsigned seed) {
    kernel_params kernel{function_index, {1, 2, 3}, {4, 5, 6}, 0xffffffffU, {}, argument_source::extra, {}};
    kernel.attributes.begin = static_cast<std::uint32_t>(g.attributes.size());
    add_window(g, window);
    for (const attribute_info& info : attribute_table) {
        if (info.id != 1) g.attributes.push_back({info.id, true, append(g, info.size_bytes, seed + info.id)});
    }
    g.attributes.push_back({31, true, append(g, raw_attribute_size_bytes, seed)});
    g.attributes.push_back({40, false, {}});
    kernel.attributes.count = static_cast<std::uint32_t>(g.attributes.size()) - kernel.attributes.begin;
    kernel.arguments = append(g, 16, seed + 100);
    return kernel;
}

// Those of odd identity are known by nothing else.
function sample_function(std::uint64_t identity) {
    function f;
    f.identity = identity;
    if (identity % 2 == 1) return f;
    f.name = "k\"er\\nel\n\u00fc\x01";
    f.params = {{0, 4}, {8, 8}};
    f.facts.num_regs = -1;
    f.facts.cluster_size_must_be_set = std::numeric_limits<std::int32_t>::min();
    return f;
}

void add_node(graph& g, node_kind kind, std::size_t detail = 0) {
    g.nodes.push_back({kind, static_cast<std::uint32_t>(detail), {}});
}

// One node of each kind, named or not.
graph every_kind(std::uint64_t first_identity) {
    constexpr std::uint64_t large = std::numeric_limits<std::uint64_t>::max();
    graph g;
    g.functions = {sample_function(first_identity), sample_function(first_identity + 1)};
    g.kernels.push_back(full_kernel(g, 0, {.num_bytes = large}, 0));
    g.kernels.push_back(full_kernel(g, 1, {large, 2, 0.1F, 1, 2}, 0xf0));
    g.kernels.push_back({0, {}, {}, 0, {}, argument_source::none, {}});
    g.memcpys.push_back({{1, large, 2, 3, 4, 5, 6, 7}, {2, 8, 9, 10, 11, 12, 13, 14}, large, 15, 16});
    g.memsets.push_back({large, 1, 0xffffffffU, 4, 5, 6});
    g.hosts.push_back({large, 7});
    g.events = {large, 3};
    for (std::size_t i = 0; i < g.kernels.size(); ++i) add_node(g, node_kind::kernel, i);
    add_node(g, node_kind::memcpy);
    add_node(g, node_kind::memset);
    add_node(g, node_kind::host);
    add_node(g, node_kind::event_wait, 0);
    add_node(g, node_kind::event_record, 1);
    for (unsigned kind = 5; kind <= 255; kind += kind < 14 ? 1 : 60) {
        const bool has_detail = kind == 6 || kind == 7;
        if (!has_detail) add_node(g, static_cast<node_kind>(kind));
    }
    const std::vector<edge> edges{
        {3, 4, 1, 2, 1}, {0, 1, 255, 255, 255}, {2, 4, 0, 0, 0}, {0, 1, 255, 255, 255}, {5, 0, 0, 0, 0}};
    set_edges(g, edges);
    return g;
}

}  // namespace

TEST_CASE("a graph with everything comes back the same") {
    graph g = every_kind(1000);
    graph child = every_kind(1001);
    child.exact = false;
    add_node(child, node_kind::child_graph, 0);
    child.children.push_back(every_kind(6));
    child.nodes.back().incoming = {static_cast<std::uint32_t>(child.edges.size()), 0};
    add_node(g, node_kind::child_graph, 0);
    g.nodes.back().incoming = {static_cast<std::uint32_t>(g.edges.size()), 0};
    g.children.push_back(std::move(child));
    const graph back = write_and_read(g);
    CHECK(difference(g, back) == "");
    CHECK(back.functions.size() == 2);
    CHECK(back.children[0].functions[0].identity == back.functions[1].identity);
}

TEST_CASE("the comparison sees what it should") {
    const graph g = every_kind(2);
    const auto changed = [&](auto change) {
        graph other = g;
        change(other);
        return difference(g, other);
    };
    CHECK(changed([](graph&) {}) == "");
    CHECK(changed([](graph& o) { o.exact = false; }) == "exact");
    CHECK(changed([](graph& o) { o.edges[0].type ^= 1U; }) == "edges");
    CHECK(changed([](graph& o) { o.kernels[1].grid.z = 9; }) == "node 1: grid or block");
    CHECK(changed([](graph& o) { o.bytes[o.kernels[0].arguments.begin] ^= std::byte{1}; }) == "node 0: argument bytes");
    CHECK(changed([](graph& o) { o.bytes[o.attributes[2].value.begin] ^= std::byte{1}; }) == "node 0: attribute 4");
    CHECK(changed([](graph& o) { o.attributes[2].readable = false; }) == "node 0: attribute 4");
    CHECK(changed([](graph& o) { o.functions[0].facts.num_regs = 3; }) == "function 0");
    CHECK(changed([](graph& o) { o.functions[1].identity = o.functions[0].identity; }) == "function 1");
    CHECK(changed([](graph& o) { o.memcpys[0].destination.lod = 0; }) == "node 3: copy");
    CHECK(changed([](graph& o) { o.events[1] = 0; }) == "node 7: event");
}

TEST_CASE("all recorded graphs come back the same") {
    for (const testing::recorded_set& set : testing::all_sets()) {
        for (const auto& entry : set.graphs) {
            const auto& name = entry.first;
            const graph& g = entry.second;
            CAPTURE(name);
            CHECK(difference(g, write_and_read(g)) == "");
        }
    }
}

TEST_CASE("one recorder numbers the functions of a set once") {
    const testing::recorded_set& set = testing::all_sets()[1];
    recorder recorded;
    std::vector<std::string> texts;
    for (const auto& entry : set.graphs) texts.push_back(recorded.write_graph(entry.second));
    const function_table table = read_function_table(recorded.write_function_table(set.functions.meta), "functions");
    CHECK(table.functions.size() == set.functions.functions.size());
    CHECK(table.meta == set.functions.meta);
    testing::function_pairs pairs;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const graph back = read_graph(texts[i], table, "graph");
        CHECK(difference(set.graphs[i].second, back) == "");
        for (std::size_t f = 0; f < back.functions.size(); ++f) {
            CHECK(pairs.agree(set.graphs[i].second.functions[f].identity, back.functions[f].identity));
        }
    }
}

TEST_CASE("ratios of every sort keep their bits") {
    for (const std::uint32_t bits :
         {0U, 0x80000000U, 1U, 0x3dcccccdU, 0x7f7fffffU, 0x7f800000U, 0xff800000U, 0x7fc00000U, 0xffc12345U}) {
        graph g;
        g.functions = {sample_function(2)};
        g.kernels.push_back(full_kernel(g, 0, {1, 2, std::bit_cast<float>(bits), 0, 0}, 0));
        add_node(g, node_kind::kernel);
        CAPTURE(bits);
        CHECK(difference(g, write_and_read(g)) == "");
    }
}

TEST_CASE("the written form") {
    graph g;
    CHECK(recorder().write_graph(g) == R"({"nodes":[],"edges":[]})");
    CHECK(recorder().write_function_table("") == R"({"functions":[]})");
    CHECK(recorder().write_function_table(R"({"a" : 1})") == R"({"meta":{"a":1},"functions":[]})");
    g.exact = false;
    add_node(g, static_cast<node_kind>(27));
    add_node(g, node_kind::event_record);
    g.events.push_back(5);
    const std::vector<edge> edges{{0, 1, 0, 0, 1}};
    set_edges(g, edges);
    CHECK(recorder().write_graph(g) ==
          R"({"nodes":[{"type":"type_27"},{"type":"event_record","event":5}],"edges":[[0,1,0,0,1]],"exact":false})");
}

TEST_CASE("an attribute that was recorded before it had a name is known by its id") {
    const function_table functions =
        read_function_table(R"({"functions":[{"id":0,"name":"f","param_layout":null,"attributes":{}}]})", "functions");
    const std::string raw = "07000000" + std::string(120, 'f');
    const graph g =
        read_graph(R"({"nodes":[{"type":"kernel","function":0,"grid":[1,1,1],"block":[1,1,1],"shared_memory_bytes":0,)"
                   R"("arguments":"none","attributes":{"attribute_8":")" +
                       raw + R"("}}],"edges":[],"unknown key":[1]})",
                   functions, "old");
    REQUIRE(g.attributes.size() == 1);
    CHECK(g.attributes[0].id == 8);
    CHECK(g.attributes[0].value.count == 4);
    CHECK(load_integer<std::uint32_t>(g.view(g.attributes[0].value), 0) == 7);
    CHECK(g.bytes.size() == 4);
}

TEST_CASE("a graph from a dump stays inexact") {
    const graph g = read_dot(testing::read_text(testing::data_folder() / "kinds/driver_types.dot"), "dump");
    const graph back = write_and_read(g);
    CHECK_FALSE(back.exact);
    CHECK_FALSE(back.children[0].exact);
    CHECK(difference(g, back) == "");
}

TEST_CASE("a name that is no UTF-8 is written all the same") {
    graph g;
    g.functions = {sample_function(2)};
    g.functions[0].name =
        "a\xff"
        "b";
    g.kernels.push_back({});
    add_node(g, node_kind::kernel);
    CHECK(write_and_read(g).functions[0].name ==
          "a\uFFFD"
          "b");
}

TEST_CASE("meta that is no object is refused") {
    for (const std::string& meta : {std::string("3"), std::string("{"), std::string("[]"), std::string("{\"a\":1e999}"),
                                    "{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}"}) {
        CHECK_THROWS_AS(static_cast<void>(recorder().write_function_table(meta)), format_error);
    }
}

}  // namespace graphdedup::snapshot
