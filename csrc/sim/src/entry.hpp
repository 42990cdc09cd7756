// The way into every function: counts the call, applies faults, checks that it may be made, and runs what it left to be called
// without the lock.
#pragma once

#include "held_calls.hpp"
#include "in_flight.hpp"
#include "usage.hpp"
#include "world.hpp"

#include <type_traits>

namespace graphdedup_sim {

// With the lock held. CUDA_SUCCESS if the call may go on.
[[nodiscard]] CUresult admit(symbol id);

// Calls that return only when the device is idle.
[[nodiscard]] constexpr bool waits_for_device(symbol id) {
    switch (id) {
        case symbol::cuCtxSynchronize:
        case symbol::cuStreamSynchronize:
        case symbol::cuMemcpyHtoD:
        case symbol::cuMemcpyDtoH:
        case symbol::cuMemsetD8:
        case symbol::cuMemFree:
        case symbol::cuMemFreeHost: return true;
        default: return false;
    }
}

// Graphs and executables passed by handle: objects that no other thread may use meanwhile.
template <typename argument_type>
[[nodiscard]] const void* exclusive_object(const argument_type& argument) {
    if constexpr (std::is_same_v<argument_type, CUgraph> || std::is_same_v<argument_type, CUgraphExec>) {
        return argument;
    } else {
        static_cast<void>(argument);
        return nullptr;
    }
}

template <symbol id, typename function_type>
struct entry;

template <symbol id, typename... argument_types>
struct entry<id, CUresult(argument_types...)> {
    template <CUresult (*implementation)(argument_types...)>
    static CUresult CUDAAPI call(argument_types... arguments) {
        if constexpr (waits_for_device(id)) drain_in_flight();
        std::vector<std::function<void()>> deferred;
        CUresult status = CUDA_SUCCESS;
        {
            const usage_marks marks(id, {exclusive_object<argument_types>(arguments)...});
            wait_while_held(id);
            const std::lock_guard lock(shared().mutex);
            status = admit(id);
            if (status == CUDA_SUCCESS) status = implementation(arguments...);
            deferred.swap(here().deferred);
        }
        for (const auto& step : deferred) step();
        return status;
    }
};

}  // namespace graphdedup_sim
