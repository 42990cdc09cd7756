// Each row of the table of rules, alone: a change of its field changes the signature exactly at the levels that say so.
#include "signature/rules.hpp"
#include "graphs.hpp"
#include "signature/signature.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace {

using namespace graphdedup;
using graphdedup::signature::rule;
using graphdedup::signature::sign;
using graphdedup::signature::sign_with;
using graphdedup::tests::set_attribute;
using snapshot::graph;

// At which levels a change must be seen. Written out for each change below, not taken from the table: a row that is wrong there
// has to fail here.
enum class counts { always, unless_grids_vary, unless_kernels_vary, never };

bool counts_at(counts c, vary level) {
    switch (c) {
        case counts::always: return true;
        case counts::unless_grids_vary: return level == vary::arguments;
        case counts::unless_kernels_vary: return level != vary::kernel;
        case counts::never: return false;
    }
    return false;
}

constexpr vary levels[] = {vary::arguments, vary::grid, vary::kernel};

struct change {
    rule changes;
    counts seen;
    const char* what;
    std::function<void(graph&)> apply;
};

std::function<void(graph&)> attribute(std::uint16_t id, std::initializer_list<std::uint32_t> words) {
    return [id, copy = std::vector<std::uint32_t>(words)](graph& g) {
        if (copy.size() == 3) return set_attribute(g, g.kernels[1], id, {copy[0], copy[1], copy[2]});
        set_attribute(g, g.kernels[1], id, {copy[0]});
    };
}

