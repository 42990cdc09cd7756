// Function, block, dynamic shared memory, grid and arguments: each alone, and in every combination.
#include "cases.hpp"
#include "change.hpp"

namespace graphdedup::conformance {
namespace {

struct field {
    const char* name;
    void (*alter)(doctor::report_node&);
};

constexpr field fields[] = {
    {"function", [](doctor::report_node& node) { node.kernel = "gd_report_b"; }},
    {"grid", [](doctor::report_node& node) { node.grid = {2, 6, 8}; }},
    {"block", [](doctor::report_node& node) { node.block = {64, 2, 1}; }},
    {"shared memory", [](doctor::report_node& node) { node.dynamic_shared_bytes = 2048; }},
    {"arguments", [](doctor::report_node& node) { node.a += 7, node.b ^= 0xff00U; }},
};
constexpr unsigned int combination_count = 1U << std::size(fields);

std::string name_of_combination(unsigned int chosen) {
    std::string name;
    for (std::size_t i = 0; i < std::size(fields); ++i) {
        if ((chosen >> i & 1U) != 0) name += (name.empty() ? "" : "+") + std::string(fields[i].name);
    }
    return name;
}

change change_of(unsigned int chosen) {
    constexpr position where = position::middle;
    const kernel_node from = numbered_kernel(index_of(where), 1000);
    kernel_node to = from;
    for (std::size_t i = 0; i < std::size(fields); ++i) {
        if ((chosen >> i & 1U) != 0) fields[i].alter(to.report);
    }
    return replacing(where, from, to, false);
}

// Of two functions that may use that much.
kernel_node with_shared_memory(const char* kernel, std::uint32_t size_bytes) {
    kernel_node node = numbered_kernel(index_of(position::middle), 1000);
    node.report.kernel = kernel;
    node.report.dynamic_shared_bytes = size_bytes;
    return node;
}

void add_big_shared_memory(suite& all) {
    const kernel_node small = with_shared_memory("gd_report_big_a", 1024);
    const kernel_node big = with_shared_memory("gd_report_big_a", big_shared_bytes);
    const kernel_node other_big = with_shared_memory("gd_report_big_b", big_shared_bytes);
    const kernel_node plain = with_shared_memory("gd_report_a", 1024);
    const auto add = [&all](const char* what, const kernel_node& from, const kernel_node& to) {
        const change tried = replacing(position::middle, from, to, false);
        const std::string name = std::string("kernel, over 48 KiB of shared memory: ") + what;
        all.add(name + ", update", updating("kernel fields, update", tried));
        all.add(name + ", set params", setting_params("kernel fields, set params", tried, index_of(position::middle)));
    };
    add("little to much", small, big);
    add("much to little", big, small);
    add("much to much of another function", big, other_big);
    add("of a plain function to much", plain, big);
    add("much to little of a plain function", big, plain);
    const kernel_node forbidden = with_shared_memory("gd_report_b", big_shared_bytes);
    all.add("kernel, over 48 KiB of shared memory: of a function that does not allow it, update",
            updating("more shared memory than the function allows", replacing(position::middle, plain, forbidden, false)));
}

}  // namespace

void add_kernel_cases(suite& all) {
    for (unsigned int chosen = 1; chosen < combination_count; ++chosen) {
        const std::string name = "kernel, " + name_of_combination(chosen);
        const change tried = change_of(chosen);
        for (const level l : {level::top, level::child}) {
            all.add(name + ", update, " + name_of(l), updating("kernel fields, update", at_level(l, tried)));
        }
        all.add(name + ", set params", setting_params("kernel fields, set params", tried, index_of(position::middle)));
    }
    add_big_shared_memory(all);
}

}  // namespace graphdedup::conformance
