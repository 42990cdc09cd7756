#include "user_objects.hpp"

#include "symbols.hpp"
#include "world.hpp"

namespace graphdedup_sim {

void retain(const holdings& held) {
    for (const auto& [handle, count] : held) {
        if (user_object* object = here().user_objects.find(handle)) object->reference_count += count;
    }
}

void release(const holdings& held) {
    for (const auto& [handle, count] : held) {
        user_object* object = here().user_objects.find(handle);
        if (object == nullptr) continue;
        object->reference_count -= count;
        if (object->reference_count != 0) continue;
        here().deferred.emplace_back([destroy = object->destroy, pointer = object->pointer] { destroy(pointer); });
        here().user_objects.take(handle);
    }
}

namespace impl {

CUresult cuUserObjectCreate(CUuserObject* object, void* pointer, CUhostFn destroy, unsigned int initial_count,
                            unsigned int flags) {
    constexpr unsigned int no_destructor_sync = 1;  // required: CU_USER_OBJECT_NO_DESTRUCTOR_SYNC
    if (object == nullptr || destroy == nullptr || initial_count == 0 || flags != no_destructor_sync)
        return CUDA_ERROR_INVALID_VALUE;
    world& w = here();
    *object = w.user_objects.add(std::make_unique<user_object>(user_object{destroy, pointer, initial_count}), w.handle_reuse);
    return CUDA_SUCCESS;
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags) {
    constexpr unsigned int move = 1;  // CU_GRAPH_USER_OBJECT_MOVE: the references are the caller's
    if (count == 0 || flags > move) return CUDA_ERROR_INVALID_VALUE;
    graph_object* holder = lookup(here().graphs, graph, symbol::cuGraphRetainUserObject);
    user_object* held = lookup(here().user_objects, object, symbol::cuGraphRetainUserObject);
    if (holder == nullptr || held == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (flags == move && held->reference_count < count) return CUDA_ERROR_INVALID_VALUE;
    if (flags != move) held->reference_count += count;
    holder->user_objects.emplace_back(object, count);
    return CUDA_SUCCESS;
}

}  // namespace impl
}  // namespace graphdedup_sim
