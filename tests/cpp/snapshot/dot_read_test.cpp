// DOT dumps: agreement with the walk of the same graph, all kinds of nodes, and texts that are no such dump.
#include "expect_format_error.hpp"
#include "recorded_set.hpp"
#include "snapshot/attribute_table.hpp"
#include "snapshot/dot.hpp"
#include "snapshot/value_bytes.hpp"

#include <doctest/doctest.h>

#include <string>

namespace graphdedup::snapshot {
namespace {

using testing::data_folder;
using testing::read_text;

std::string kinds(const char* name) { return read_text(data_folder() / "kinds" / name); }

void fails(const std::string& text, const std::string& part_of_message) {
    CAPTURE(text.substr(0, 300));
    testing::expect_format_error("read DOT dump", part_of_message,
                                 [&](const char* origin) { static_cast<void>(read_dot(text, origin)); });
}

std::string in_cluster(const std::string& statements) {
    return "digraph dot {\nsubgraph cluster_1 {\n" + statements + "\n}\n}\n";
}

std::string node_text(const std::string& label, int index = 0) {
    return "\"graph_1_node_" + std::to_string(index) + "\"[shape=\"record\" label=\"" + label + "\"];\n";
}

std::string kernel(const std::string& launch) {
    return node_text("{KERNEL\n| {ID | 0 | f" + launch + "}\n| {{node handle | func handle} | {0x1 | 0x2}}\n}");
}

// A dump shows no edge types: only the ends count.
void check_same_edges(const graph& walked, const graph& dumped) {
    REQUIRE(walked.edges.size() == dumped.edges.size());
    for (std::size_t i = 0; i < walked.edges.size(); ++i) {
        CHECK(walked.edges[i].from == dumped.edges[i].from);
        CHECK(walked.edges[i].to == dumped.edges[i].to);
    }
}

// Attributes that both have: access policy window, cooperative, priority.
void check_same_attributes(const graph& walked, const kernel_params& in_walked, const graph& dumped,
                           const kernel_params& in_dumped) {
    CHECK(in_dumped.attributes.count == 3);
    for (const attribute& d : dumped.attributes_of(in_dumped)) {
        for (const attribute& w : walked.attributes_of(in_walked)) {
            if (w.id != d.id) continue;
            const auto a = walked.view(w.value);
            const auto b = dumped.view(d.value);
            CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
        }
    }
}

void check_same_kernels(const graph& walked, const graph& dumped) {
    REQUIRE(walked.kernels.size() == dumped.kernels.size());
    for (std::size_t i = 0; i < walked.kernels.size(); ++i) {
        const kernel_params& w = walked.kernels[i];
        const kernel_params& d = dumped.kernels[i];
        CHECK(w.grid == d.grid);
        CHECK(w.block == d.block);
        CHECK(w.shared_memory_bytes == d.shared_memory_bytes);
        CHECK(walked.functions[w.function].name == dumped.functions[d.function].name);
        check_same_attributes(walked, w, dumped, d);
    }
}

void check_same_memory(const graph& walked, const graph& dumped) {
    REQUIRE(walked.memcpys.size() == dumped.memcpys.size());
    for (std::size_t i = 0; i < walked.memcpys.size(); ++i) {
        const memcpy_params& w = walked.memcpys[i];
        const memcpy_params& d = dumped.memcpys[i];
        CHECK(w.width_bytes == d.width_bytes);
        CHECK(w.height == d.height);
        CHECK(w.depth == d.depth);
        CHECK(w.source.memory_type == d.source.memory_type);
        CHECK(w.destination.memory_type == d.destination.memory_type);
        CHECK(d.source.address != 0);
    }
    REQUIRE(walked.memsets.size() == dumped.memsets.size());
    for (std::size_t i = 0; i < walked.memsets.size(); ++i) {
        memset_params d = dumped.memsets[i];
        CHECK(d.destination != 0);
        d.destination = 0;  // the walk did not record it
        CHECK(walked.memsets[i] == d);
    }
}

}  // namespace

TEST_CASE("the dump of each recorded graph agrees with its walk") {
    std::size_t count = 0;
    for (const testing::recorded_set& set : testing::all_sets()) {
        for (const auto& entry : set.graphs) {
            const auto& name = entry.first;
            const graph& walked = entry.second;
            CAPTURE(name);
            const graph dumped = read_dot(read_text(data_folder() / set.name / (name + ".dot")), name);
            CHECK_FALSE(dumped.exact);
            REQUIRE(walked.nodes.size() == dumped.nodes.size());
            for (std::size_t i = 0; i < walked.nodes.size(); ++i) CHECK(walked.nodes[i].kind == dumped.nodes[i].kind);
            check_same_edges(walked, dumped);
            check_same_kernels(walked, dumped);
            check_same_memory(walked, dumped);
            CHECK(walked.functions.size() == dumped.functions.size());
            ++count;
        }
    }
    CHECK(count == 50);
}

TEST_CASE("many kinds of nodes, in the structures of the driver and of the runtime") {
    for (const char* name : {"driver_types.dot", "runtime_types.dot"}) {
        CAPTURE(name);
        const graph g = read_dot(kinds(name), name);
        std::vector<std::string> found;
        for (const snapshot::node& n : g.nodes) found.emplace_back(name_of(n.kind));
        CHECK(found == std::vector<std::string>{"kernel", "memset", "memcpy", "host", "empty", "event_record", "wait_event",
                                                "graph", "kernel", "kernel", "empty", "batch_mem_op"});
        CHECK(g.kernels[0].grid == dimensions{2, 3, 4});
        CHECK(g.kernels[0].block == dimensions{8, 1, 2});
        CHECK(g.kernels[0].shared_memory_bytes == 16);
        CHECK(g.functions[g.kernels[0].function].name == "plain");
        CHECK(g.memsets[0] == memset_params{g.memsets[0].destination, 512, 171, 2, 5, 3});
        const memcpy_params& copy = g.memcpys[0];
        CHECK(copy.source == memcpy_operand{1, copy.source.address, 64, 1, 1, 0, 0, 0});
        CHECK(copy.destination == memcpy_operand{2, g.memsets[0].destination, 64, 4, 0, 1, 1, 0});
        CHECK(copy.source.address != 0);
        CHECK(copy.width_bytes == 32);
        CHECK(copy.height == 1);
        CHECK(copy.depth == 1);
        CHECK(g.hosts[0].function != 0);
        CHECK(g.hosts[0].user_data != 0);
        REQUIRE(g.events.size() == 2);
        CHECK(g.events[0] != 0);
        CHECK(g.events[0] == g.events[1]);
    }
}

TEST_CASE("attributes, child graphs and the order of dependencies") {
    const graph g = read_dot(kinds("driver_types.dot"), "dump");
    const auto attributes = g.attributes_of(g.kernels[0]);
    REQUIRE(attributes.size() == 3);
    const access_window window = load_window(g.view(attributes[0].value));
    CHECK(window.num_bytes == 4096);
    CHECK(window.hit_ratio == 0.5F);
    CHECK(window.hit_property == 2);
    CHECK(window.miss_property == 1);
    CHECK(load_integer<std::uint32_t>(g.view(attributes[1].value), 0) == 1);
    CHECK(static_cast<std::int32_t>(load_integer<std::uint32_t>(g.view(attributes[2].value), 0)) == -3);

    std::vector<std::uint32_t> dependencies;
    for (const edge& e : g.incoming_of(g.nodes[10])) dependencies.push_back(e.from);
    CHECK(dependencies == std::vector<std::uint32_t>{7, 9, 0});

    REQUIRE(g.children.size() == 1);
    const graph& child = g.children[0];
    CHECK(child.nodes.size() == 2);
    CHECK(child.functions[0].identity == g.functions[0].identity);
    REQUIRE(child.children.size() == 1);
    CHECK(child.children[0].nodes[1].kind == node_kind::empty);
    CHECK(child.children[0].kernels[0].grid == dimensions{1, 1, 5});
}

TEST_CASE("memory nodes, a conditional node whose body is left out, an empty graph") {
    const graph g = read_dot(kinds("memory_and_conditional.dot"), "dump");
    REQUIRE(g.nodes.size() == 4);
    CHECK(g.nodes[0].kind == node_kind::memory_alloc);
    CHECK(g.nodes[1].kind == node_kind::memory_free);
    CHECK(g.nodes[2].kind == node_kind::conditional);
    CHECK(g.nodes[3].kind == node_kind::kernel);
    CHECK(g.children.empty());
    CHECK(read_dot(kinds("empty.dot"), "empty").nodes.empty());
}

TEST_CASE("a node of a kind that nobody knows stays one") {
    const graph g = read_dot(in_cluster(node_text("{\nTELEPORT\n| {{ID | node handle} | {0 | 0x1}}\n}")), "dump");
    REQUIRE(g.nodes.size() == 1);
    CHECK(std::string(name_of(g.nodes[0].kind)) == "unknown");
}

TEST_CASE("launch configurations") {
    const graph g = read_dot(in_cluster(kernel("\\<int\\>\\<\\<\\<7,\\{8,9\\},10\\>\\>\\>")), "dump");
    CHECK(g.functions[0].name == "f<int>");
    CHECK(g.functions[0].identity == 2);
    CHECK(g.kernels[0].grid == dimensions{7, 1, 1});
    CHECK(g.kernels[0].block == dimensions{8, 9, 1});
    for (const char* launch :
         {"", "\\<\\<\\<\\>\\>\\>", "\\<\\<\\<1\\>\\>\\>", "\\<\\<\\<1,2\\>\\>\\>", "\\<\\<\\<1,2,x\\>\\>\\>", "\\<\\<\\<1,2,3",
          "\\<\\<\\<\\{1,2,3,4\\},2,3\\>\\>\\>", "\\<\\<\\<-1,2,3\\>\\>\\>", "\\<\\<\\<\\{\\},2,3\\>\\>\\>",
          "\\<\\<\\<4294967296,2,3\\>\\>\\>", "\\<\\<\\<\\{1,2,3\\>\\>\\>", "\\<\\<\\<1,2,3,4\\>\\>\\>"}) {
        fails(in_cluster(kernel(launch)), "node 0 of graph_1");
    }
}

TEST_CASE("not a dump of CUDA") {
    fails("", "line 1: expected \"digraph\", found the end of the text");
    fails("{\"nodes\":[]}", "expected \"digraph\"");
    fails("digraph G {\n  a -> b;\n}\n", "line 2: expected a subgraph: not a dump of CUDA");
    fails("digraph dot {\n}\n", "no subgraph");
    fails("digraph dot {\nsubgraph left {\n}\n}\n", "line 2: not a dump of CUDA");
    fails("digraph dot {\nsubgraph cluster_1 {\n}\n}\n}", "line 5: expected the end");
    fails("digraph dot {\nsubgraph cluster_1 {\n}\nsubgraph cluster_1 {\n}\n}\n", "graph_1 is there twice");
    fails(in_cluster("\"a\" -> \"b\";"), "line 3: expected a node of graph_1, found \"a\"");
    fails(in_cluster("\"a\"[label=\"x\"];"), "expected a node of graph_1");
    fails(in_cluster("\"graph_1_node_0\";"), "the node has no label");
    fails(std::string("digraph dot {\0}", 15), "expected");
    fails(kinds("terse.dot"), "verbose");
}

TEST_CASE("dumps that contradict themselves") {
    const std::string two = node_text("0\nEMPTY\nnode handle: 0x1\n") + node_text("1\nEMPTY\nnode handle: 0x2\n", 1);
    const auto edges = [&](const char* text) { return in_cluster(two + text); };
    CHECK(read_dot(edges("\"graph_1_node_0\" -> \"graph_1_node_1\" [headlabel=0];"), "fine").edges.size() == 1);
    fails(edges("\"graph_1_node_0\" -> \"graph_1_node_2\" [headlabel=0];"), "node 2, which is not there");
    fails(edges("\"graph_1_node_0\" -> \"graph_2_node_1\";"), "expected a node of graph_1");
    fails(edges("\"graph_1_node_0\" -> \"graph_1_node_99999999999\";"), "expected a node of graph_1");
    fails(edges("\"graph_1_node_0\" -> \"graph_1_node_0\";"), "cycle");
    fails(edges("\"graph_1_node_0\" -> \"graph_1_node_1\" [headlabel=x];"), "expected a number for headlabel");
    fails(in_cluster(node_text("0\nEMPTY\n", 1)), "expected node 0 of graph_1");
    fails(in_cluster(node_text("0\ngraph_7\nnode handle: 0x1\n")), "lacks the child graph graph_7");
    fails(in_cluster(node_text("0\ngraph_1\nnode handle: 0x1\n")), "in use elsewhere");
    fails(in_cluster(node_text("{KERNEL | {ID | 0 | f\\<\\<\\<1,1,1\\>\\>\\>}}")), "lacks func handle");
    fails(in_cluster(node_text("{KERNEL | {ID | 0 | f\\<\\<\\<1,1,1\\>\\>\\>}")), "braces");
    fails(in_cluster(node_text("{KERNEL " + std::string(5000, '{') + std::string(5001, '}'))), "braces");
    fails(in_cluster(node_text("{MEMSET | {ID | 0}}")), "lacks dptr");
    fails(
        in_cluster(node_text("{MEMSET\n| {{dptr | pitch | value | elementSize | width | height} | {0x1 | 0 | 1x | 1 | 4 | 1}}}")),
        "number for value");
    fails(in_cluster(node_text("{\nMEMCPY\n| {{ID | node handle} | {0 | 0x1}}}")), "lacks Width of Extent");
    fails(in_cluster(node_text("0\nHOST\nfn: here\n")), "expected a number for a handle");
}

TEST_CASE("child graphs nested too deeply") {
    const auto chain = [](int depth) {
        std::string text = "digraph dot {\n";
        for (int i = 0; i <= depth; ++i) {
            const std::string name = std::to_string(i);
            text += "subgraph cluster_" + name + " {\n";
            if (i < depth)
                text += "\"graph_" + name + "_node_0\"[label=\"0\ngraph_" + std::to_string(i + 1) + "\nnode handle: 0x1\n\"];\n";
            text += "}\n";
        }
        return text + "}\n";
    };
    CHECK(read_dot(chain(32), "deep").children.size() == 1);
    fails(chain(33), "nested too deeply");
    fails(chain(3000), "nested too deeply");
}

TEST_CASE("cut off anywhere") {
    for (const std::string& text :
         {kinds("driver_types.dot"), kinds("runtime_types.dot"), read_text(data_folder() / "mixed/forkjoin_n01024.dot")}) {
        const std::size_t whole = text.find_last_of('}') + 1;
        for (std::size_t size = 0; size < whole; size += 3) fails(text.substr(0, size), "line ");
        fails(text.substr(0, whole - 1), "found the end of the text");
    }
}

TEST_CASE("DOT files are told by their start") {
    CHECK(is_dot(kinds("empty.dot")));
    CHECK(is_dot("\n  strict digraph {"));
    CHECK_FALSE(is_dot(""));
    CHECK_FALSE(is_dot("{\"digraph\":1}"));
}

}  // namespace graphdedup::snapshot
