// Several threads: what is allowed works, what is not is noticed.
#include "bench.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using namespace sim_tests;

namespace {

// Runs `first` and `second` on two threads, starting together.
template <typename first_type, typename second_type>
void together(const first_type& first, const second_type& second) {
    std::atomic<int> waiting = 2;
    const auto start = [&] {
        --waiting;
        while (waiting.load() != 0) std::this_thread::yield();
    };
    std::thread other([&] {
        start();
        first();
    });
    start();
    second();
    other.join();
}

}  // namespace

TEST_CASE("two threads in one executable are noticed") {
    const bench b;
    const CUgraph graph = b.graph_of({{}});
    const CUgraph other = b.graph_of({{}});
    const CUgraphExec exec = b.instantiate(graph);
    gdsim().set_call_delay_us(20000);
    together([&] { CHECK(b.update(exec, other) == CUDA_SUCCESS); },
             [&] { CHECK(cu().cuGraphLaunch(exec, b.stream) == CUDA_SUCCESS); });
    CHECK(counters().misuse_count == 1);
    CHECK(last_misuse().find("another thread uses the same object") != std::string::npos);
}

TEST_CASE("two threads in one source graph are noticed") {
    const bench b;
    const CUgraph graph = b.graph_of({{}});
    gdsim().set_call_delay_us(20000);
    const auto clone = [graph] {
        CUgraph copy = nullptr;
        CHECK(cu().cuGraphClone(&copy, graph) == CUDA_SUCCESS);
    };
    together(clone, clone);
    CHECK(counters().misuse_count == 1);
}

TEST_CASE("threads with objects of their own do not disturb each other") {
    const bench b;
    constexpr int round_count = 200;
    const auto work = [&b](std::size_t slot) {
        const CUgraph graphs[] = {b.graph_of({{.slot = slot, .a = 1}}), b.graph_of({{.slot = slot, .a = 2}})};
        const CUgraphExec exec = b.instantiate(graphs[0]);
        bool right = true;
        for (std::size_t i = 0; i < round_count; ++i) {
            right = right && b.update(exec, graphs[i % 2]) == CUDA_SUCCESS;
            right = right && cu().cuGraphLaunch(exec, b.stream) == CUDA_SUCCESS;
            std::uint64_t a = 0;
            right = right && cu().cuMemcpyDtoH(&a, b.address(slot) + 88, sizeof a) == CUDA_SUCCESS;
            right = right && a == 1 + i % 2;
        }
        CHECK(right);
        CHECK(cu().cuGraphExecDestroy(exec) == CUDA_SUCCESS);
    };
    const auto with_context = [&](std::size_t slot) {
        return [&, slot] {
            CHECK(cu().cuCtxPushCurrent(b.context) == CUDA_SUCCESS);
            work(slot);
        };
    };
    together(with_context(1), with_context(2));
    CHECK(counters().misuse_count == 0);
    CHECK(counters().launch_count == 2 * round_count);
    CHECK(gdsim().log_count() == 2 * round_count);
}

TEST_CASE("a host function may take its time and look at the log") {
    const bench b;
    static std::atomic<bool> release;
    release = false;
    CUDA_HOST_NODE_PARAMS host{};
    host.fn = [](void*) {
        while (!release.load()) std::this_thread::yield();
        static_cast<void>(gdsim().log_count());
    };
    const CUgraph slow = b.graph();
    CUgraphNode node = nullptr;
    REQUIRE(cu().cuGraphAddHostNode(&node, slow, nullptr, 0, &host) == CUDA_SUCCESS);
    const CUgraphExec exec = b.instantiate(slow);
    std::thread launching([&] { CHECK(cu().cuGraphLaunch(exec, b.stream) == CUDA_SUCCESS); });
    while (gdsim().log_count() == 0) std::this_thread::yield();
    // In flight: the executable may be changed and destroyed.
    CHECK(b.update(exec, slow) == CUDA_SUCCESS);
    CHECK(cu().cuGraphExecDestroy(exec) == CUDA_SUCCESS);
    release = true;
    launching.join();
    CHECK(cu().cuStreamSynchronize(b.stream) == CUDA_SUCCESS);
}
