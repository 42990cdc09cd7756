// What recorded graphs refer to, made in the simulation.
#pragma once

#include "driver/owned.hpp"
#include "sim_library.hpp"
#include "snapshot/build.hpp"

#include <map>

namespace graphdedup::python {

// Everything lives until the simulation is started anew.
class sim_stand_ins final : public snapshot::stand_ins {
  public:
    explicit sim_stand_ins(const sim_library& sim) : sim_(sim) {}

    snapshot::function_handle kernel(const snapshot::function& f) override;
    CUdeviceptr memory(std::uint64_t address, std::size_t size_bytes) override;
    CUevent event(std::uint64_t recorded) override;
    CUhostFn host_function(std::uint64_t recorded) override;
    // Other bytes at every call: no two kernels get the same, so that a mix-up shows.
    std::vector<std::byte> arguments(const snapshot::function& f) override;

  private:
    struct block {
        CUdeviceptr address = 0;
        std::size_t size_bytes = 0;
    };

    const sim_library& sim_;
    std::map<std::pair<std::uint64_t, std::string>, CUfunction> kernels_;
    std::map<std::uint64_t, block> memory_;
    std::map<std::uint64_t, CUevent> events_;
    std::uint64_t next_argument_ = 1;
};

}  // namespace graphdedup::python
