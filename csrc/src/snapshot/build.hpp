// Makes a live graph from plain data: the walk the other way round.
#pragma once

#include "driver/api.hpp"
#include "driver/check.hpp"
#include "snapshot/function_facts.hpp"
#include "snapshot/snapshot.hpp"

namespace graphdedup::snapshot {

// What a recording cannot hold, since it names things of a process that is gone.
class stand_ins {
  public:
    virtual ~stand_ins() = default;
    stand_ins() = default;
    stand_ins(const stand_ins&) = delete;
    stand_ins& operator=(const stand_ins&) = delete;

    // A kernel with the name, parameters and facts of `f`. The same identity gives the same kernel.
    virtual function_handle kernel(const function& f) = 0;
    // Device memory for the recorded address, of at least `size_bytes`. The same address gives the same memory; address 0,
    // which says that none was recorded, gives new memory each time.
    virtual CUdeviceptr memory(std::uint64_t address, std::size_t size_bytes) = 0;
    virtual CUevent event(std::uint64_t recorded) = 0;
    virtual CUhostFn host_function(std::uint64_t recorded) = 0;
    // The argument bytes of a kernel whose recording has none.
    virtual std::vector<std::byte> arguments(const function& f) = 0;
};

// The graph is the caller's, to be destroyed with cuGraphDestroy. Throws driver_error, and invalid_argument for a node kind
// that cannot be built from a recording (memory, conditional, external semaphore, batch memory operation).
[[nodiscard]] CUgraph build(const driver_layer::api& driver, const graph& g, stand_ins& with, CUcontext context,
                            const driver_layer::call_site& site);

}  // namespace graphdedup::snapshot
