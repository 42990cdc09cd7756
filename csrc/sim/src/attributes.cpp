#include "attributes.hpp"

#include <algorithm>
#include <cstring>

namespace graphdedup_sim {
namespace {

// As read from fresh nodes on a driver of CUDA 13.0.
attribute_value default_of(int id) {
    CUlaunchAttributeValue value;
    std::memset(&value, 0, sizeof value);
    if (id == attribute_id::cluster_scheduling_policy) {
        value.clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_SPREAD;
    }
    if (id == attribute_id::mem_sync_domain_map) value.memSyncDomainMap.remote = 1;
    return to_bytes(value);
}

}  // namespace

attribute_value to_bytes(const CUlaunchAttributeValue& value) {
    attribute_value bytes;
    std::memcpy(bytes.data(), &value, bytes.size());
    return bytes;
}

CUlaunchAttributeValue from_bytes(const attribute_value& bytes) {
    CUlaunchAttributeValue value;
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
}

void attribute_set::set(int id, const attribute_value& value) {
    unset(id);
    values_.emplace_back(id, value);
}

void attribute_set::unset(int id) {
    std::erase_if(values_, [id](const auto& entry) { return entry.first == id; });
}

attribute_value attribute_set::get(int id) const {
    for (const auto& [known, value] : values_) {
        if (known == id) return value;
    }
    return default_of(id);
}

void attribute_set::take(const attribute_set& other, attribute_mask mask) {
    if (mask == 0) return;
    std::erase_if(values_, [mask](const auto& entry) { return (mask_of(entry.first) & mask) != 0; });
    for (const auto& entry : other.values_) {
        if ((mask_of(entry.first) & mask) != 0) values_.push_back(entry);
    }
}

int attribute_set::cooperative() const { return from_bytes(get(attribute_id::cooperative)).cooperative; }

int attribute_set::priority() const { return from_bytes(get(attribute_id::priority)).priority; }

bool attribute_set::device_updatable() const {
    return from_bytes(get(attribute_id::device_updatable)).deviceUpdatableKernelNode.deviceUpdatable != 0;
}

dimensions attribute_set::cluster() const {
    const CUlaunchAttributeValue value = from_bytes(get(attribute_id::cluster_dimension));
    return {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
}

// Not through the union's member: it has a name only since CUDA 12.8. Three integers, like the cluster's.
dimensions attribute_set::preferred_cluster() const {
    const CUlaunchAttributeValue value = from_bytes(get(attribute_id::preferred_cluster_dimension));
    return {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
}

}  // namespace graphdedup_sim
