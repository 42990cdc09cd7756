// What the recorded graphs of the H200 hold, once read.
#include "recorded_set.hpp"
#include "snapshot/attribute_table.hpp"
#include "snapshot/recorded.hpp"
#include "snapshot/value_bytes.hpp"

#include <doctest/doctest.h>

namespace graphdedup::snapshot {
namespace {

using testing::all_sets;

const attribute& attribute_of(const graph& g, const kernel_params& kernel, std::uint16_t id) {
    for (const attribute& a : g.attributes_of(kernel)) {
        if (a.id == id) return a;
    }
    FAIL("no attribute ", id);
    return g.attributes.front();
}

dimensions cluster_of(const graph& g, const kernel_params& kernel) {
    const auto bytes = g.view(attribute_of(g, kernel, attribute_cluster_dimension).value);
    REQUIRE(bytes.size() == 12);
    return {load_integer<std::uint32_t>(bytes, 0), load_integer<std::uint32_t>(bytes, 4), load_integer<std::uint32_t>(bytes, 8)};
}

const testing::recorded_set& decode() { return all_sets()[0]; }

}  // namespace

TEST_CASE("decode_b001: nodes, kernels and their functions") {
    const graph& g = decode().at("decode_b001");
    CHECK(g.nodes.size() == 564);
    CHECK(g.kernels.size() == 563);
    CHECK(g.memcpys.size() == 1);
    CHECK(g.edges.size() == 563);
    CHECK(g.exact);

    const kernel_params& first = g.kernels[0];
    CHECK(g.functions[first.function].name.find("indexSelectSmallIndex") != std::string::npos);
    CHECK(g.functions[first.function].params.size() == 7);
    CHECK(g.functions[first.function].params[6] == param_info{664, 8});
    CHECK(first.grid == dimensions{16, 1, 1});
    CHECK(first.block == dimensions{128, 1, 1});
    CHECK(first.source == argument_source::kernel_params);
    CHECK(first.arguments.count == 0);
    CHECK(cluster_of(g, first) == dimensions{0, 0, 0});

    const kernel_params& clustered = g.kernels[2];
    const function& f = g.functions[clustered.function];
    CHECK(f.name == "nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT");
    CHECK(f.facts.num_regs == 168);
    CHECK(f.facts.non_portable_cluster_size_allowed == 1);
    CHECK(clustered.shared_memory_bytes == 164308);
    CHECK(clustered.source == argument_source::extra);
    CHECK(cluster_of(g, clustered) == dimensions{4, 1, 1});
}

TEST_CASE("decode_b001: attributes come by rising id, the unreadable one kept") {
    const graph& g = decode().at("decode_b001");
    std::vector<std::uint16_t> ids;
    for (const attribute& a : g.attributes_of(g.kernels[0])) ids.push_back(a.id);
    CHECK(ids == std::vector<std::uint16_t>{1, 2, 4, 5, 8, 9, 10, 11, 13, 14});

    const attribute& preferred = attribute_of(g, g.kernels[0], attribute_preferred_cluster_dimension);
    CHECK_FALSE(preferred.readable);
    CHECK(preferred.value == range{});
    const attribute& map = attribute_of(g, g.kernels[0], 9);
    CHECK(map.readable);
    CHECK(load_integer<std::uint8_t>(g.view(map.value), 0) == 0);
    CHECK(load_integer<std::uint8_t>(g.view(map.value), 1) == 1);
    CHECK(attribute_of(g, g.kernels[0], 1).value.count == 28);
    for (const kernel_params& kernel : g.kernels) {
        for (const attribute& a : g.attributes_of(kernel)) {
            CHECK(a.value.count == (a.readable ? find_attribute(a.id)->size_bytes : 0));
        }
    }
}

TEST_CASE("decode_b001: the copy at the end") {
    const graph& g = decode().at("decode_b001");
    CHECK(g.nodes.back().kind == node_kind::memcpy);
    const memcpy_params& copy = g.memcpys[g.nodes.back().detail];
    CHECK(copy.source.memory_type == 2);
    CHECK(copy.destination.memory_type == 2);
    CHECK(copy.width_bytes == 8);
    CHECK(copy.height == 1);
    CHECK(copy.source.address == 0);
}

TEST_CASE("functions are those that the graph uses, by first use, with the recorded id") {
    for (const testing::recorded_set& set : all_sets()) {
        for (const auto& entry : set.graphs) {
            const auto& name = entry.first;
            const graph& g = entry.second;
            CAPTURE(name);
            std::uint32_t seen = 0;
            for (const kernel_params& kernel : g.kernels) {
                REQUIRE(kernel.function <= seen);
                if (kernel.function == seen) ++seen;
            }
            CHECK(seen == g.functions.size());
            for (const function& f : g.functions) CHECK(set.functions.functions.at(f.identity).name == f.name);
        }
    }
}

TEST_CASE("edges are grouped by the node that they enter") {
    std::size_t programmatic_count = 0;
    for (const testing::recorded_set& set : all_sets()) {
        for (const auto& entry : set.graphs) {
            const auto& name = entry.first;
            const graph& g = entry.second;
            CAPTURE(name);
            std::uint32_t next = 0;
            for (std::uint32_t i = 0; i < g.nodes.size(); ++i) {
                CHECK(g.nodes[i].incoming.begin == next);
                next += g.nodes[i].incoming.count;
                for (const edge& e : g.incoming_of(g.nodes[i])) {
                    CHECK(e.to == i);
                    if (set.name == "decode" && e.type == 1) ++programmatic_count;
                }
            }
            CHECK(next == g.edges.size());
        }
    }
    CHECK(programmatic_count > 0);
}

TEST_CASE("forkjoin: a memset and a join of two streams") {
    const graph& g = all_sets()[2].at("forkjoin_n01024");
    CHECK(g.nodes[0].kind == node_kind::memset);
    CHECK(g.memsets[0] == memset_params{0, 0, 0, 1, 4, 1});
    const auto incoming = g.incoming_of(g.nodes[5]);
    REQUIRE(incoming.size() == 2);
    CHECK(incoming[0].from == 1);
    CHECK(incoming[1].from == 4);
}

TEST_CASE("a function table keeps what the recording says of itself") {
    CHECK(decode().functions.meta.find("\"gpu\":\"NVIDIA H200\"") != std::string::npos);
    CHECK(decode().functions.functions[0].facts.cluster_size_must_be_set == 0);
    const function_table bare =
        read_function_table(R"({"functions":[{"id":3,"name":null,"param_layout":null,"attributes":{}}]})", "bare");
    CHECK(bare.meta.empty());
    CHECK(bare.functions[0].identity == 3);
    CHECK(bare.functions[0].name.empty());
    CHECK_FALSE(bare.functions[0].facts.num_regs.has_value());
}

TEST_CASE("function tables and graphs are told apart") {
    CHECK(is_function_table(testing::read_text(testing::data_folder() / "decode/functions.json")));
    CHECK_FALSE(is_function_table(testing::read_text(testing::data_folder() / "decode/decode_b001.json")));
    CHECK(is_function_table(R"({"meta":{"nodes":1,"a":"}\"{"},"functions":[]})"));
    CHECK_FALSE(is_function_table(R"({"meta":{"functions":1},"edges":[],"nodes":[]})"));
    CHECK_FALSE(is_function_table(""));
    CHECK_FALSE(is_function_table("{\"functio"));
    CHECK_FALSE(is_function_table("}}}]]]\"functions\""));
}

TEST_CASE("each kind has a name") {
    CHECK(std::string(name_of(node_kind::kernel)) == "kernel");
    CHECK(std::string(name_of(node_kind::child_graph)) == "graph");
    CHECK(std::string(name_of(node_kind::conditional)) == "conditional");
    CHECK(std::string(name_of(static_cast<node_kind>(14))) == "unknown");
    CHECK(std::string(name_of(static_cast<node_kind>(255))) == "unknown");
}

}  // namespace graphdedup::snapshot
