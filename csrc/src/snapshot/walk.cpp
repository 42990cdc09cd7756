#include "snapshot/walk.hpp"

#include "snapshot/walk_kernel.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace graphdedup::snapshot {
namespace {

using driver_layer::call_site;
using driver_layer::check;

// From node handles to indices. Nearly every edge of a captured graph comes from the node before, so that is tried first.
class node_index {
  public:
    explicit node_index(const std::vector<CUgraphNode>& nodes) : nodes_(nodes) {
        sorted_.reserve(nodes.size());
        for (std::uint32_t i = 0; i < nodes.size(); ++i) sorted_.emplace_back(nodes[i], i);
        if (!std::is_sorted(sorted_.begin(), sorted_.end())) std::sort(sorted_.begin(), sorted_.end());
    }

    // `hint`: index of the node whose dependency is looked up. Empty if there is no such node.
    [[nodiscard]] std::optional<std::uint32_t> find(CUgraphNode node, std::uint32_t hint) const {
        if (hint > 0 && nodes_[hint - 1] == node) return hint - 1;
        const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(node, 0U));
        if (at == sorted_.end() || at->first != node) return std::nullopt;
        return at->second;
    }

  private:
    const std::vector<CUgraphNode>& nodes_;
    std::vector<std::pair<CUgraphNode, std::uint32_t>> sorted_;
};

class walker {
  public:
    walker(const driver_layer::api& driver, CUgraph source, CUdevice device, walk_detail detail, const call_site& site,
           walk_memory& memory)
        : driver_(driver),
          source_(source),
          device_(device),
          detail_(detail),
          site_(site),
          memory_(memory),
          kernels_(driver, device, detail, site, memory.attributes),
          result_(std::exchange(memory.buffers, {})) {
        result_.clear();
    }

    graph run() {
        const std::vector<CUgraphNode> nodes = read_nodes();
        const node_index index(nodes);
        const std::size_t edge_count = count_edges();
        result_.nodes.reserve(nodes.size());
        result_.edges.reserve(edge_count);
        kernels_.reserve(result_, nodes.size());
        for (const CUgraphNode handle : nodes) {
            node& added = result_.nodes.emplace_back();
            added.incoming = read_dependencies(handle, index);
            read_node(handle, added);
        }
        if (result_.edges.size() != edge_count) inconsistent("edges");
        return std::move(result_);
    }

  private:
    std::vector<CUgraphNode> read_nodes() const {
        std::size_t count = 0;
        check(driver_, driver_.cuGraphGetNodes(source_, nullptr, &count), "cuGraphGetNodes", site_);
        std::vector<CUgraphNode> nodes(count);
        if (count == 0) return nodes;
        check(driver_, driver_.cuGraphGetNodes(source_, nodes.data(), &count), "cuGraphGetNodes", site_);
        if (count != nodes.size()) inconsistent("nodes");
        return nodes;
    }

    std::size_t count_edges() const {
        std::size_t count = 0;
        check(driver_, driver_.cuGraphGetEdges(source_, nullptr, nullptr, nullptr, &count), "cuGraphGetEdges", site_);
        return count;
    }

    // One call where the buffer has room to spare; a full buffer may have cut the list, so the count is then asked for.
    std::size_t fetch_dependencies(CUgraphNode handle) {
        std::size_t count = dependencies_.size();
        const auto get = [&] {
            return driver_.cuGraphNodeGetDependencies(handle, dependencies_.data(), dependency_data_.data(), &count);
        };
        check(driver_, get(), "cuGraphNodeGetDependencies", site_);
        if (count < dependencies_.size()) return count;
        check(driver_, driver_.cuGraphNodeGetDependencies(handle, nullptr, nullptr, &count), "cuGraphNodeGetDependencies", site_);
        dependencies_.resize(count + 1);
        dependency_data_.resize(count + 1);
        const std::size_t expected = std::exchange(count, count + 1);
        check(driver_, get(), "cuGraphNodeGetDependencies", site_);
        if (count != expected) inconsistent("dependencies");
        return count;
    }

    range read_dependencies(CUgraphNode handle, const node_index& index) {
        const auto to = static_cast<std::uint32_t>(result_.nodes.size() - 1);
        const range added{static_cast<std::uint32_t>(result_.edges.size()),
                          static_cast<std::uint32_t>(fetch_dependencies(handle))};
        for (std::uint32_t i = 0; i < added.count; ++i) {
            const std::optional<std::uint32_t> from = index.find(dependencies_[i], to);
            if (!from) inconsistent("dependencies");
            const CUgraphEdgeData& data = dependency_data_[i];
            result_.edges.push_back({*from, to, data.from_port, data.to_port, data.type});
        }
        return added;
    }

    void read_node(CUgraphNode handle, node& added);
    void read_memcpy(CUgraphNode handle);
    void read_memset(CUgraphNode handle);
    void read_host(CUgraphNode handle);
    void read_event(CUgraphNode handle, node_kind kind);
    void read_child(CUgraphNode handle);

    [[noreturn]] void inconsistent(const char* what) const {
        throw invalid_graph(
            std::string(site_.operation), driver_layer::describe(site_.object_kind, site_.object),
            std::string("the driver's answers about its ") + what + " contradict each other: was it changed meanwhile?");
    }

