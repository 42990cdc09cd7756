// Bringing an executable to a member.
#pragma once

#include "registry/state.hpp"

#include <string>

namespace graphdedup {

// How a member came to be loaded.
enum class way { hit, switched, first_load, fell_back };

// Takes the group's mutex and waits until no other thread loads the member. Throws registry_closed where it cannot be used (any
// more): see usable.hpp.
[[nodiscard]] std::unique_lock<std::mutex> lock_settled(const char* operation, member_state& m);

// Brings an executable to a member that none holds. Wants the lock of lock_settled and the group's context current; gives the
// lock up while it updates. What to log goes to `message`. Throws out_of_memory, driver_error, registry_closed.
way load(std::unique_lock<std::mutex>& lock, member_state& m, const driver_layer::call_site& site, std::string& message);

// Uploads the executable that holds the member, unless that was done. As above. Throws driver_error.
void upload(std::unique_lock<std::mutex>& lock, member_state& m, CUstream stream, const driver_layer::call_site& site);

}  // namespace graphdedup
