#include "bindings.hpp"
#include "bound_registry.hpp"
#include "held_object.hpp"
#include "registry/source.hpp"
#include "vary_names.hpp"

#include <graphdedup/registry.hpp>

#include <pybind11/stl.h>

namespace graphdedup::python {
namespace {

namespace py = pybind11;
using release_gil = py::call_guard<py::gil_scoped_release>;

// Closing waits for calls in other threads, which may need the GIL to finish.
void destroy(bound_registry* r) {
    {
        const py::gil_scoped_release release;
        try {
            r->core.close();
        } catch (...) {  // as in the destructor that follows
        }
    }
    delete r;
}

// A member, with its registry kept alive.
struct bound_graph {
    shared_graph core;
    std::shared_ptr<bound_registry> owner;
};

std::shared_ptr<bound_registry> make_registry(const std::shared_ptr<driver>& d, const std::string& level,
                                              std::optional<std::int64_t> execs_per_group, std::int64_t memory_budget_bytes,
                                              bool lazy, std::int64_t instantiate_flags, int device) {
    registry_options options;
    options.may_vary = parse_vary(level, "Registry");
    if (execs_per_group && *execs_per_group < 1) {
        throw invalid_argument("Registry", "execs_per_group", "it must be at least 1, not " + std::to_string(*execs_per_group));
    }
    if (memory_budget_bytes < 0) {
        throw invalid_argument("Registry", "memory_budget_bytes",
                               "it must not be negative: " + std::to_string(memory_budget_bytes));
    }
    if (instantiate_flags < 0) {
        throw invalid_argument("Registry", "instantiate_flags", "it must not be negative: " + std::to_string(instantiate_flags));
    }
    if (execs_per_group) options.execs_per_group = static_cast<std::size_t>(*execs_per_group);
    options.memory_budget_bytes = static_cast<std::uint64_t>(memory_budget_bytes);
    options.lazy = lazy;
    options.instantiate_flags = static_cast<std::uint64_t>(instantiate_flags);
    options.device = device;
    return {new bound_registry(d, options), destroy};
}

std::function<void(stream_handle)> as_prologue(const py::object& callable) {
    if (callable.is_none()) return {};
    return [held = hold(callable)](stream_handle stream) {
        const py::gil_scoped_acquire gil;
        as_handle(held)(reinterpret_cast<std::uintptr_t>(stream));
    };
}

stream_handle as_stream(std::uintptr_t stream) { return reinterpret_cast<stream_handle>(stream); }

void set_prologue(const bound_graph& g, const py::object& callable) {
    std::function<void(stream_handle)> prologue = as_prologue(callable);
    const py::gil_scoped_release release;
    g.core.set_prologue(std::move(prologue));
}

bound_graph add(const std::shared_ptr<bound_registry>& r, std::uintptr_t graph, const std::string& name,
                const py::object& keep_alive, const py::object& prologue) {
    add_options options{name, hold(keep_alive), as_prologue(prologue)};
    const py::gil_scoped_release release;
    return {r->core.add(reinterpret_cast<graph_handle>(graph), std::move(options)), r};
}

void register_plain_data(py::module_& module) {
    py::class_<member_info>(module, "MemberInfo", "What is known of one registered graph.")
        .def_readonly("id", &member_info::id)
        .def_readonly("name", &member_info::name)
        .def_readonly("group", &member_info::group)
        .def_readonly("node_count", &member_info::node_count)
        .def_readonly("loaded", &member_info::loaded)
        .def_readonly("private_reason", &member_info::private_reason);
    py::class_<registry_stats>(module, "Stats", "Counts and host times of a registry.")
        .def_readonly("graph_count", &registry_stats::graph_count)
        .def_readonly("group_count", &registry_stats::group_count)
        .def_readonly("executable_count", &registry_stats::executable_count)
        .def_readonly("private_count", &registry_stats::private_count)
        .def_readonly("instantiation_count", &registry_stats::instantiation_count)
        .def_readonly("replay_count", &registry_stats::replay_count)
        .def_readonly("hit_count", &registry_stats::hit_count)
        .def_readonly("switch_count", &registry_stats::switch_count)
        .def_readonly("first_load_count", &registry_stats::first_load_count)
        .def_readonly("fallback_count", &registry_stats::fallback_count)
        .def_readonly("prepare_count", &registry_stats::prepare_count)
        .def_readonly("prepare_failure_count", &registry_stats::prepare_failure_count)
        .def_readonly("bytes_per_node", &registry_stats::bytes_per_node)
        .def_readonly("executable_bytes", &registry_stats::executable_bytes)
        .def_readonly("refusal_count", &registry_stats::refusal_count)
        .def_readonly("register_ns", &registry_stats::register_ns)
        .def_readonly("sign_ns", &registry_stats::sign_ns)
        .def_readonly("instantiate_ns", &registry_stats::instantiate_ns)
        .def_readonly("update_ns", &registry_stats::update_ns);
}

void register_explanation(py::module_& module) {
    py::class_<sharing_explanation>(module, "SharingExplanation", "Why two members share or do not.")
        .def_readonly("may_share", &sharing_explanation::may_share)
        .def_readonly("same_group", &sharing_explanation::same_group)
        .def_readonly("first_private", &sharing_explanation::first_private)
        .def_readonly("second_private", &sharing_explanation::second_private)
        .def_readonly("where", &sharing_explanation::where)
        .def_readonly("field", &sharing_explanation::field)
        .def_readonly("first_value", &sharing_explanation::first_value)
        .def_readonly("second_value", &sharing_explanation::second_value)
        .def_readonly("first_kernel", &sharing_explanation::first_kernel)
        .def_readonly("second_kernel", &sharing_explanation::second_kernel)
        .def_readonly("shared_at", &sharing_explanation::shared_at);
}

std::size_t cheapest(const bound_registry& r, const std::vector<bound_graph>& candidates) {
    std::vector<shared_graph> graphs;
    graphs.reserve(candidates.size());
    for (const bound_graph& g : candidates) graphs.push_back(g.core);
    const py::gil_scoped_release release;
    return r.core.cheapest(graphs);
}

sharing_explanation explain(const bound_registry& r, const bound_graph& a, const bound_graph& b) {
    return r.core.explain(a.core, b.core);
}

}  // namespace

void register_registry(py::module_& module) {
    register_plain_data(module);
    register_explanation(module);
    py::class_<bound_graph>(module, "SharedGraph", "One registered graph.")
        .def(
            "replay", [](const bound_graph& g, std::uintptr_t stream) { g.core.replay(as_stream(stream)); }, py::arg("stream"),
            release_gil(), "Run the graph on a CUstream value; see graphdedup.SharedGraph.")
        .def(
            "prepare", [](const bound_graph& g, std::uintptr_t stream) { g.core.prepare(as_stream(stream)); }, py::arg("stream"),
            release_gil(), "Load and upload on a CUstream value; see graphdedup.SharedGraph.")
        .def(
            "prepare_in_background", [](const bound_graph& g) { g.core.prepare_in_background(); }, release_gil(),
            "Load and upload in a thread of the registry's.")
        .def(
            "walk", [](const bound_graph& g) { return read_source(*g.core.internal(), "SharedGraph.walk"); }, release_gil(),
            "The graph as plain data, read while no replay reads it.")
        .def(
            "debug_dump",
            [](const bound_graph& g, const std::string& path, unsigned int flags) { g.core.debug_dump(path, flags); },
            py::arg("path"), py::arg("flags") = 1, release_gil(), "Write a DOT file, while no replay reads the graph.")
        .def("set_prologue", &set_prologue, py::arg("prologue"), "Call `prologue(stream)` before each launch; None ends that.")
        .def(
            "remove", [](const bound_graph& g) { g.core.remove(); }, release_gil(), "Forget this graph. Idempotent.")
        .def(
            "info", [](const bound_graph& g) { return g.core.info(); }, release_gil(), "What is known of this graph.")
        .def_property_readonly(
            "id", [](const bound_graph& g) { return g.core.id(); }, "Id of the member, never reused.")
        .def_property_readonly(
            "loaded",
            [](const bound_graph& g) {
                const py::gil_scoped_release release;
                return g.core.loaded();
            },
            "True if an executable holds this graph now.");
    py::class_<bound_registry, std::shared_ptr<bound_registry>>(module, "Registry", "Graphs that share executables.")
        .def(py::init(&make_registry), py::arg("driver"), py::kw_only(), py::arg("vary") = "kernel",
             py::arg("execs_per_group") = py::none(), py::arg("memory_budget_bytes") = 0, py::arg("lazy") = false,
             py::arg("instantiate_flags") = 9, py::arg("device") = -1)
        .def("add", &add, py::arg("graph"), py::kw_only(), py::arg("name") = "", py::arg("keep_alive") = py::none(),
             py::arg("prologue") = py::none(), "Register a CUgraph value.")
        .def(
            "seal", [](bound_registry& r) { r.core.seal(); }, release_gil(), "No more registrations. Idempotent.")
        .def(
            "close", [](bound_registry& r) { r.core.close(); }, release_gil(), "Let go of everything. Idempotent.")
        .def_property_readonly("sealed",
                               [](const bound_registry& r) {
                                   const py::gil_scoped_release release;
                                   return r.core.sealed();
                               })
        .def_property_readonly("closed",
                               [](const bound_registry& r) {
                                   const py::gil_scoped_release release;
                                   return r.core.closed();
                               })
        .def("cheapest", &cheapest, py::arg("candidates"), "Index of the graph whose replay would cost least now.")
        .def("explain", &explain, py::arg("first"), py::arg("second"), release_gil(),
             "The first field that keeps two members apart.")
        .def_property_readonly(
            "device",
            [](const bound_registry& r) {
                const py::gil_scoped_release release;
                return r.core.device();
            },
            "Ordinal of the device that the first graph bound; -1 before.")
        .def(
            "stats", [](const bound_registry& r) { return r.core.stats(); }, release_gil(), "Counts and times.")
        .def("members", [](const bound_registry& r) { return r.core.members(); }, release_gil(), "All members by rising id.");
}

}  // namespace graphdedup::python
