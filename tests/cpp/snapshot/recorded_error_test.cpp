// Malformed recordings: each gives a format_error that says where.
#include "expect_format_error.hpp"
#include "recorded_set.hpp"
#include "snapshot/recorded.hpp"

#include <doctest/doctest.h>

#include <string>

namespace graphdedup::snapshot {
namespace {

const function_table& functions() {
    static const function_table table =
        read_function_table(R"({"functions":[{"id":0,"name":"f","param_layout":[[0,4],[8,8]],"attributes":{}}]})", "functions");
    return table;
}

void graph_fails(const std::string& text, const std::string& part_of_message) {
    CAPTURE(text.substr(0, 200));
    testing::expect_format_error("read recorded graph", part_of_message,
                                 [&](const char* origin) { static_cast<void>(read_graph(text, functions(), origin)); });
}

void table_fails(const std::string& text, const std::string& part_of_message) {
    CAPTURE(text.substr(0, 200));
    testing::expect_format_error("read function table", part_of_message,
                                 [&](const char* origin) { static_cast<void>(read_function_table(text, origin)); });
}

std::string with_nodes(const std::string& nodes, const std::string& edges = "") {
    return R"({"nodes":[)" + nodes + R"(],"edges":[)" + edges + "]}";
}

// A kernel node with one of its members replaced.
std::string kernel(const std::string& member = "", const std::string& replacement = "", const std::string& more = "") {
    const std::pair<std::string, std::string> members[] = {
        {"type", "\"kernel\""},
        {"function", "0"},
        {"grid", "[1,1,1]"},
        {"block", "[32,1,1]"},
        {"shared_memory_bytes", "0"},
        {"attributes", "{}"},
        {"arguments", "\"kernel_params\""},
    };
    std::string text;
    for (const auto& [name, usual] : members) {
        const std::string& value = name == member ? replacement : usual;
        if (!value.empty()) text += (text.empty() ? "{\"" : ",\"") + name + "\":" + value;
    }
    return text + more + "}";
}

std::string with_kernel(const std::string& member, const std::string& replacement, const std::string& more = "") {
    return with_nodes(kernel(member, replacement, more));
}

std::string with_attribute(const std::string& attribute) { return with_kernel("attributes", "{" + attribute + "}"); }

}  // namespace

TEST_CASE("what the cases below spoil is fine by itself") {
    const graph g = read_graph(with_nodes(kernel() + "," + kernel(), "[0,1,0,0,0],[0,1,0,0,1]"), functions(), "fine");
    CHECK(g.kernels.size() == 2);
    CHECK(g.nodes[1].incoming.count == 2);
    CHECK(read_graph(with_nodes(""), functions(), "empty graph").nodes.empty());
}

TEST_CASE("not JSON") {
    graph_fails("", "byte 1");
    graph_fails("nodes", "not valid JSON");
    graph_fails("{\"nodes\":[],\"edges\":[]} x", "byte 25");
    graph_fails(R"({"nodes":[NaN],"edges":[]})", "byte 11");
    graph_fails(R"({"nodes":[1e999],"edges":[]})", "not valid JSON");
    graph_fails("{\"nodes\":\"\xff\"}", "not valid JSON");
    graph_fails(std::string("{\"nodes\":[\0]}", 13), "not valid JSON");
    table_fails("", "byte 1");
    table_fails("digraph dot {}", "not valid JSON");
}

TEST_CASE("cut off anywhere") {
    const std::string graph_text = testing::read_text(testing::data_folder() / "mixed/forkjoin_n01024.json");
    for (std::size_t size = 0; size < graph_text.size(); size += 7) graph_fails(graph_text.substr(0, size), "byte");
    const std::string table_text = testing::read_text(testing::data_folder() / "mixed/functions.json");
    for (std::size_t size = 0; size < table_text.size(); size += 31) table_fails(table_text.substr(0, size), "byte");
}

TEST_CASE("JSON of something else") {
    graph_fails("[]", "expected an object, found array");
    graph_fails("null", "expected an object, found null");
    graph_fails(R"({"functions":[]})", "\"nodes\" is missing");
    graph_fails(R"({"nodes":[]})", "\"edges\" is missing");
    graph_fails(R"({"nodes":{},"edges":[]})", "nodes: expected an array, found object");
    graph_fails(R"({"nodes":[7],"edges":[]})", "nodes[0]: expected an object, found number");
    graph_fails(R"({"nodes":[],"edges":[],"exact":1})", "exact: expected true or false");
    table_fails("3", "expected an object");
    table_fails(R"({"nodes":[],"edges":[]})", "\"functions\" is missing");
    table_fails(R"({"functions":{}})", "functions: expected an array");
    table_fails(R"({"meta":3,"functions":[]})", "meta: expected an object");
}

TEST_CASE("nested too deeply") {
    graph_fails(std::string(100000, '['), "nested too deeply");
    graph_fails(R"({"ignored":)" + std::string(5000, '[') + std::string(5000, ']') + R"(,"nodes":[],"edges":[]})", "byte");
    const auto nested = [](int depth) {
        std::string text = with_nodes("");
        for (int i = 0; i < depth; ++i) text = with_nodes(R"({"type":"graph","child":)" + text + "}");
        return text;
    };
    CHECK(read_graph(nested(32), functions(), "deep").children.size() == 1);
    graph_fails(nested(33), "nested too deeply");
    graph_fails(nested(5000), "nested too deeply");
}

TEST_CASE("node types") {
    graph_fails(with_nodes("{}"), "nodes[0]: \"type\" is missing");
    graph_fails(with_nodes(R"({"type":3})"), "nodes[0].type: expected a string");
    for (const char* type :
         {"", "Kernel", "type_", "type_0", "type_13", "type_014", "type_256", "type_99999", "type_-1", "type_1x"}) {
        graph_fails(with_nodes(std::string(R"({"type":")") + type + "\"}"), "nodes[0].type: not a node type");
    }
    graph_fails(with_nodes(R"({"type":"graph"})"), "nodes[0]: \"child\" is missing");
    graph_fails(with_nodes(R"({"type":"graph","child":{"nodes":[{"type":"?"}]}})"), "nodes[0].child.nodes[0].type");
    graph_fails(with_nodes(R"({"type":"memset","width":1,"height":1,"value":-1,"element_bytes":1})"),
                "nodes[0].value: -1 is out of range");
    graph_fails(with_nodes(R"({"type":"memset","width":1,"height":1,"value":4294967296,"element_bytes":1})"), "nodes[0].value");
    graph_fails(with_nodes(R"({"type":"memcpy","src_type":1})"), "nodes[0]: \"dst_type\" is missing");
    graph_fails(with_nodes(R"({"type":"memcpy","src_type":1,"dst_type":1,"width_bytes":1,"height":1,"depth":1,"src":3})"),
                "nodes[0].src");
    graph_fails(with_nodes(R"({"type":"host","function":-5})"), "nodes[0].function: -5 is out of range");
    graph_fails(with_nodes(R"({"type":"wait_event","event":"0x1"})"), "nodes[0].event: expected a whole number");
}

TEST_CASE("kernel nodes") {
    for (const char* member : {"function", "grid", "block", "shared_memory_bytes", "attributes", "arguments"}) {
        graph_fails(with_kernel(member, ""), std::string("nodes[0]: \"") + member + "\" is missing");
        graph_fails(with_kernel(member, "true"), std::string("nodes[0].") + member + ": expected");
    }
    graph_fails(with_kernel("function", "1"), "nodes[0].function: the function table has no function 1");
    graph_fails(with_kernel("function", "-1"), "out of range");
    graph_fails(with_kernel("function", "0.0"), "expected a whole number");
    graph_fails(with_kernel("grid", "[1,1]"), "nodes[0].grid: expected 3 items, found 2");
    graph_fails(with_kernel("grid", "[1,1,1,1]"), "expected 3 items, found 4");
    graph_fails(with_kernel("grid", "[1,-1,1]"), "nodes[0].grid[1]: -1 is out of range");
    graph_fails(with_kernel("block", "[1,1,4294967296]"), "nodes[0].block[2]: 4294967296 is out of range");
    graph_fails(with_kernel("shared_memory_bytes", "1e3"), "expected a whole number");
    graph_fails(with_kernel("arguments", "\"some\""), "nodes[0].arguments: expected \"kernel_params\"");
}

TEST_CASE("argument bytes") {
    const auto bytes = [](const char* digits) { return std::string(R"(,"argument_bytes":")") + digits + "\""; };
    const graph g = read_graph(with_kernel("", "", bytes("00112233445566778899aabbccddEEFF")), functions(), "fine");
    CHECK(g.view(g.kernels[0].arguments)[15] == std::byte{0xff});
    graph_fails(with_kernel("", "", bytes("0011223344556677")),
                "nodes[0].argument_bytes: the function's parameters take 16 bytes");
    graph_fails(with_kernel("", "", bytes("001")), "two hexadecimal digits");
    graph_fails(with_kernel("", "", bytes("0g")), "expected hexadecimal digits");
    graph_fails(with_kernel("", "", bytes("-1")), "expected hexadecimal digits");
    graph_fails(with_kernel("", "", R"(,"argument_bytes":[0])"), "expected a string");
    graph_fails(with_kernel("arguments", "\"none\"", bytes("00112233445566778899aabbccddeeff")), "are \"none\"");
}

TEST_CASE("attributes") {
    graph_fails(with_attribute(R"("colour":1)"), "nodes[0].attributes.colour: not an attribute");
    graph_fails(with_attribute(R"("attribute_":"")"), "not an attribute");
    graph_fails(with_attribute(R"("attribute_70000":null)"), "not an attribute");
    graph_fails(with_attribute(R"("attribute_30":"00")"), "64 bytes");
    graph_fails(with_attribute(R"("attribute_30":5)"), "expected a string");
    graph_fails(with_attribute(R"("priority":0,"attribute_8":null)"), "nodes[0].attributes: attribute 8 is given twice");
    graph_fails(with_attribute(R"("priority":4294967296)"), "nodes[0].attributes.priority: 4294967296 is out of range");
    graph_fails(with_attribute(R"("priority":-2147483649)"), "out of range");
    graph_fails(with_attribute(R"("priority":0.5)"), "expected a whole number");
    graph_fails(with_attribute(R"("cluster_dimension":[1,1])"), "expected 3 items");
    graph_fails(with_attribute(R"("cluster_dimension":2)"), "expected an array");
    graph_fails(with_attribute(R"("mem_sync_domain_map":[0,256])"), "mem_sync_domain_map[1]: 256 is out of range");
    graph_fails(with_attribute(R"("access_policy_window":-1)"), "out of range");
    graph_fails(with_attribute(R"("access_policy_window":{})"), "is missing");
    const auto window = [](const char* ratio) {
        return std::string(
                   R"("access_policy_window":{"base_ptr":1,"num_bytes":1,"hit_property":0,"miss_property":0,"hit_ratio":)") +
               ratio + "}";
    };
    CHECK(read_graph(with_attribute(window("0.5")), functions(), "fine").kernels.size() == 1);
    graph_fails(with_attribute(window("1e39")), "hit_ratio: is out of range");
    graph_fails(with_attribute(window("null")), "hit_ratio: expected a number");
    graph_fails(with_attribute(window("\"7fc0000\"")), "eight hexadecimal digits");
}

TEST_CASE("edges") {
    const std::string two = kernel() + "," + kernel();
    graph_fails(with_nodes(two, "[0,2,0,0,0]"), "edges[0][1]: the graph has no node 2");
    graph_fails(with_nodes(two, "[0,1,0,0,0],[-1,0,0,0,0]"), "edges[1][0]: -1 is out of range");
    graph_fails(with_nodes(two, "[4294967296,0,0,0,0]"), "out of range");
    graph_fails(with_nodes(two, "[0,1]"), "edges[0]: expected 5 items, found 2");
    graph_fails(with_nodes(two, "[0,1,0,0,0,0]"), "expected 5 items");
    graph_fails(with_nodes(two, "[0,1,256,0,0]"), "edges[0][2]: 256 is out of range");
    graph_fails(with_nodes(two, "[0,1,0,0,null]"), "edges[0][4]: expected a whole number");
    graph_fails(with_nodes(two, R"({"from":0})"), "edges[0]: expected an array");
    graph_fails(with_nodes(two, "[0,0,0,0,0]"), "edges: the edges form a cycle");
    graph_fails(with_nodes(two, "[0,1,0,0,0],[1,0,0,0,0]"), "edges: the edges form a cycle");
    graph_fails(with_nodes("", "[0,0,0,0,0]"), "has no node 0");
}

TEST_CASE("functions") {
    const auto table = [](const std::string& function) { return R"({"functions":[)" + function + "]}"; };
    const std::string good = R"({"id":0,"name":"f","param_layout":[],"attributes":{"num_regs":null}})";
    CHECK(read_function_table(table(good), "fine").functions.size() == 1);
    table_fails(table(good + "," + good), "functions[1]: has the id of functions[0]");
    table_fails(table("[]"), "functions[0]: expected an object");
    table_fails(table(R"({"name":"f","param_layout":[],"attributes":{}})"), "\"id\" is missing");
    table_fails(table(R"({"id":-1,"name":"f","param_layout":[],"attributes":{}})"), "functions[0].id: -1 is out of range");
    table_fails(table(R"({"id":0,"name":1,"param_layout":[],"attributes":{}})"), "functions[0].name: expected a string");
    table_fails(table(R"({"id":0,"name":"f","attributes":{}})"), "\"param_layout\" is missing");
    table_fails(table(R"({"id":0,"name":"f","param_layout":[[0]],"attributes":{}})"),
                "functions[0].param_layout[0]: expected 2 items");
    table_fails(table(R"({"id":0,"name":"f","param_layout":[[0,8],[4,4]],"attributes":{}})"), "param_layout[1]: overlaps");
    table_fails(table(R"({"id":0,"name":"f","param_layout":[[4294967295,4294967295]],"attributes":{}})"), "out of range");
    table_fails(table(R"({"id":0,"name":"f","param_layout":[],"attributes":[]})"), "functions[0].attributes: expected an object");
    table_fails(table(R"({"id":0,"name":"f","param_layout":[],"attributes":{"num_regs":2147483648}})"),
                "num_regs: 2147483648 is out of range");
}

}  // namespace graphdedup::snapshot
