// The control interface: the launch log.
#include "graphdedup_sim/control.h"

#include "world.hpp"

#include <algorithm>
#include <cstring>

using graphdedup_sim::here;
using graphdedup_sim::launch_log;
using graphdedup_sim::shared;

std::size_t gdsim_log_count(void) {
    const std::lock_guard lock(shared().mutex);
    return here().log.size();
}

int gdsim_log_get(std::size_t index, gdsim_record* record) {
    const std::lock_guard lock(shared().mutex);
    const launch_log::entry* found = here().log.find(index);
    if (found == nullptr || record == nullptr) return -1;
    *record = found->record;
    record->function_name = found->function_name.c_str();
    record->arguments = found->arguments.data();
    record->arguments_size_bytes = found->arguments.size();
    return 0;
}

std::size_t gdsim_log_arguments(std::size_t index, void* buffer, std::size_t size_bytes) {
    const std::lock_guard lock(shared().mutex);
    const launch_log::entry* found = here().log.find(index);
    if (found == nullptr) return 0;
    const std::size_t copied = std::min(size_bytes, found->arguments.size());
    if (buffer != nullptr && copied != 0) std::memcpy(buffer, found->arguments.data(), copied);
    return found->arguments.size();
}

void gdsim_log_clear(void) {
    const std::lock_guard lock(shared().mutex);
    here().log.clear();
}

void gdsim_set_log_enabled(int on) {
    const std::lock_guard lock(shared().mutex);
    here().log.enabled = on != 0;
}