    const driver_layer::api& driver_;
    CUgraph source_;
    CUdevice device_;
    walk_detail detail_;
    const call_site& site_;
    walk_memory& memory_;
    kernel_reader kernels_;
    graph result_;
    std::vector<CUgraphNode> dependencies_ = std::vector<CUgraphNode>(16);
    std::vector<CUgraphEdgeData> dependency_data_ = std::vector<CUgraphEdgeData>(16);
};

void walker::read_node(CUgraphNode handle, node& added) {
    CUgraphNodeType type{};
    check(driver_, driver_.cuGraphNodeGetType(handle, &type), "cuGraphNodeGetType", site_);
    added.kind = static_cast<node_kind>(type);
    const auto next = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
    switch (added.kind) {
        case node_kind::kernel: added.detail = next(result_.kernels); return kernels_.read(handle, result_);
        case node_kind::memcpy: added.detail = next(result_.memcpys); return read_memcpy(handle);
        case node_kind::memset: added.detail = next(result_.memsets); return read_memset(handle);
        case node_kind::host: added.detail = next(result_.hosts); return read_host(handle);
        case node_kind::event_wait:
        case node_kind::event_record: added.detail = next(result_.events); return read_event(handle, added.kind);
        case node_kind::child_graph: added.detail = next(result_.children); return read_child(handle);
        default: return;  // never shared, so that nothing more needs to be known: signature/rules
    }
}

memcpy_operand source_of(const CUDA_MEMCPY3D& copy) {
    const bool host = copy.srcMemoryType == CU_MEMORYTYPE_HOST;
    const bool array = copy.srcMemoryType == CU_MEMORYTYPE_ARRAY;
    const std::uint64_t address = host    ? reinterpret_cast<std::uintptr_t>(copy.srcHost)
                                  : array ? reinterpret_cast<std::uintptr_t>(copy.srcArray)
                                          : copy.srcDevice;
    return {static_cast<std::uint32_t>(copy.srcMemoryType),
            address,
            copy.srcPitch,
            copy.srcHeight,
            copy.srcXInBytes,
            copy.srcY,
            copy.srcZ,
            copy.srcLOD};
}

memcpy_operand destination_of(const CUDA_MEMCPY3D& copy) {
    const bool host = copy.dstMemoryType == CU_MEMORYTYPE_HOST;
    const bool array = copy.dstMemoryType == CU_MEMORYTYPE_ARRAY;
    const std::uint64_t address = host    ? reinterpret_cast<std::uintptr_t>(copy.dstHost)
                                  : array ? reinterpret_cast<std::uintptr_t>(copy.dstArray)
                                          : copy.dstDevice;
    return {static_cast<std::uint32_t>(copy.dstMemoryType),
            address,
            copy.dstPitch,
            copy.dstHeight,
            copy.dstXInBytes,
            copy.dstY,
            copy.dstZ,
            copy.dstLOD};
}

void walker::read_memcpy(CUgraphNode handle) {
    CUDA_MEMCPY3D copy{};
    check(driver_, driver_.cuGraphMemcpyNodeGetParams(handle, &copy), "cuGraphMemcpyNodeGetParams", site_);
    result_.memcpys.push_back({source_of(copy), destination_of(copy), copy.WidthInBytes, copy.Height, copy.Depth});
}

void walker::read_memset(CUgraphNode handle) {
    CUDA_MEMSET_NODE_PARAMS set{};
    check(driver_, driver_.cuGraphMemsetNodeGetParams(handle, &set), "cuGraphMemsetNodeGetParams", site_);
    result_.memsets.push_back({set.dst, set.pitch, set.value, set.elementSize, set.width, set.height});
}

void walker::read_host(CUgraphNode handle) {
    CUDA_HOST_NODE_PARAMS host{};
    check(driver_, driver_.cuGraphHostNodeGetParams(handle, &host), "cuGraphHostNodeGetParams", site_);
    result_.hosts.push_back({reinterpret_cast<std::uintptr_t>(host.fn), reinterpret_cast<std::uintptr_t>(host.userData)});
}

void walker::read_event(CUgraphNode handle, node_kind kind) {
    CUevent event = nullptr;
    if (kind == node_kind::event_record) {
        check(driver_, driver_.cuGraphEventRecordNodeGetEvent(handle, &event), "cuGraphEventRecordNodeGetEvent", site_);
    } else {
        check(driver_, driver_.cuGraphEventWaitNodeGetEvent(handle, &event), "cuGraphEventWaitNodeGetEvent", site_);
    }
    result_.events.push_back(reinterpret_cast<std::uintptr_t>(event));
}

void walker::read_child(CUgraphNode handle) {
    CUgraph child = nullptr;
    check(driver_, driver_.cuGraphChildGraphNodeGetGraph(handle, &child), "cuGraphChildGraphNodeGetGraph", site_);
    result_.children.push_back(walk(driver_, child, device_, detail_, site_, memory_));
}

}  // namespace

graph walk(const driver_layer::api& driver, CUgraph graph, CUdevice device, walk_detail detail, const call_site& site) {
    walk_memory memory;
    return walk(driver, graph, device, detail, site, memory);
}

graph walk(const driver_layer::api& driver, CUgraph graph, CUdevice device, walk_detail detail, const call_site& site,
           walk_memory& memory) {
    return walker(driver, graph, device, detail, site, memory).run();
}

}  // namespace graphdedup::snapshot
