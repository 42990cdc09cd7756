// Graphs as plain data: reading, writing, signing, grouping. No driver but for `walk`.
#include "bindings.hpp"
#include "driver/context.hpp"
#include "signature/explain.hpp"
#include "signature/private_causes.hpp"
#include "signature/signature.hpp"
#include "snapshot/dot.hpp"
#include "snapshot/recorded.hpp"
#include "snapshot/walk.hpp"
#include "vary_names.hpp"

#include <graphdedup/driver.hpp>

#include <pybind11/stl.h>
#include <pybind11/typing.h>

namespace graphdedup::python {
namespace {

namespace py = pybind11;
using snapshot::function_table;
using snapshot::graph;
using snapshot::recorder;
using release_gil = py::call_guard<py::gil_scoped_release>;

// Ids are unique in one table: graphs of several sets are kept apart by the number of their set.
struct numbered_table {
    function_table table;
    std::uint64_t set_number;
};

void number_functions(graph& g, std::uint64_t set_number) {
    for (snapshot::function& f : g.functions) f.identity += set_number << 32U;
    for (graph& child : g.children) number_functions(child, set_number);
}

graph read_numbered_graph(std::string_view text, const numbered_table& functions, const std::string& origin) {
    graph read = snapshot::read_graph(text, functions.table, origin);
    number_functions(read, functions.set_number);
    return read;
}

std::string_view view_of(const py::bytes& text) { return static_cast<std::string_view>(text); }

py::bytes digest_as_bytes(const signature::digest& d) {
    char bytes[16];
    for (int i = 0; i < 8; ++i) {
        bytes[i] = static_cast<char>(d.high >> (56 - 8 * i));
        bytes[8 + i] = static_cast<char>(d.low >> (56 - 8 * i));
    }
    return {bytes, sizeof bytes};
}

py::typing::Tuple<py::bytes, py::str> sign(const graph& g, const std::string& level) {
    const signature::signature s = signature::sign(g, parse_vary(level, "sign"));
    return py::make_tuple(digest_as_bytes(s.hash), s.private_reason);
}

std::vector<std::vector<std::size_t>> group(const std::vector<const graph*>& graphs, const std::string& level) {
    return signature::group(graphs, parse_vary(level, "group"));
}

graph walk_with(const driver& d, std::uintptr_t handle, snapshot::walk_detail detail) {
    const auto& api = d.api();
    auto* const source = reinterpret_cast<CUgraph>(handle);
    const driver_layer::call_site site{"walk", "graph", source};
    if (source == nullptr) throw invalid_graph("walk", driver_layer::describe("graph", source), "the handle is null");
    driver_layer::check(api, api.cuInit(0), "cuInit", site);
    CUdevice device = 0;
    if (driver_layer::current_context(api) != nullptr) {
        driver_layer::check(api, api.cuCtxGetDevice(&device), "cuCtxGetDevice", site);
    }
    return snapshot::walk(api, source, device, detail, site);
}

graph walk(const driver& d, std::uintptr_t handle) { return walk_with(d, handle, snapshot::walk_detail::everything); }

// What a device's own traits add is left to the registry.
py::typing::Tuple<py::str, std::size_t> private_reason(const driver& d, std::uintptr_t handle) {
    std::string reason;
    std::size_t node_count = 0;
    {
        const py::gil_scoped_release release;
        const graph walked = walk_with(d, handle, snapshot::walk_detail::signature);
        reason = signature::private_reason(walked, {.honours_preferred_cluster = false});
        node_count = walked.nodes.size();
    }
    return py::make_tuple(reason, node_count);
}

// As a dictionary of texts, each empty where there is nothing to say: first_private, second_private, where, field, first, second,
// first_kernel, second_kernel, shared_at.
py::typing::Dict<py::str, py::str> explain(const graph& a, const graph& b, const std::string& level) {
    const signature::explanation e = signature::explain(a, b, parse_vary(level, "explain"));
    static constexpr const char* levels[] = {"arguments", "grid", "kernel"};
    py::typing::Dict<py::str, py::str> said;
    said["first_private"] = e.first_private;
    said["second_private"] = e.second_private;
    const signature::difference d = e.differs.value_or(signature::difference{});
    said["where"] = d.where;
    said["field"] = d.field;
    said["first"] = d.first;
    said["second"] = d.second;
    said["first_kernel"] = d.first_kernel;
    said["second_kernel"] = d.second_kernel;
    said["shared_at"] = e.shared_at ? levels[static_cast<std::size_t>(*e.shared_at)] : "";
    return said;
}

py::typing::List<py::typing::Tuple<py::str, py::str, py::str, py::str>> sharing_rules() {
    static constexpr const char* treatments[] = {"equal", "free from grid", "free from kernel", "free"};
    py::typing::List<py::typing::Tuple<py::str, py::str, py::str, py::str>> rows;
    for (const signature::rule_info& row : signature::rules()) {
        rows.append(py::make_tuple(row.subject, row.field, treatments[static_cast<std::size_t>(row.treated)], row.why));
    }
    return rows;
}

py::typing::List<py::typing::Tuple<py::str, py::str>> private_causes() {
    py::typing::List<py::typing::Tuple<py::str, py::str>> rows;
    for (const signature::private_cause_info& row : signature::private_causes()) rows.append(py::make_tuple(row.reason, row.why));
    return rows;
}

}  // namespace

void register_snapshot(py::module_& module) {
    py::class_<graph>(module, "Snapshot", "A captured graph as plain data.")
        .def_property_readonly(
            "node_count", [](const graph& g) { return g.nodes.size(); }, "Nodes, those of child graphs not counted.")
        .def_readonly("exact", &graph::exact, "False if the source left out what the sharing rules look at (a DOT dump).")
        .def_property_readonly(
            "node_kinds",
            [](const graph& g) {
                std::vector<std::string> kinds;
                for (const snapshot::node& n : g.nodes) kinds.emplace_back(snapshot::name_of(n.kind));
                return kinds;
            },
            "Kind of each node, in order.");
    py::class_<numbered_table>(module, "FunctionTable", "The functions of a recorded set.")
        .def_property_readonly(
            "meta", [](const numbered_table& t) { return t.table.meta; },
            "What the recording says of itself, as JSON text; may be empty.");
    py::class_<recorder>(module, "Recorder", "Writes graphs of one set in the recorded form.")
        .def(py::init<>())
        .def("write_graph", &recorder::write_graph, py::arg("snapshot"), "JSON text of one graph.")
        .def("write_function_table", &recorder::write_function_table, py::arg("meta") = "",
             "JSON text of the functions of all graphs written so far.");

    module.def(
        "read_function_table",
        [](const py::bytes& text, const std::string& origin, std::uint32_t set_number) {
            return numbered_table{snapshot::read_function_table(view_of(text), origin), set_number};
        },
        py::arg("text"), py::arg("origin"), py::arg("set_number") = 0, "Read a function table. Raises FormatError.");
    module.def(
        "read_graph",
        [](const py::bytes& text, const numbered_table& functions, const std::string& origin) {
            return read_numbered_graph(view_of(text), functions, origin);
        },
        py::arg("text"), py::arg("functions"), py::arg("origin"), "Read a recorded graph. Raises FormatError.");
    module.def(
        "read_dot", [](const py::bytes& text, const std::string& origin) { return snapshot::read_dot(view_of(text), origin); },
        py::arg("text"), py::arg("origin"), "Read a verbose DOT dump of CUDA. Raises FormatError.");
    module.def(
        "is_function_table", [](const py::bytes& text) { return snapshot::is_function_table(view_of(text)); }, py::arg("text"),
        "True if the text looks like a function table rather than a graph.");
    module.def(
        "is_dot", [](const py::bytes& text) { return snapshot::is_dot(view_of(text)); }, py::arg("text"),
        "True if the text starts like a DOT file.");
    module.def("walk", &walk, py::arg("driver"), py::arg("graph"), release_gil(),
               "Read a live graph, arguments and names too. `graph` is a CUgraph value.");
    module.def("private_reason", &private_reason, py::arg("driver"), py::arg("graph"),
               "Why a live graph shares with nobody, or '', and its number of nodes. `graph` is a CUgraph value.");
    module.def("sign", &sign, py::arg("snapshot"), py::arg("vary"), "128-bit digest, and why the graph is private or ''.");
    module.def("group", &group, py::arg("snapshots"), py::arg("vary"), release_gil(),
               "Indices of graphs that may share, in order of first appearance.");
    module.def("explain", &explain, py::arg("first"), py::arg("second"), py::arg("vary"),
               "What keeps two graphs apart, as texts by name.");
    module.def("sharing_rules", &sharing_rules, "The table of rules: subject, field, treatment, why.");
    module.def("private_causes", &private_causes, "What keeps a graph from sharing at all: reason, why.");
}

}  // namespace graphdedup::python
