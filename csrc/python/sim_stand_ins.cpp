#include "sim_stand_ins.hpp"

#include "driver/check.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace graphdedup::python {
namespace {

constexpr driver_layer::call_site site{"sim.build", "recorded graph"};

void append_fact(const std::optional<std::int32_t>& fact, int attribute, std::vector<int>& ids, std::vector<int>& values) {
    if (!fact) return;
    ids.push_back(attribute);
    values.push_back(*fact);
}

CUfunction create_function(const sim_library& sim, const snapshot::function& f) {
    std::vector<std::size_t> offsets;
    std::vector<std::size_t> sizes;
    for (const snapshot::param_info& p : f.params) {
        offsets.push_back(p.offset_bytes);
        sizes.push_back(p.size_bytes);
    }
    std::vector<int> ids;
    std::vector<int> values;
    append_fact(f.facts.num_regs, CU_FUNC_ATTRIBUTE_NUM_REGS, ids, values);
    append_fact(f.facts.max_dynamic_shared_bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, ids, values);
    append_fact(f.facts.preferred_shared_memory_carveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, ids, values);
    append_fact(f.facts.cluster_size_must_be_set, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, ids, values);
    append_fact(f.facts.required_cluster_width, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, ids, values);
    append_fact(f.facts.required_cluster_height, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, ids, values);
    append_fact(f.facts.required_cluster_depth, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, ids, values);
    append_fact(f.facts.non_portable_cluster_size_allowed, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, ids, values);
    append_fact(f.facts.cluster_scheduling_policy, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, ids, values);
    const std::uintptr_t made = sim.gdsim_function_create(f.name.c_str(), offsets.data(), sizes.data(), offsets.size(),
                                                          ids.data(), values.data(), ids.size(), 0);
    if (made == 0) throw invalid_argument("sim.build", "function " + f.name, "the simulation refuses its description");
    return reinterpret_cast<CUfunction>(made);
}

void CUDA_CB do_nothing(void*) {}

}  // namespace

snapshot::function_handle sim_stand_ins::kernel(const snapshot::function& f) {
    CUfunction& known = kernels_[{f.identity, f.name}];
    if (known == nullptr) known = create_function(sim_, f);
    return {known, nullptr};
}

CUdeviceptr sim_stand_ins::memory(std::uint64_t address, std::size_t size_bytes) {
    block* known = address != 0 ? &memory_[address] : nullptr;
    if (known != nullptr && known->size_bytes >= size_bytes) return known->address;
    constexpr std::size_t least_bytes = 256;
    const driver_layer::api& api = sim_.loaded->api();
    block made{0, std::max(size_bytes, least_bytes)};
    driver_layer::check(api, api.cuMemAlloc(&made.address, made.size_bytes), "cuMemAlloc", site);
    if (known != nullptr) *known = made;
    return made.address;
}

CUevent sim_stand_ins::event(std::uint64_t recorded) {
    CUevent& known = events_[recorded];
    const driver_layer::api& api = sim_.loaded->api();
    if (known == nullptr) driver_layer::check(api, api.cuEventCreate(&known, 0), "cuEventCreate", site);
    return known;
}

CUhostFn sim_stand_ins::host_function(std::uint64_t) { return do_nothing; }

std::vector<std::byte> sim_stand_ins::arguments(const snapshot::function& f) {
    std::size_t size_bytes = 0;
    for (const snapshot::param_info& p : f.params) size_bytes = std::max<std::size_t>(size_bytes, p.offset_bytes + p.size_bytes);
    std::vector<std::byte> filled(size_bytes);
    const std::uint64_t mark = next_argument_++;
    for (std::size_t at = 0; at < size_bytes; at += sizeof mark) {
        std::memcpy(filled.data() + at, &mark, std::min(sizeof mark, size_bytes - at));
    }
    return filled;
}

}  // namespace graphdedup::python
