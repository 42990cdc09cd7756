// The only names that the library exports as a driver.
#include "entry.hpp"

#include "graphdedup_sim/control.h"

#include <array>

// cuda.h makes a macro of the unversioned name.
#undef cuGetProcAddress

namespace graphdedup_sim {
namespace {

using any_function = void (*)();

const std::array<any_function, symbol_count>& entry_table() {
    static const std::array<any_function, symbol_count> table{{
#define GRAPHDEDUP_SYMBOL(name, introduced, need, return_type, parameters) \
    reinterpret_cast<any_function>(&entry<symbol::name, return_type parameters>::template call<&impl::name>),
#include "../../src/driver/symbols.def"
#undef GRAPHDEDUP_SYMBOL
    }};
    return table;
}

CUresult find(const char* name, void** function, int version, CUdriverProcAddressQueryResult* result) {
    if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *function = nullptr;
    const auto answer = [result](CUdriverProcAddressQueryResult value, CUresult status) {
        if (result != nullptr) *result = value;
        return status;
    };
    const std::lock_guard lock(shared().mutex);
    const std::optional<symbol> id = find_symbol(name);
    if (!id || here().hidden[static_cast<std::size_t>(*id)]) {
        return answer(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, CUDA_ERROR_NOT_FOUND);
    }
    if (version < info_of(*id).introduced) return answer(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, CUDA_ERROR_NOT_FOUND);
    *function = reinterpret_cast<void*>(entry_table()[static_cast<std::size_t>(*id)]);
    return answer(CU_GET_PROC_ADDRESS_SUCCESS, CUDA_SUCCESS);
}

}  // namespace
}  // namespace graphdedup_sim

extern "C" {

GDSIM_API CUresult CUDAAPI cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                                               CUdriverProcAddressQueryResult* result);
GDSIM_API CUresult CUDAAPI cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags);

CUresult CUDAAPI cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t /*flags*/,
                                     CUdriverProcAddressQueryResult* result) {
    return graphdedup_sim::find(name, function, version, result);
}

CUresult CUDAAPI cuGetProcAddress(const char* name, void** function, int version, cuuint64_t /*flags*/) {
    return graphdedup_sim::find(name, function, version, nullptr);
}
}
