// Who holds user objects, and when they are let go.
#include "bench.hpp"

#include <doctest/doctest.h>

using namespace sim_tests;

namespace {

// Also shows that no lock is held during the call.
void count_destroy(void* count) {
    ++*static_cast<int*>(count);
    static_cast<void>(gdsim().log_count());
}

CUuserObject attach(CUgraph graph, int& destroyed) {
    CUuserObject object = nullptr;
    REQUIRE(cu().cuUserObjectCreate(&object, &destroyed, count_destroy, 1, 1) == CUDA_SUCCESS);
    REQUIRE(cu().cuGraphRetainUserObject(graph, object, 1, 1) == CUDA_SUCCESS);
    return object;
}

}  // namespace

TEST_CASE("graphs, copies and executables hold references") {
    const bench b;
    int destroyed = 0;
    const CUgraph graph = b.graph_of({{}});
    const CUuserObject object = attach(graph, destroyed);
    const auto references = [&] { return gdsim().user_object_reference_count(value_of(object)); };
    CHECK(references() == 1);
    CUgraph copy = nullptr;
    REQUIRE(cu().cuGraphClone(&copy, graph) == CUDA_SUCCESS);
    CHECK(references() == 2);
    const CUgraphExec exec = b.instantiate(copy);
    CHECK(references() == 3);
    b.launch(exec);
    CHECK(references() == 3);
    CHECK(cu().cuGraphDestroy(graph) == CUDA_SUCCESS);
    CHECK(cu().cuGraphDestroy(copy) == CUDA_SUCCESS);
    CHECK(destroyed == 0);
    CHECK(cu().cuGraphExecDestroy(exec) == CUDA_SUCCESS);
    CHECK(destroyed == 1);
    CHECK(counters().live_user_object_count == 0);
}

TEST_CASE("an update replaces what an executable holds, a refused one does not") {
    const bench b;
    int first_destroyed = 0;
    int second_destroyed = 0;
    const CUgraph first = b.graph_of({{}});
    const CUgraph second = b.graph_of({{}});
    const CUgraph misfit = b.graph_of({{}, {}});
    attach(first, first_destroyed);
    attach(second, second_destroyed);
    attach(misfit, second_destroyed);
    const CUgraphExec exec = b.instantiate(first);
    CHECK(cu().cuGraphDestroy(first) == CUDA_SUCCESS);
    CHECK(b.update(exec, misfit) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(first_destroyed == 0);
    CHECK(cu().cuGraphDestroy(misfit) == CUDA_SUCCESS);
    CHECK(second_destroyed == 1);
    CHECK(b.update(exec, second) == CUDA_SUCCESS);
    CHECK(first_destroyed == 1);
    CHECK(cu().cuGraphDestroy(second) == CUDA_SUCCESS);
    CHECK(second_destroyed == 1);
    CHECK(cu().cuGraphExecDestroy(exec) == CUDA_SUCCESS);
    CHECK(second_destroyed == 2);
}

TEST_CASE("a launch in flight holds references") {
    const bench b;
    int destroyed = 0;
    const CUgraph graph = b.graph_of({{}});
    attach(graph, destroyed);
    const CUgraphExec exec = b.instantiate(graph);
    gdsim().set_launches_held(1);
    REQUIRE(cu().cuGraphLaunch(exec, b.stream) == CUDA_SUCCESS);
    CHECK(cu().cuGraphExecDestroy(exec) == CUDA_SUCCESS);
    CHECK(cu().cuGraphDestroy(graph) == CUDA_SUCCESS);
    CHECK(destroyed == 0);
    gdsim().set_launches_held(0);
    CHECK(destroyed == 1);
}

TEST_CASE("references that are not moved are added") {
    const bench b;
    int destroyed = 0;
    const CUgraph graph = b.graph_of({{}});
    CUuserObject object = nullptr;
    CHECK(cu().cuUserObjectCreate(&object, &destroyed, count_destroy, 1, 0) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(cu().cuUserObjectCreate(&object, &destroyed, count_destroy, 1, 1) == CUDA_SUCCESS);
    CHECK(cu().cuGraphRetainUserObject(graph, object, 2, 0) == CUDA_SUCCESS);
    CHECK(gdsim().user_object_reference_count(value_of(object)) == 3);
    CHECK(cu().cuGraphRetainUserObject(graph, object, 9, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cu().cuGraphDestroy(graph) == CUDA_SUCCESS);
    CHECK(destroyed == 0);
    CHECK(gdsim().user_object_reference_count(value_of(object)) == 1);
}
