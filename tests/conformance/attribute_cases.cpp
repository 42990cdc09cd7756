// Launch attributes other than the cluster shape: read back as set, and changed by an update and by setting parameters.
#include "cases.hpp"
#include "change.hpp"

#include <doctest/doctest.h>

#include <cstring>

namespace graphdedup::conformance {
namespace {

constexpr cuuint64_t use_node_priority = 8;  // CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY

struct attribute_values {
    const char* name;
    CUlaunchAttributeID id;
    CUlaunchAttributeValue one;
    CUlaunchAttributeValue other;
};

template <typename function_type>
CUlaunchAttributeValue value_of(const function_type& fill) {
    CUlaunchAttributeValue value;
    std::memset(&value, 0, sizeof value);
    fill(value);
    return value;
}

// The window is set on a node with its address: there is no memory before a bench.
CUlaunchAttributeValue window(std::size_t size_bytes) {
    return value_of([&](CUlaunchAttributeValue& value) {
        value.accessPolicyWindow.num_bytes = size_bytes;
        value.accessPolicyWindow.hitRatio = 1.0F;
        value.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
        value.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_STREAMING;
    });
}

std::vector<attribute_values> attributes() {
    using value = CUlaunchAttributeValue;
    return {
        {"access policy window", CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, window(4096), window(8192)},
        {"cluster scheduling policy", CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
         value_of([](value& v) { v.clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING; }),
         value_of([](value& v) { v.clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_SPREAD; })},
        {"priority", CU_LAUNCH_ATTRIBUTE_PRIORITY, value_of([](value& v) { v.priority = -1; }),
         value_of([](value& v) { v.priority = -3; })},
        {"memory sync domain map", CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
         value_of([](value& v) { v.memSyncDomainMap = {1, 0}; }), value_of([](value& v) { v.memSyncDomainMap = {0, 0}; })},
        {"memory sync domain", CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
         value_of([](value& v) { v.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE; }),
         value_of([](value& v) { v.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT; })},
        {"shared memory carveout", CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
         value_of([](value& v) { v.sharedMemCarveout = 50; }), value_of([](value& v) { v.sharedMemCarveout = 100; })},
    };
}

kernel_node node_with(position p, std::uint64_t base, const launch_attribute* attribute) {
    kernel_node node = numbered_kernel(index_of(p), base);
    if (attribute != nullptr) node.attributes.push_back(*attribute);
    return node;
}

change change_of(position p, const launch_attribute* from, const launch_attribute* to, bool others_differ) {
    change made = replacing(p, node_with(p, 1000, from), node_with(p, 9000, to), others_differ);
    made.visible = false;
    return made;
}

void add_changes(suite& all, const attribute_values& a) {
    const launch_attribute one{a.id, a.one};
    const launch_attribute other{a.id, a.other};
    struct pair {
        const char* name;
        const launch_attribute* from;
        const launch_attribute* to;
    };
    for (const pair& p : {pair{"none to one", nullptr, &one},
                          {"one to none", &one, nullptr},
                          {"one to another", &one, &other},
                          {"one to the same", &one, &one}}) {
        const std::string name = std::string("attribute, ") + a.name + ", " + p.name;
        const std::string fact = p.from == p.to ? "an attribute kept" : a.name;
        for (const level l : {level::top, level::child}) {
            all.add(name + ", update, " + name_of(l),
                    updating(fact + ", update", at_level(l, change_of(position::middle, p.from, p.to, true))));
        }
        all.add(name + ", set params",
                setting_params("an attribute, set params", change_of(position::middle, p.from, p.to, false),
                               index_of(position::middle)));
    }
}

// Priorities count for an executable only if it was made so.
void add_priority_changes(suite& all) {
    CUlaunchAttributeValue value{};
    value.priority = -1;
    const launch_attribute high{CU_LAUNCH_ATTRIBUTE_PRIORITY, value};
    for (const position p : positions) {
        for (const level l : {level::top, level::child}) {
            for (const bool gained : {true, false}) {
                change tried = change_of(p, gained ? nullptr : &high, gained ? &high : nullptr, true);
                tried.flags = use_node_priority;
                all.add(std::string("attribute, priority of an executable with USE_NODE_PRIORITY, ") +
                            (gained ? "set" : "unset") + ", update, " + name_of(p) + " node, " + name_of(l),
                        updating("priority with USE_NODE_PRIORITY, update", at_level(l, tried)));
            }
        }
    }
}

void add_cooperative_changes(suite& all) {
    for (const position p : positions) {
        for (const bool gained : {true, false}) {
            kernel_node plain = numbered_kernel(index_of(p), 1000);
            kernel_node cooperative = numbered_kernel(index_of(p), 9000);
            cooperative.report.cooperative = true;
            change tried = replacing(p, gained ? plain : cooperative, gained ? cooperative : plain, true);
            tried.visible = false;
            const std::string name = std::string("attribute, cooperative ") + (gained ? "set" : "unset") + ", ";
            for (const level l : {level::top, level::child, level::grandchild}) {
                all.add(name + "update, " + name_of(p) + " node, " + name_of(l),
                        updating("cooperative, update", at_level(l, tried)));
            }
            change alone = replacing(p, gained ? plain : cooperative, gained ? cooperative : plain, false);
            alone.visible = false;
            all.add(name + "set params, " + name_of(p) + " node", setting_params("an attribute, set params", alone, index_of(p)));
        }
    }
}

outcome is_readable(bench& where, CUgraphNode node, CUlaunchAttributeID id) {
    CUlaunchAttributeValue value{};
    return where.driver().cuGraphKernelNodeGetAttribute(node, id, &value) == CUDA_SUCCESS ? outcome::yes : outcome::no;
}

void add_readability(suite& all) {
    for (int id = 1; id <= 18; ++id) {
        all.add("attribute, id " + std::to_string(id) + " can be read", [id](bench& where) {
            const built_graph made = build(where, chain_of(numbered_kernels(1000, 1)));
            const outcome seen = is_readable(where, made.nodes[0], static_cast<CUlaunchAttributeID>(id));
            check_fact(where.known_as(), "attribute " + std::to_string(id) + " can be read", seen);
            return std::string(name_of(seen));
        });
    }
}

// What was set is read, from the node, from a clone, and from a copy in a child graph.
void add_read_back(suite& all, const attribute_values& a) {
    for (const bool second : {false, true}) {
        all.add(std::string("attribute, ") + a.name + ", " + (second ? "another value" : "one value") + " reads as set",
                [a, second](bench& where) {
                    const launch_attribute set{a.id, second ? a.other : a.one};
                    const built_graph inner = build(where, chain_of({node_with(position::first, 1000, &set)}));
                    CUgraph clone = nullptr;
                    REQUIRE(where.driver().cuGraphClone(&clone, inner.graph.get()) == CUDA_SUCCESS);
                    const driver_layer::owned_graph owner(where.driver(), clone);
                    CUgraphNode copy = nullptr;
                    std::size_t count = 1;
                    REQUIRE(where.driver().cuGraphGetNodes(clone, &copy, &count) == CUDA_SUCCESS);
                    for (const CUgraphNode node : {inner.nodes[0], copy}) {
                        CUlaunchAttributeValue read{};
                        REQUIRE(where.driver().cuGraphKernelNodeGetAttribute(node, a.id, &read) == CUDA_SUCCESS);
                        CHECK(std::memcmp(&read, &set.value, sizeof(int)) == 0);
                    }
                    return std::string();
                });
    }
}

}  // namespace

void add_attribute_cases(suite& all) {
    for (const attribute_values& a : attributes()) {
        add_changes(all, a);
        if (a.id != CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) add_read_back(all, a);
    }
    add_priority_changes(all);
    add_cooperative_changes(all);
    add_readability(all);
}

}  // namespace graphdedup::conformance
