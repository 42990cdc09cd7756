// Control of the simulated driver.
#include "bindings.hpp"
#include "doctor/gate.hpp"
#include "driver/context.hpp"
#include "sim_library.hpp"
#include "sim_stand_ins.hpp"
#include "snapshot/snapshot.hpp"

#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <optional>

namespace graphdedup::python {
namespace {

namespace py = pybind11;

// Of the simulation that runs now.
std::unique_ptr<sim_stand_ins>& stand_ins() {
    static std::unique_ptr<sim_stand_ins> current;
    return current;
}

void make_primary_current(const sim_library& sim) {
    const driver_layer::api& api = sim.loaded->api();
    const driver_layer::call_site site{"sim.open", "device 0"};
    driver_layer::check(api, api.cuInit(0), "cuInit", site);
    CUcontext context = nullptr;
    driver_layer::check(api, api.cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain", site);
    driver_layer::check(api, api.cuCtxPushCurrent(context), "cuCtxPushCurrent", site);
}

std::shared_ptr<driver> open(const std::string& profile) {
    const sim_library& sim = load_sim_library();
    if (sim.gdsim_reset(profile.c_str()) != 0) {
        throw invalid_argument("sim.driver", "profile", "there is no profile '" + profile + "'");
    }
    stand_ins() = std::make_unique<sim_stand_ins>(sim);
    doctor::forget_verdicts();
    make_primary_current(sim);
    return std::const_pointer_cast<driver>(sim.loaded);
}

std::vector<std::string> profiles() {
    const sim_library& sim = load_sim_library();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < sim.gdsim_profile_count(); ++i) names.emplace_back(sim.gdsim_profile_name(i));
    return names;
}

std::uintptr_t build(const snapshot::graph& g) {
    const sim_library& sim = load_sim_library();
    const driver_layer::call_site site{"sim.build", "recorded graph"};
    if (stand_ins() == nullptr) throw invalid_argument("sim.build", "simulation", "it was not started: call sim.driver first");
    const driver_layer::api& api = sim.loaded->api();
    return reinterpret_cast<std::uintptr_t>(snapshot::build(api, g, *stand_ins(), driver_layer::current_context(api), site));
}

py::typing::Tuple<int, int, int> as_tuple(const unsigned int (&xyz)[3]) { return py::make_tuple(xyz[0], xyz[1], xyz[2]); }

py::typing::Dict<py::str, py::object> as_dict(const gdsim_record& r) {
    py::typing::Dict<py::str, py::object> d;
    d["launch_index"] = r.launch_index;
    d["exec_id"] = r.exec_id;
    d["stream"] = r.stream;
    d["device"] = r.device;
    d["depth"] = r.depth;
    d["kind"] = snapshot::name_of(static_cast<snapshot::node_kind>(r.node_kind));
    d["node_index"] = r.node_index;
    d["after_upload"] = r.after_upload != 0;
    d["function_name"] = r.function_name != nullptr ? r.function_name : "";
    d["function"] = r.function;
    d["grid"] = as_tuple(r.grid);
    d["block"] = as_tuple(r.block);
    d["shared_memory_bytes"] = r.shared_memory_bytes;
    d["cluster"] = as_tuple(r.cluster);
    d["cluster_scheduling_policy"] = r.cluster_scheduling_policy;
    d["cooperative"] = r.cooperative != 0;
    d["priority"] = r.priority;
    d["arguments"] = py::bytes(static_cast<const char*>(r.arguments), r.arguments_size_bytes);
    d["source"] = r.source;
    d["destination"] = r.destination;
    d["source_memory_type"] = r.source_memory_type;
    d["destination_memory_type"] = r.destination_memory_type;
    d["value"] = r.value;
    d["element_size_bytes"] = r.element_size_bytes;
    d["pitch_bytes"] = r.pitch_bytes;
    d["width"] = r.width;
    d["height"] = r.height;
    d["depth_count"] = r.depth_count;
    d["host_function"] = r.host_function;
    d["user_data"] = r.user_data;
    d["event"] = r.event;
    return d;
}

py::typing::List<py::typing::Dict<py::str, py::object>> launch_log() {
    const sim_library& sim = load_sim_library();
    py::typing::List<py::typing::Dict<py::str, py::object>> records;
    gdsim_record record{};
    for (std::size_t i = 0; i < sim.gdsim_log_count(); ++i) {
        if (sim.gdsim_log_get(i, &record) == 0) records.append(as_dict(record));
    }
    return records;
}

void require(int answer, const char* operation, const std::string& object) {
    if (answer != 0) throw invalid_argument(operation, object, "the simulation does not take this");
}

std::map<std::string, std::uint64_t> counters() {
    const sim_library& sim = load_sim_library();
    gdsim_counters c{};
    require(sim.gdsim_get_counters(&c), "sim.counters", "counters");
    return {
        {"live_graph_count", c.live_graph_count},
        {"live_node_count", c.live_node_count},
        {"live_exec_count", c.live_exec_count},
        {"live_user_object_count", c.live_user_object_count},
        {"live_allocation_count", c.live_allocation_count},
        {"live_module_count", c.live_module_count},
        {"live_stream_count", c.live_stream_count},
        {"live_event_count", c.live_event_count},
        {"instantiation_count", c.instantiation_count},
        {"update_count", c.update_count},
        {"refused_update_count", c.refused_update_count},
        {"upload_count", c.upload_count},
        {"launch_count", c.launch_count},
        {"launch_without_upload_count", c.launch_without_upload_count},
        {"misuse_count", c.misuse_count},
        {"live_exec_bytes", c.live_exec_bytes},
        {"peak_exec_bytes", c.peak_exec_bytes},
        {"live_allocation_bytes", c.live_allocation_bytes},
    };
}

std::string misuse() {
    const sim_library& sim = load_sim_library();
    std::string text(sim.gdsim_last_misuse(nullptr, 0) + 1, '\0');
    text.resize(std::min(text.size() - 1, sim.gdsim_last_misuse(text.data(), text.size())));
    return text;
}

// Behaviour by name, so that a new switch needs no new function.
void set_behaviour(const std::string& name, std::uint64_t value) {
    const sim_library& sim = load_sim_library();
    const int on = value != 0 ? 1 : 0;
    if (name == "stale_attributes") {
        sim.gdsim_set_stale_attributes(value);
    } else if (name == "stale_static_cluster") {
        sim.gdsim_set_stale_static_cluster(on);
    } else if (name == "readable_attributes") {
        sim.gdsim_set_readable_attributes(value);
    } else if (name == "honours_preferred_cluster") {
        sim.gdsim_set_honours_preferred_cluster(on);
    } else if (name == "refusal_is_partial") {
        sim.gdsim_set_refusal_is_partial(on);
    } else if (name == "memory_limit_bytes") {
        require(sim.gdsim_set_memory_limit(value), "sim.set_behaviour", name);
    } else if (name == "handle_reuse") {
        sim.gdsim_set_handle_reuse(on);
    } else if (name == "address_checks") {
        sim.gdsim_set_address_checks(on);
    } else if (name == "launches_held") {
        sim.gdsim_set_launches_held(on);
    } else if (name == "call_delay_us") {
        sim.gdsim_set_call_delay_us(value);
    } else if (name == "sticky_error") {
        sim.gdsim_set_sticky_error(static_cast<int>(value));
    } else if (name == "log_enabled") {
        sim.gdsim_set_log_enabled(on);
    } else {
        throw invalid_argument("sim.set_behaviour", name, "there is no such behaviour");
    }
    doctor::forget_verdicts();
}

}  // namespace

void register_sim(py::module_& module) {
    py::module_ sim = module.def_submodule("sim", "Control of the simulated driver.");
    using release_gil = py::call_guard<py::gil_scoped_release>;
    sim.def("library_path", &sim_library_path, "Where the package keeps the simulated driver.");
    sim.def("open", &open, py::arg("profile"), release_gil(), "Start the simulation anew.");
    sim.def("profiles", &profiles, "Drivers that the simulation can be.");
    sim.def("build", &build, py::arg("snapshot"), release_gil(), "Build a graph; returns its CUgraph value.");
    sim.def("launch_log", &launch_log, "What ran, a dictionary a node.");
    sim.def("clear_log", [] { load_sim_library().gdsim_log_clear(); }, "Forget what ran.");
    sim.def(
        "fail",
        [](const std::string& symbol, std::uint64_t nth, int status, std::uint64_t count) {
            require(load_sim_library().gdsim_fail_call(symbol.c_str(), nth, count, status), "sim.fail", symbol);
        },
        py::arg("symbol"), py::arg("nth"), py::arg("status"), py::arg("count"), "Make calls of a driver function fail.");
    sim.def("clear_faults", [] { load_sim_library().gdsim_clear_faults(); }, "End all faults, refusals and the sticky error.");
    sim.def(
        "refuse_every", [](std::uint64_t nth, int reason) { load_sim_library().gdsim_refuse_every_nth_update(nth, reason); },
        py::arg("nth"), py::arg("reason") = 5, "Refuse every nth update from now on; `reason` is a CUgraphExecUpdateResult.");
    sim.def(
        "set_memory_limit", [](std::uint64_t bytes) { set_behaviour("memory_limit_bytes", bytes); }, py::arg("size_bytes"),
        "Size of each device's memory.");
    sim.def("set_behaviour", &set_behaviour, py::arg("name"), py::arg("value"), "Change a behaviour by name.");
    sim.def(
        "hide_symbol",
        [](const std::string& symbol, bool hidden) {
            require(load_sim_library().gdsim_hide_symbol(symbol.c_str(), hidden ? 1 : 0), "sim.hide_symbol", symbol);
        },
        py::arg("symbol"), py::arg("hidden"), "Make a driver function impossible to find.");
    sim.def("counters", &counters, "What the simulation counts.");
    sim.def(
        "call_count", [](const std::string& symbol) { return load_sim_library().gdsim_call_count(symbol.c_str()); },
        py::arg("symbol"), "Calls of a driver function since the start, failed ones included.");
    sim.def("misuse", &misuse, "The last misuse of the driver, or ''.");
}

}  // namespace graphdedup::python
