#include "graphs.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace graphdedup::tests {
namespace {

using namespace snapshot;

// Attributes of one kernel are neighbours: a new one goes to the end only if no other kernel came since.
void append_attribute(graph& g, kernel_params& kernel, std::uint16_t id, std::initializer_list<std::uint32_t> words) {
    range value{static_cast<std::uint32_t>(g.bytes.size()), static_cast<std::uint32_t>(words.size() * 4)};
    for (const std::uint32_t word : words) {
        std::byte raw[4];
        std::memcpy(raw, &word, sizeof word);
        g.bytes.insert(g.bytes.end(), raw, raw + 4);
    }
    if (kernel.attributes.count == 0) kernel.attributes.begin = static_cast<std::uint32_t>(g.attributes.size());
    g.attributes.push_back({id, true, value});
    ++kernel.attributes.count;
}

node& add_node(graph& g, node_kind kind, std::size_t detail) {
    return g.nodes.emplace_back(node{kind, static_cast<std::uint32_t>(detail), {static_cast<std::uint32_t>(g.edges.size()), 0}});
}

memcpy_params copy_of(std::uint64_t height) {
    memcpy_params copy;
    copy.source = {2, 0x1000, 64, 4, 0, 0, 0, 0};
    copy.destination = {2, 0x2000, 64, 4, 0, 0, 0, 0};
    copy.width_bytes = 32;
    copy.height = height;
    copy.depth = 1;
    return copy;
}

}  // namespace

void set_attribute(graph& g, kernel_params& kernel, std::uint16_t id, std::initializer_list<std::uint32_t> words) {
    for (std::uint32_t i = 0; i < kernel.attributes.count; ++i) {
        attribute& a = g.attributes[kernel.attributes.begin + i];
        if (a.id != id) continue;
        a.readable = true;
        a.value = {static_cast<std::uint32_t>(g.bytes.size()), static_cast<std::uint32_t>(words.size() * 4)};
        for (const std::uint32_t word : words) {
            std::byte raw[4];
            std::memcpy(raw, &word, sizeof word);
            g.bytes.insert(g.bytes.end(), raw, raw + 4);
        }
        return;
    }
    append_attribute(g, kernel, id, words);
}

void hide_attribute(graph& g, const kernel_params& kernel, std::uint16_t id) {
    for (std::uint32_t i = 0; i < kernel.attributes.count; ++i) {
        attribute& a = g.attributes[kernel.attributes.begin + i];
        if (a.id == id) a = {id, false, {}};
    }
}

kernel_params& add_kernel(graph& g) {
    if (g.functions.empty()) {
        function f;
        f.identity = 0xf00;
        f.name = "first";
        f.facts = {32, 49152, -1, 0, 0, 0, 0, 0, 0};
        g.functions.push_back(f);
        f.identity = 0xf01;
        g.functions.push_back(f);  // another kernel of the same name
    }
    kernel_params kernel;
    kernel.grid = {16, 1, 1};
    kernel.block = {128, 1, 1};
    for (const std::uint16_t id : std::initializer_list<std::uint16_t>{1, 2, 4, 5, 8, 9, 10, 11, 13, 14, 16, 17, 18, 25}) {
        if (id == 4 || id == 11) {
            append_attribute(g, kernel, id, {0, 0, 0});
        } else {
            append_attribute(g, kernel, id, {id == 5 ? 1U : 0U});
        }
    }
    g.kernels.push_back(kernel);
    add_node(g, node_kind::kernel, g.kernels.size() - 1);
    return g.kernels.back();
}

// Of the last node only: edges are grouped by the node that they go to.
void add_edge(graph& g, std::uint32_t from, std::uint32_t to) {
    g.edges.push_back({from, to, 0, 0, 0});
    ++g.nodes[to].incoming.count;
}

graph one_of_each() {
    graph g;
    add_kernel(g);
    add_kernel(g);
    add_edge(g, 0, 1);
    g.memcpys = {copy_of(1), copy_of(4)};
    g.memsets = {{0x3000, 0, 7, 1, 16, 1}, {0x4000, 64, 7, 1, 16, 4}};
    g.hosts = {{0x5000, 0x6000}};
    g.events = {0x7000};
    graph child;
    add_kernel(child);
    g.children = {child};
    const std::pair<node_kind, std::size_t> rest[] = {
        {node_kind::memcpy, 0}, {node_kind::memcpy, 1},       {node_kind::memset, 0},     {node_kind::memset, 1},
        {node_kind::host, 0},   {node_kind::event_record, 0}, {node_kind::child_graph, 0}};
    for (const auto& [kind, detail] : rest) {
        add_node(g, kind, detail);
        const auto to = static_cast<std::uint32_t>(g.nodes.size() - 1);
        add_edge(g, to - 1, to);
    }
    return g;
}

}  // namespace graphdedup::tests
