// cuGraphDebugDotPrint: in the form of a driver, with its verbose fields.
#include "graph_edit.hpp"
#include "symbols.hpp"
#include "world.hpp"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>

namespace graphdedup_sim::impl {
namespace {

std::string hexadecimal(std::uintptr_t value) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%016llX", static_cast<unsigned long long>(value));
    return text;
}

template <typename handle_type>
std::string hexadecimal_handle(handle_type handle) {
    return hexadecimal(reinterpret_cast<std::uintptr_t>(handle));
}

const char* name_of(CUgraphNodeType type) {
    constexpr const char* names[] = {
        "KERNEL",       "MEMCPY",           "MEMSET",         "HOST",      "GRAPH",    "EMPTY",        "EVENT_WAIT",
        "EVENT_RECORD", "SEMAPHORE_SIGNAL", "SEMAPHORE_WAIT", "MEM_ALLOC", "MEM_FREE", "BATCH_MEM_OP", "CONDITIONAL"};
    const auto index = static_cast<std::size_t>(type);
    return index < std::size(names) ? names[index] : "UNKNOWN";
}

// "4", or "\{4,2\}" where more than the first dimension counts.
std::string shape(const dimensions& d) {
    if (d[1] == 1 && d[2] == 1) return std::to_string(d[0]);
    std::string text = "\\{" + std::to_string(d[0]) + "," + std::to_string(d[1]);
    if (d[2] != 1) text += "," + std::to_string(d[2]);
    return text + "\\}";
}

std::string policy_window(const attribute_set& attributes) {
    const CUlaunchAttributeValue value = from_bytes(attributes.get(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW));
    const CUaccessPolicyWindow& window = value.accessPolicyWindow;
    constexpr const char* properties[] = {"N", "S", "P"};
    const auto property = [&](CUaccessProperty p) { return properties[static_cast<std::size_t>(p) % std::size(properties)]; };
    return hexadecimal_handle(window.base_ptr) + " | " + std::to_string(window.num_bytes) + " | " +
           std::to_string(window.hitRatio) + " | " + property(window.hitProp) + " | " + property(window.missProp);
}

// One graph of the file, a cluster in the sense of dot.
class dot_graph {
  public:
    dot_graph(std::ofstream& out, std::size_t number) : out_(out), prefix_("graph_" + std::to_string(number)) {}

    // Child graphs and bodies that were named are left in `inner`, to be written by themselves.
    void write(std::size_t number, const graph_object& graph, std::vector<std::pair<std::size_t, CUgraph>>& inner,
               std::size_t& graph_count) {
        out_ << "subgraph cluster_" << number << " {\nlabel=\"" << prefix_ << "\" graph[style=\"dashed\"];\n";
        std::map<CUgraphNode, std::size_t> index;
        for (const CUgraphNode handle : graph.nodes) {
            const std::size_t id = index.size();
            index.emplace(handle, id);
            const node_object& node = *here().nodes.find(handle);
            std::string inner_names;
            for (const CUgraph owned : owned_graphs(node)) {
                inner.emplace_back(++graph_count, owned);
                inner_names += "\ngraph_" + std::to_string(graph_count);
            }
            write_node(id, handle, node, inner_names);
        }
        for (const CUgraphNode handle : graph.nodes) {
            for (const edge& e : here().nodes.find(handle)->incoming) {
                out_ << '"' << prefix_ << "_node_" << index.at(e.from) << "\" -> \"" << prefix_ << "_node_" << index.at(handle)
                     << "\" [headlabel=" << static_cast<int>(e.data.to_port) << "];\n";
            }
        }
        out_ << "}\n";
    }

  private:
    void write_node(std::size_t id, CUgraphNode handle, const node_object& node, const std::string& inner_names) {
        out_ << '"' << prefix_ << "_node_" << id << '"';
        if (const auto* kernel = std::get_if<kernel_params>(&node.params)) return write_kernel(id, handle, *kernel);
        if (const auto* fill = std::get_if<memset_params>(&node.params)) return write_fill(id, handle, fill->set);
        out_ << "[style=\"solid\" shape=\"rectangle\" label=\"" << id << '\n';
        if (node.type == CU_GRAPH_NODE_TYPE_GRAPH) {
            out_ << inner_names.substr(1);
        } else {
            out_ << name_of(node.type) << inner_names;
        }
        out_ << "\nnode handle: " << hexadecimal_handle(handle) << '\n';
        if (const auto* host = std::get_if<host_params>(&node.params)) {
            out_ << "fn: " << hexadecimal_handle(host->function) << "\nuserData: " << hexadecimal_handle(host->user_data) << '\n';
        }
        if (const auto* event = std::get_if<event_params>(&node.params))
            out_ << "event: " << hexadecimal_handle(event->event) << '\n';
        out_ << "\"];\n\n";
    }

    void write_kernel(std::size_t id, CUgraphNode handle, const kernel_params& kernel) {
        const function_object* function =
            kernel.function != nullptr ? here().functions.find(kernel.function) : here().kernels.find(kernel.kernel);
        const std::string function_handle =
            kernel.function != nullptr ? hexadecimal_handle(kernel.function) : hexadecimal_handle(kernel.kernel);
        out_ << "[style=\"bold\" shape=\"record\" label=\"{KERNEL\n| {ID | " << id << " | "
             << (function != nullptr ? function->name : "?") << "\\<\\<\\<" << shape(kernel.grid) << ',' << shape(kernel.block)
             << ',' << kernel.shared_memory_bytes << "\\>\\>\\>}\n| {{node handle | func handle} | {"
             << hexadecimal_handle(handle) << " | " << function_handle
             << "}}\n| {accessPolicyWindow | {base_ptr | num_bytes | hitRatio | hitProp | missProp} | {"
             << policy_window(kernel.attributes) << "}}\n| {cooperative | " << kernel.attributes.cooperative()
             << "}\n| {priority | " << kernel.attributes.priority() << "}\n}\"];\n\n";
    }

    void write_fill(std::size_t id, CUgraphNode handle, const CUDA_MEMSET_NODE_PARAMS& fill) {
        out_ << "[style=\"solid\" shape=\"record\" label=\"{MEMSET\n| {{ID | node handle | dptr | pitch | value | elementSize | "
                "width | "
                "height} | {"
             << id << " | " << hexadecimal_handle(handle) << " | " << hexadecimal(static_cast<std::uintptr_t>(fill.dst)) << " | "
             << fill.pitch << " | " << fill.value << " | " << fill.elementSize << " | " << fill.width << " | " << fill.height
             << "}}}\"];\n\n";
    }

    std::ofstream& out_;
    std::string prefix_;
};

}  // namespace

CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned int /*flags: always verbose*/) {
    if (path == nullptr || lookup(here().graphs, graph, symbol::cuGraphDebugDotPrint) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::ofstream out(path);
    if (!out) return CUDA_ERROR_OPERATING_SYSTEM;
    out << "digraph dot {\n";
    std::size_t graph_count = 1;
    std::vector<std::pair<std::size_t, CUgraph>> waiting{{1, graph}};
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        const auto [number, handle] = waiting[i];
        dot_graph(out, number).write(number, *here().graphs.find(handle), waiting, graph_count);
    }
    out << "}\n";
    out.close();
    return out ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

}  // namespace graphdedup_sim::impl
