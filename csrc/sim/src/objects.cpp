#include "objects.hpp"

#include <algorithm>

namespace graphdedup_sim {

int function_object::attribute(int id) const {
    const auto at = attributes.find(id);
    return at == attributes.end() ? 0 : at->second;
}

std::size_t function_object::arguments_size_bytes() const {
    std::size_t size_bytes = 0;
    for (const parameter_layout& p : parameters) size_bytes = std::max(size_bytes, p.offset_bytes + p.size_bytes);
    return size_bytes;
}

dimensions function_object::static_cluster() const {
    const auto read = [this](CUfunction_attribute id) { return static_cast<unsigned int>(attribute(id)); };
    return {read(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), read(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT),
            read(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH)};
}

}  // namespace graphdedup_sim