// At least one change a rule; more where a rule has several fields.
const std::vector<change>& changes() {
    static const std::vector<change> all = {
        {rule::node_kind, counts::always, "event wait for event record",
         [](graph& g) { g.nodes[7].kind = snapshot::node_kind::event_wait; }},
        {rule::edge_from, counts::always, "from", [](graph& g) { g.edges[3].from = 0; }},
        {rule::edge_ports, counts::always, "from_port", [](graph& g) { g.edges[0].from_port = 1; }},
        {rule::edge_ports, counts::always, "to_port", [](graph& g) { g.edges[0].to_port = 1; }},
        {rule::edge_type, counts::always, "programmatic", [](graph& g) { g.edges[0].type = 1; }},
        {rule::kernel_grid, counts::unless_grids_vary, "x", [](graph& g) { g.kernels[1].grid.x = 17; }},
        {rule::kernel_grid, counts::unless_grids_vary, "y", [](graph& g) { g.kernels[1].grid.y = 2; }},
        {rule::kernel_grid, counts::unless_grids_vary, "z", [](graph& g) { g.kernels[1].grid.z = 2; }},
        {rule::kernel_function, counts::unless_kernels_vary, "another function of the same name",
         [](graph& g) { g.kernels[1].function = 1; }},
        {rule::kernel_block, counts::unless_kernels_vary, "x", [](graph& g) { g.kernels[1].block.x = 64; }},
        {rule::kernel_block, counts::unless_kernels_vary, "y", [](graph& g) { g.kernels[1].block.y = 2; }},
        {rule::kernel_block, counts::unless_kernels_vary, "z", [](graph& g) { g.kernels[1].block.z = 2; }},
        {rule::kernel_shared_memory, counts::unless_kernels_vary, "bytes",
         [](graph& g) { g.kernels[1].shared_memory_bytes = 1024; }},
        {rule::kernel_arguments, counts::never, "bytes",
         [](graph& g) {
             g.kernels[1].arguments = {0, 4};
             g.kernels[1].source = snapshot::argument_source::kernel_params;
         }},
        {rule::kernel_static_cluster, counts::always, "width", [](graph& g) { g.functions[0].facts.required_cluster_width = 2; }},
        {rule::kernel_static_cluster, counts::always, "height",
         [](graph& g) { g.functions[0].facts.required_cluster_height = 2; }},
        {rule::kernel_static_cluster, counts::always, "depth", [](graph& g) { g.functions[0].facts.required_cluster_depth = 2; }},
        {rule::kernel_static_cluster, counts::always, "must be set",
         [](graph& g) { g.functions[0].facts.cluster_size_must_be_set = 1; }},
        {rule::kernel_static_cluster_policy, counts::always, "policy",
         [](graph& g) { g.functions[0].facts.cluster_scheduling_policy = 2; }},
        {rule::access_policy_window, counts::always, "base", attribute(1, {4096})},
        {rule::cooperative, counts::always, "set", attribute(2, {1})},
        {rule::cluster_dimension, counts::always, "x", attribute(4, {2, 1, 1})},
        {rule::cluster_dimension, counts::always, "y", attribute(4, {0, 2, 0})},
        {rule::cluster_dimension, counts::always, "z", attribute(4, {0, 0, 2})},
        {rule::cluster_scheduling_policy, counts::always, "policy", attribute(5, {2})},
        {rule::priority, counts::always, "priority", attribute(8, {static_cast<std::uint32_t>(-5)})},
        {rule::mem_sync_domain_map, counts::always, "map", attribute(9, {0x0101})},
        {rule::mem_sync_domain, counts::always, "domain", attribute(10, {1})},
        {rule::preferred_cluster_dimension, counts::always, "x", attribute(11, {4, 1, 1})},
        {rule::device_updatable, counts::always, "set", attribute(13, {1})},
        {rule::shared_memory_carveout, counts::always, "carveout", attribute(14, {50})},
        {rule::nvlink_util_centric_scheduling, counts::always, "set", attribute(16, {1})},
        {rule::portable_cluster_size_mode, counts::always, "mode", attribute(17, {1})},
        {rule::shared_memory_mode, counts::always, "mode", attribute(18, {1})},
        {rule::unlisted_attribute, counts::always, "an id of the future", attribute(25, {1})},
        {rule::memcpy_memory_type, counts::always, "source", [](graph& g) { g.memcpys[0].source.memory_type = 1; }},
        {rule::memcpy_memory_type, counts::always, "destination", [](graph& g) { g.memcpys[0].destination.memory_type = 1; }},
        {rule::memcpy_shape, counts::always, "2D width", [](graph& g) { g.memcpys[1].width_bytes = 16; }},
        {rule::memcpy_shape, counts::always, "2D height", [](graph& g) { g.memcpys[1].height = 3; }},
        {rule::memcpy_shape, counts::always, "2D depth", [](graph& g) { g.memcpys[1].depth = 2; }},
        {rule::memcpy_shape, counts::always, "2D source pitch", [](graph& g) { g.memcpys[1].source.pitch_bytes = 128; }},
        {rule::memcpy_shape, counts::always, "2D destination pitch",
         [](graph& g) { g.memcpys[1].destination.pitch_bytes = 128; }},
        {rule::memcpy_shape, counts::always, "2D source height", [](graph& g) { g.memcpys[1].source.height = 8; }},
        {rule::memcpy_shape, counts::always, "2D source x", [](graph& g) { g.memcpys[1].source.x_bytes = 8; }},
        {rule::memcpy_shape, counts::always, "2D source y", [](graph& g) { g.memcpys[1].source.y = 1; }},
        {rule::memcpy_shape, counts::always, "2D source z", [](graph& g) { g.memcpys[1].source.z = 1; }},
        {rule::memcpy_shape, counts::always, "2D source level of detail", [](graph& g) { g.memcpys[1].source.lod = 1; }},
        {rule::memcpy_shape, counts::always, "2D destination y", [](graph& g) { g.memcpys[1].destination.y = 1; }},
        {rule::memcpy_shape, counts::always, "2D for 1D", [](graph& g) { g.memcpys[0].height = 2; }},
        {rule::memcpy_shape, counts::always, "3D for 1D", [](graph& g) { g.memcpys[0].depth = 2; }},
        {rule::memcpy_address, counts::never, "1D source", [](graph& g) { g.memcpys[0].source.address = 0x9000; }},
        {rule::memcpy_address, counts::never, "1D destination", [](graph& g) { g.memcpys[0].destination.address = 0x9000; }},
        {rule::memcpy_address, counts::never, "1D width", [](graph& g) { g.memcpys[0].width_bytes = 16; }},
        {rule::memcpy_address, counts::never, "2D source", [](graph& g) { g.memcpys[1].source.address = 0x9000; }},
        {rule::memset_element, counts::always, "bytes", [](graph& g) { g.memsets[0].element_bytes = 4; }},
        {rule::memset_shape, counts::always, "2D width", [](graph& g) { g.memsets[1].width = 8; }},
        {rule::memset_shape, counts::always, "2D height", [](graph& g) { g.memsets[1].height = 3; }},
        {rule::memset_shape, counts::always, "2D pitch", [](graph& g) { g.memsets[1].pitch_bytes = 128; }},
        {rule::memset_shape, counts::always, "2D for 1D", [](graph& g) { g.memsets[0].height = 2; }},
        {rule::memset_address_and_value, counts::never, "address", [](graph& g) { g.memsets[0].destination = 0x9000; }},
        {rule::memset_address_and_value, counts::never, "value", [](graph& g) { g.memsets[1].value = 9; }},
        {rule::memset_address_and_value, counts::never, "1D width", [](graph& g) { g.memsets[0].width = 8; }},
        {rule::host_function, counts::unless_kernels_vary, "function", [](graph& g) { g.hosts[0].function = 0x9000; }},
        {rule::host_user_data, counts::never, "user data", [](graph& g) { g.hosts[0].user_data = 0x9000; }},
        {rule::event, counts::always, "event", [](graph& g) { g.events[0] = 0x9000; }},
        {rule::child_graph, counts::always, "a kernel's priority in it",
         [](graph& g) { set_attribute(g.children[0], g.children[0].kernels[0], 8, {1}); }},
    };
    return all;
}

