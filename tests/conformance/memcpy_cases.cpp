// Copies: addresses, sizes, shapes, kinds of memory. What counts is what the memory holds afterwards.
#include "cases.hpp"
#include "change.hpp"

#include <array>

namespace graphdedup::conformance {
namespace {

constexpr memory memories[] = {memory::device, memory::pool, memory::pinned, memory::pageable};

memcpy_node linear(memory from, memory to) {
    memcpy_node node;
    node.from = from;
    node.to = {to, to == memory::device ? 100U : 1U, 0};
    return node;
}

memcpy_node rows() {
    memcpy_node node = linear(memory::device, memory::device);
    node.width_bytes = 8;
    node.height = 3;
    node.from_pitch_bytes = 64;
    node.to_pitch_bytes = 16;
    return node;
}

memcpy_node slices() {
    memcpy_node node = rows();
    node.height = 2;
    node.depth = 2;
    return node;
}

struct alteration {
    const char* name;
    void (*alter)(memcpy_node&);
};

constexpr alteration of_addresses[] = {
    {"source", [](memcpy_node& node) { node.from_offset_bytes += 256; }},
    {"destination", [](memcpy_node& node) { ++node.to.slot; }},
    {"source and destination", [](memcpy_node& node) { node.from_offset_bytes += 256, ++node.to.slot; }},
};
constexpr alteration of_linear[] = {
    {"more bytes", [](memcpy_node& node) { node.width_bytes = 48; }},
    {"fewer bytes", [](memcpy_node& node) { node.width_bytes = 4; }},
    {"addresses and size", [](memcpy_node& node) { node.from_offset_bytes += 256, ++node.to.slot, node.width_bytes = 40; }},
};
constexpr alteration of_shapes[] = {
    {"width", [](memcpy_node& node) { node.width_bytes = 12; }},
    {"height", [](memcpy_node& node) { ++node.height; }},
    {"source pitch", [](memcpy_node& node) { node.from_pitch_bytes = 32; }},
    {"destination pitch", [](memcpy_node& node) { node.to_pitch_bytes = 24; }},
};

void add(suite& all, const std::string& name, const std::string& fact, const memcpy_node& from, const memcpy_node& to) {
    for (const level l : {level::top, level::child}) {
        all.add("memcpy, " + name + ", " + name_of(l), updating(fact, at_level(l, replacing(position::middle, from, to, true))));
    }
}

template <std::size_t count>
void add_alterations(suite& all, const std::string& name, const std::string& fact, const memcpy_node& from,
                     const alteration (&alterations)[count]) {
    for (const alteration& a : alterations) {
        memcpy_node to = from;
        a.alter(to);
        add(all, name + ", " + a.name, fact, from, to);
    }
}

const char* kinds_fact(memory one, memory other) {
    if (is_host(one) != is_host(other)) return "memcpy between device and host memory, update";
    return is_host(one) ? "memcpy between pinned and pageable memory, update" : "memcpy between device and pool memory, update";
}

void add_memory_kinds(suite& all) {
    for (const memory from : memories) {
        for (const memory to : memories) {
            const std::string name = std::string(name_of(from)) + " to " + name_of(to);
            add_alterations(all, name, "memcpy 1D addresses, update", linear(from, to), of_addresses);
            if (from == to) continue;
            add(all, "source from " + name, kinds_fact(from, to), linear(from, memory::device), linear(to, memory::device));
            add(all, "destination from " + name, kinds_fact(from, to), linear(memory::device, from), linear(memory::device, to));
        }
    }
}

// The refusal that a copy causes, at each place.
void add_refusals(suite& all) {
    for (const position p : positions) {
        for (const level l : {level::top, level::child, level::grandchild}) {
            const change tried =
                replacing(p, linear(memory::device, memory::device), linear(memory::pinned, memory::device), true);
            all.add(std::string("memcpy, source from device to pinned, ") + name_of(p) + " node, " + name_of(l),
                    updating(kinds_fact(memory::device, memory::pinned), at_level(l, tried)));
        }
    }
}

}  // namespace

void add_memcpy_cases(suite& all) {
    const memcpy_node flat = linear(memory::device, memory::device);
    add_alterations(all, "1D", "memcpy 1D size, update", flat, of_linear);
    add_memory_kinds(all);
    add_refusals(all);
    add_alterations(all, "2D", "memcpy 2D addresses, update", rows(), of_addresses);
    add_alterations(all, "2D", "memcpy 2D shape, update", rows(), of_shapes);
    add_alterations(all, "3D", "memcpy 3D addresses, update", slices(), of_addresses);
    add_alterations(all, "3D", "memcpy 3D shape, update", slices(), of_shapes);
    add(all, "1D to 2D", "memcpy dimensions, update", flat, rows());
    add(all, "2D to 1D", "memcpy dimensions, update", rows(), flat);
    add(all, "2D to 3D", "memcpy dimensions, update", rows(), slices());
    add(all, "2D kept", "memcpy 2D kept, update", rows(), rows());
    add(all, "3D kept", "memcpy 3D kept, update", slices(), slices());
}

}  // namespace graphdedup::conformance
