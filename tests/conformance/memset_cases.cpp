// Fills: address, value, size, element size, shape. What counts is what the memory holds afterwards.
#include "cases.hpp"
#include "change.hpp"

namespace graphdedup::conformance {
namespace {

memset_node linear(unsigned int element_bytes) {
    memset_node node;
    node.to = {memory::device, 100, 0};
    node.element_bytes = element_bytes;
    node.value = element_bytes == 1 ? 0x5a : element_bytes == 2 ? 0x5a5b : 0x5a5b5c5d;
    node.width = 8;
    return node;
}

memset_node rows(unsigned int element_bytes) {
    memset_node node = linear(element_bytes);
    node.width = 4;
    node.height = 3;
    node.pitch_bytes = 32;
    return node;
}

struct alteration {
    const char* name;
    const char* fact;
    void (*alter)(memset_node&);
};

constexpr alteration alterations[] = {
    {"address", "address", [](memset_node& node) { ++node.to.slot; }},
    {"address in the slot", "address", [](memset_node& node) { node.to.offset_bytes += 8; }},
    {"memory", "memory", [](memset_node& node) { node.to = {memory::pool, 1, 0}; }},
    {"value", "value", [](memset_node& node) { node.value ^= 0x33U; }},
    {"more elements", "width", [](memset_node& node) { node.width += 3; }},
    {"fewer elements", "width", [](memset_node& node) { node.width -= 2; }},
    {"address, value", "address", [](memset_node& node) { ++node.to.slot, node.value ^= 0x33U; }},
    {"address, value, width", "width", [](memset_node& node) { ++node.to.slot, node.value ^= 0x33U, ++node.width; }},
};
constexpr alteration of_rows[] = {
    {"more rows", "height", [](memset_node& node) { ++node.height; }},
    {"fewer rows", "height", [](memset_node& node) { --node.height; }},
    {"pitch", "pitch", [](memset_node& node) { node.pitch_bytes = 24; }},
};

void add(suite& all, const std::string& name, const std::string& fact, const memset_node& from, const memset_node& to) {
    for (const level l : {level::top, level::child}) {
        all.add("memset, " + name + ", " + name_of(l), updating(fact, at_level(l, replacing(position::middle, from, to, true))));
    }
}

template <std::size_t count>
void add_alterations(suite& all, const std::string& name, const std::string& shape, const memset_node& from,
                     const alteration (&all_alterations)[count]) {
    for (const alteration& a : all_alterations) {
        memset_node to = from;
        a.alter(to);
        add(all, name + ", " + a.name, "memset " + shape + " " + a.fact + ", update", from, to);
    }
}

}  // namespace

void add_memset_cases(suite& all) {
    for (const unsigned int element_bytes : {1U, 2U, 4U}) {
        const std::string elements = "elements of " + std::to_string(element_bytes) + " bytes";
        add_alterations(all, "1D, " + elements, "1D", linear(element_bytes), alterations);
        add_alterations(all, "2D, " + elements, "2D", rows(element_bytes), alterations);
        add_alterations(all, "2D, " + elements, "2D", rows(element_bytes), of_rows);
        for (const unsigned int other_bytes : {1U, 2U, 4U}) {
            if (other_bytes == element_bytes) continue;
            const std::string to = " to " + std::to_string(other_bytes);
            add(all, "1D, " + elements + to, "memset 1D element size, update", linear(element_bytes), linear(other_bytes));
            add(all, "2D, " + elements + to, "memset 2D element size, update", rows(element_bytes), rows(other_bytes));
        }
    }
    add(all, "1D to 2D", "memset dimensions, update", linear(1), rows(1));
    add(all, "2D to 1D", "memset dimensions, update", rows(1), linear(1));
    for (const position p : positions) {
        change tried = replacing(p, rows(1), rows(4), true);
        all.add(std::string("memset, 2D, another element size, ") + name_of(p) + " node",
                updating("memset 2D element size, update", tried));
    }
}

}  // namespace graphdedup::conformance
