#include "world.hpp"

#include "profile.hpp"

#include <cstdlib>

namespace graphdedup_sim {
namespace {

std::uint64_t next_generation() {
    static std::uint64_t generation = 0;
    return ++generation;
}

// Calls that a driver may serve by waiting for, or touching, work of other streams.
constexpr symbol spoils_captures[] = {
    symbol::cuMemAlloc,
    symbol::cuMemFree,
    symbol::cuMemAllocHost,
    symbol::cuMemFreeHost,
    symbol::cuMemcpyHtoD,
    symbol::cuMemcpyDtoH,
    symbol::cuMemsetD8,
    symbol::cuModuleLoadData,
    symbol::cuModuleUnload,
    symbol::cuCtxSynchronize,
    symbol::cuGraphInstantiateWithParams,
    symbol::cuGraphExecDestroy,
};

const gdsim_profile& first_profile() {
    const char* wanted = std::getenv("GDSIM_PROFILE");
    const gdsim_profile* found = wanted != nullptr ? find_profile(wanted) : nullptr;
    return found != nullptr ? *found : known_profiles().front();
}

}  // namespace

world::world(const gdsim_profile& with) : profile(with), generation(next_generation()) {
    devices.resize(static_cast<std::size_t>(profile.device_count));
    for (const symbol id : spoils_captures) forbidden_during_capture[static_cast<std::size_t>(id)] = true;
}

world::~world() {
    for (const auto& [address, owned] : allocations) std::free(owned.memory);
    for (void* const pinned : pinned_allocations) std::free(pinned);
}

shared_state::shared_state() : current(new world(first_profile())) {}

shared_state& shared() {
    static auto* state = new shared_state;
    return *state;
}

void note_misuse(std::string text) {
    ++here().counters.misuse_count;
    here().last_misuse = std::move(text);
}

}  // namespace graphdedup_sim
