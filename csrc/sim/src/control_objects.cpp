// The control interface: making objects that have no call of their own here, and looking into others.
#include "graphdedup_sim/control.h"

#include "kernel_params.hpp"
#include "ptx.hpp"
#include "thread_state.hpp"
#include "world.hpp"

#include <cstring>

namespace {

using namespace graphdedup_sim;

template <typename handle_type>
handle_type to_handle(std::uintptr_t value) {
    return reinterpret_cast<handle_type>(value);
}

std::uint64_t ask_exec(std::uintptr_t exec, const auto& read) {
    const std::lock_guard lock(shared().mutex);
    const exec_object* found = here().execs.find(to_handle<CUgraphExec>(exec));
    return found != nullptr ? read(*found) : 0;
}

}  // namespace

std::uintptr_t gdsim_function_create(const char* name, const std::size_t* param_offsets, const std::size_t* param_sizes,
                                     std::size_t param_count, const int* attribute_ids, const int* attribute_values,
                                     std::size_t attribute_count, int as_kernel) {
    if (name == nullptr || (param_count != 0 && (param_offsets == nullptr || param_sizes == nullptr))) return 0;
    if (attribute_count != 0 && (attribute_ids == nullptr || attribute_values == nullptr)) return 0;
    auto made = std::make_unique<function_object>();
    made->name = name;
    for (std::size_t i = 0; i < param_count; ++i) made->parameters.push_back({param_offsets[i], param_sizes[i]});
    made->attributes = plain_attributes();
    for (std::size_t i = 0; i < attribute_count; ++i) made->attributes[attribute_ids[i]] = attribute_values[i];
    const std::lock_guard lock(shared().mutex);
    world& w = here();
    if (as_kernel != 0) return w.kernels.to_value(w.kernels.add(std::move(made), w.handle_reuse));
    if (current_context(made->context) != CUDA_SUCCESS) return 0;
    return w.functions.to_value(w.functions.add(std::move(made), w.handle_reuse));
}

int gdsim_function_destroy(std::uintptr_t function) {
    const std::lock_guard lock(shared().mutex);
    if (here().functions.take(to_handle<CUfunction>(function)) != nullptr) return 0;
    return here().kernels.take(to_handle<CUkernel>(function)) != nullptr ? 0 : -1;
}

int gdsim_node_set_attribute(std::uintptr_t node, int id, const void* value) {
    const std::lock_guard lock(shared().mutex);
    node_object* found = here().nodes.find(to_handle<CUgraphNode>(node));
    auto* kernel = found != nullptr ? std::get_if<kernel_params>(&found->params) : nullptr;
    if (kernel == nullptr || value == nullptr || mask_of(id) == 0) return -1;
    attribute_value bytes;
    std::memcpy(bytes.data(), value, bytes.size());
    kernel->attributes.set(id, bytes);
    return 0;
}

std::uintptr_t gdsim_context_create(int ordinal) {
    const std::lock_guard lock(shared().mutex);
    world& w = here();
    if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= w.devices.size()) return 0;
    return w.contexts.to_value(w.contexts.add(std::make_unique<context_object>(context_object{ordinal}), false));
}

std::uint64_t gdsim_user_object_reference_count(std::uintptr_t object) {
    const std::lock_guard lock(shared().mutex);
    const user_object* found = here().user_objects.find(to_handle<CUuserObject>(object));
    return found != nullptr ? found->reference_count : 0;
}

std::uint64_t gdsim_exec_id(std::uintptr_t exec) {
    return ask_exec(exec, [](const exec_object& found) { return found.id; });
}

std::uint64_t gdsim_exec_size_bytes(std::uintptr_t exec) {
    return ask_exec(exec, [](const exec_object& found) { return std::uint64_t{found.size_bytes}; });
}

std::uint64_t gdsim_exec_flags(std::uintptr_t exec) {
    return ask_exec(exec, [](const exec_object& found) { return std::uint64_t{found.flags}; });
}
