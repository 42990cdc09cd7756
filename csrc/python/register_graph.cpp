// Surgery on graphs through the driver, for the torch adapter. Handles are CUgraph values.
#include "bindings.hpp"
#include "driver/check.hpp"
#include "driver/context.hpp"
#include "driver/process.hpp"
#include "snapshot/snapshot.hpp"

#include <graphdedup/driver.hpp>

#include <pybind11/stl.h>

#include <cstdint>
#include <vector>

namespace graphdedup::python {
namespace {

namespace py = pybind11;
using driver_layer::call_site;
using driver_layer::check;

CUgraph as_graph(std::uintptr_t handle, const call_site& site) {
    if (handle != 0) return reinterpret_cast<CUgraph>(handle);
    throw invalid_graph(std::string(site.operation), driver_layer::describe("graph", nullptr), "the handle is null");
}

std::vector<CUgraphNode> nodes_of(const driver_layer::api& api, CUgraph graph, const call_site& site) {
    std::size_t count = 0;
    check(api, api.cuGraphGetNodes(graph, nullptr, &count), "cuGraphGetNodes", site);
    std::vector<CUgraphNode> nodes(count);
    if (count > 0) check(api, api.cuGraphGetNodes(graph, nodes.data(), &count), "cuGraphGetNodes", site);
    nodes.resize(count);
    return nodes;
}

std::uintptr_t clone_graph(const driver& d, std::uintptr_t handle) {
    const call_site site{"clone graph", "graph", reinterpret_cast<void*>(handle)};
    CUgraph clone = nullptr;
    check(d.api(), d.api().cuGraphClone(&clone, as_graph(handle, site)), "cuGraphClone", site);
    return reinterpret_cast<std::uintptr_t>(clone);
}

void destroy_graph(const driver& d, std::uintptr_t handle) {
    if (!driver_layer::calls_allowed()) return;
    const call_site site{"destroy graph", "graph", reinterpret_cast<void*>(handle)};
    const driver_layer::relaxed_capture relaxed(d.api());
    check(d.api(), d.api().cuGraphDestroy(as_graph(handle, site)), "cuGraphDestroy", site);
}

// Backwards: a node goes before those that it depends on, so that no edge is ever rewired.
void empty_graph(const driver& d, std::uintptr_t handle) {
    const call_site site{"empty graph", "graph", reinterpret_cast<void*>(handle)};
    const driver_layer::relaxed_capture relaxed(d.api());
    const std::vector<CUgraphNode> nodes = nodes_of(d.api(), as_graph(handle, site), site);
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
        check(d.api(), d.api().cuGraphDestroyNode(*node), "cuGraphDestroyNode", site);
    }
}

// The graph then does what `clone` does: an update, a walk and a launch go into child graphs.
void restore_graph(const driver& d, std::uintptr_t handle, std::uintptr_t clone) {
    empty_graph(d, handle);
    const call_site site{"restore graph", "graph", reinterpret_cast<void*>(handle)};
    CUgraphNode added = nullptr;
    check(d.api(), d.api().cuGraphAddChildGraphNode(&added, as_graph(handle, site), nullptr, 0, as_graph(clone, site)),
          "cuGraphAddChildGraphNode", site);
}

std::vector<std::string> graph_node_kinds(const driver& d, std::uintptr_t handle) {
    const call_site site{"list nodes", "graph", reinterpret_cast<void*>(handle)};
    std::vector<std::string> kinds;
    for (const CUgraphNode node : nodes_of(d.api(), as_graph(handle, site), site)) {
        CUgraphNodeType type{};
        check(d.api(), d.api().cuGraphNodeGetType(node, &type), "cuGraphNodeGetType", site);
        kinds.emplace_back(snapshot::name_of(static_cast<snapshot::node_kind>(type)));
    }
    return kinds;
}

void debug_dump(const driver& d, std::uintptr_t handle, const std::string& path, unsigned int flags) {
    const call_site site{"debug dump", "graph", reinterpret_cast<void*>(handle)};
    check(d.api(), d.api().cuGraphDebugDotPrint(as_graph(handle, site), path.c_str(), flags), "cuGraphDebugDotPrint", site);
}

}  // namespace

void register_graph(py::module_& module) {
    using release_gil = py::call_guard<py::gil_scoped_release>;
    module.def("clone_graph", &clone_graph, py::arg("driver"), py::arg("graph"), release_gil(),
               "A copy of the graph (cuGraphClone).");
    module.def("destroy_graph", &destroy_graph, py::arg("driver"), py::arg("graph"), release_gil(), "Destroy the graph.");
    module.def("empty_graph", &empty_graph, py::arg("driver"), py::arg("graph"), release_gil(),
               "Destroy every node of the graph.");
    module.def("restore_graph", &restore_graph, py::arg("driver"), py::arg("graph"), py::arg("clone"), release_gil(),
               "Make an emptied graph do again what its clone does.");
    module.def("graph_node_kinds", &graph_node_kinds, py::arg("driver"), py::arg("graph"), release_gil(),
               "Kind of each node, in order.");
    module.def("debug_dump", &debug_dump, py::arg("driver"), py::arg("graph"), py::arg("path"), py::arg("flags") = 1,
               release_gil(), "Write a DOT file; `flags` are CUgraphDebugDot_flags, 1 is verbose.");
}

}  // namespace graphdedup::python