std::string describe(const change& c) {
    return std::string(info_of(c.changes).subject) + ": " + info_of(c.changes).field + ": " + c.what;
}

const char* name_of(vary level) {
    constexpr const char* names[] = {"arguments", "grid", "kernel"};
    return names[static_cast<std::size_t>(level)];
}

}  // namespace

TEST_CASE("every rule is tested") {
    for (const auto& row : signature::rules()) {
        bool found = false;
        for (const change& c : changes()) found = found || c.changes == row.id;
        CHECK_MESSAGE(found, row.subject << ": " << row.field);
    }
}

TEST_CASE("the table says of each field at which levels it counts") {
    for (const change& c : changes()) {
        for (const vary level : levels) {
            CAPTURE(describe(c));
            CAPTURE(name_of(level));
            CHECK(signature::equal_at(level).test(static_cast<std::size_t>(c.changes)) == counts_at(c.seen, level));
        }
    }
}

TEST_CASE("a change is seen at the levels where its field counts, and at no other") {
    const graph base = tests::one_of_each();
    for (const change& c : changes()) {
        for (const vary level : levels) {
            SUBCASE((describe(c) + ", vary " + name_of(level)).c_str()) {
                graph changed = base;
                c.apply(changed);
                const bool differs = sign(changed, level).bytes != sign(base, level).bytes;
                CHECK(differs == counts_at(c.seen, level));
                CHECK((sign(changed, level).hash != sign(base, level).hash) == counts_at(c.seen, level));
            }
        }
    }
}

TEST_CASE("no rule stands in for another: without its own, a change goes unseen") {
    const graph base = tests::one_of_each();
    for (const change& c : changes()) {
        SUBCASE(describe(c).c_str()) {
            graph changed = base;
            c.apply(changed);
            signature::rule_set without = signature::equal_at(vary::arguments);
            without.reset(static_cast<std::size_t>(c.changes));
            CHECK(sign_with(changed, without).bytes == sign_with(base, without).bytes);
        }
    }
}

TEST_CASE("the handle of an array stands for its shape, in copies of one row too") {
    constexpr std::uint32_t array = 3;  // CU_MEMORYTYPE_ARRAY
    for (const bool is_source : {true, false}) {
        CAPTURE(is_source);
        graph base = tests::one_of_each();
        const auto operand = [is_source](graph& g) -> snapshot::memcpy_operand& {
            return is_source ? g.memcpys[0].source : g.memcpys[0].destination;
        };
        operand(base).memory_type = array;
        graph changed = base;
        operand(changed).address = 0x9000;
        for (const vary level : levels) CHECK(sign(changed, level).bytes != sign(base, level).bytes);
    }
}
