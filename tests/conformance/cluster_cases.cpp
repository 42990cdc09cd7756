// Cluster shapes: as a launch attribute and of the function. What counts is the shape that the kernel itself reads.
#include "cases.hpp"
#include "change.hpp"

namespace graphdedup::conformance {
namespace {

constexpr position place_of_change = position::middle;

struct shaped {
    const char* name;
    const char* kernel;
    doctor::cluster_shape shape;  // that it runs with
    bool by_attribute;
};

constexpr shaped launch_shapes[] = {
    {"none", "gd_report_a", {}, false},          {"(2,1,1)", "gd_report_a", {2, 1, 1}, true},
    {"(1,2,1)", "gd_report_a", {1, 2, 1}, true}, {"(1,1,2)", "gd_report_a", {1, 1, 2}, true},
    {"(4,1,1)", "gd_report_a", {4, 1, 1}, true}, {"(2,2,1)", "gd_report_a", {2, 2, 1}, true},
};

constexpr shaped static_shapes[] = {
    {"none", "gd_report_a", {}, false},
    {"static (2,1,1)", "gd_report_c211", {2, 1, 1}, false},
    {"static (1,2,1)", "gd_report_c121", {1, 2, 1}, false},
    {"static (1,1,2)", "gd_report_c112", {1, 1, 2}, false},
    {"static (2,2,1)", "gd_report_c221", {2, 2, 1}, false},
};

kernel_node node_of(const shaped& s, std::uint64_t base) {
    kernel_node node = numbered_kernel(index_of(place_of_change), base);
    node.report.kernel = s.kernel;
    if (s.by_attribute) node.report.cluster = s.shape;
    return node;
}

// `same_others`: the other nodes keep their arguments, as setting the parameters of one node needs.
change change_of(const shaped& from, const shaped& to, bool same_others) {
    kernel_node kept = node_of(to, 9000);
    kept.runs_with = from.shape;
    return replacing(place_of_change, node_of(from, 1000), node_of(to, 9000), kept, !same_others);
}

void add_pair(suite& all, const std::string& fact, const shaped& from, const shaped& to) {
    const std::string name = "cluster, " + std::string(from.name) + " to " + to.name;
    for (const level l : {level::top, level::child}) {
        all.add(name + ", update, " + name_of(l), updating(fact + ", update", at_level(l, change_of(from, to, false))));
    }
    all.add(name + ", set params", setting_params(fact + ", set params", change_of(from, to, true), index_of(place_of_change)));
}

const char* static_fact(const shaped& from, const shaped& to) {
    if (from.shape.x == 0) return "static cluster gained";
    return to.shape.x == 0 ? "static cluster lost" : "static cluster changed";
}

// The shape is noticed then, unless there is none any more.
void add_with_another_function(suite& all, const shaped& from, const shaped& to) {
    const std::string name = std::string(to.name) + " of another function";
    shaped other = to;
    other.name = name.c_str();
    other.kernel = "gd_report_b";
    const bool is_equal = &from == &to;
    const bool is_lost = to.shape.x == 0;
    add_pair(all,
             is_equal  ? "kernel fields"
             : is_lost ? "cluster dimension lost with another function"
                       : "cluster dimension with another function",
             from, other);
}

}  // namespace

void add_cluster_cases(suite& all) {
    for (const shaped& from : launch_shapes) {
        for (const shaped& to : launch_shapes) {
            if (&from != &to) add_pair(all, "cluster dimension", from, to);
        }
    }
    for (const shaped& from : launch_shapes) {
        for (const shaped& to : launch_shapes) add_with_another_function(all, from, to);
    }
}

void add_static_cluster_cases(suite& all) {
    for (const shaped& from : static_shapes) {
        for (const shaped& to : static_shapes) {
            if (&from != &to) add_pair(all, static_fact(from, to), from, to);
        }
    }
    const shaped other{"static (2,1,1) of another function", "gd_report_d211", {2, 1, 1}, false};
    add_pair(all, "static cluster kept by another function", static_shapes[1], other);
}

void add_mixed_cluster_cases(suite& all) {
    const auto add = [&all](const std::string& fact, const shaped& from, const shaped& to) {
        for (const level l : {level::top, level::child}) {
            all.add("cluster, " + std::string(from.name) + " to " + to.name + ", update, " + name_of(l),
                    updating(fact + ", update", at_level(l, change_of(from, to, false))));
        }
    };
    add("cluster dimension to an equal static cluster", launch_shapes[1], static_shapes[1]);
    add("static cluster to an equal cluster dimension", static_shapes[1], launch_shapes[1]);
    add("cluster dimension to another static cluster", launch_shapes[1], static_shapes[2]);
    add("static cluster to another cluster dimension", static_shapes[1], launch_shapes[2]);
}

}  // namespace graphdedup::conformance
