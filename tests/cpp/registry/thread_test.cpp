// Several threads at once, and a forked child.
#include "support/sim_world.hpp"

#include <graphdedup/log.hpp>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

namespace {

using namespace graphdedup;
using graphdedup::tests::kernel_spec;
using graphdedup::tests::sim_world;

std::vector<kernel_spec> specs_of(std::uint64_t value) { return {{"kernel", value}, {"kernel", value + 1}}; }

// Runs in threads that have the simulation's context current.
void run_together(const sim_world& world, std::size_t thread_count, const std::function<void(std::size_t)>& work) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < thread_count; ++i) {
        threads.emplace_back([&, i] {
            CHECK(world.api().cuCtxPushCurrent(world.context()) == CUDA_SUCCESS);
            work(i);
        });
    }
    for (std::thread& t : threads) t.join();
}

}  // namespace

TEST_CASE("replays of one group from several threads: each runs its own graph, and no object is used twice at once") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    std::vector<shared_graph> graphs;
    for (std::uint64_t i = 0; i < 4; ++i) graphs.push_back(r.add(world.chain(specs_of(100 * i))));
    gdsim_set_call_delay_us(20);  // makes an overlap certain to be seen
    constexpr int replays_each = 50;
    run_together(world, graphs.size(), [&](std::size_t i) {
        for (int n = 0; n < replays_each; ++n) graphs[i].replay(nullptr);
    });
    gdsim_set_call_delay_us(0);
    CHECK(world.counters().misuse_count == 0);
    // Every launch is one graph's two kernels, and each graph ran as often as it was asked for.
    const auto log = world.take_log();
    REQUIRE(log.size() == 2 * replays_each * graphs.size());
    std::vector<int> runs(graphs.size());
    for (std::size_t n = 0; n < log.size(); n += 2) {
        CHECK(log[n + 1].value == log[n].value + 1);
        ++runs[log[n].value / 100];
    }
    CHECK(runs == std::vector<int>(graphs.size(), replays_each));
    CHECK(r.stats().replay_count == replays_each * graphs.size());
}

TEST_CASE("dumping and explaining a graph while it is replayed reads it at no time together with an update") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    const shared_graph a = r.add(world.chain(specs_of(1)));
    const shared_graph b = r.add(world.chain(specs_of(5)));
    gdsim_set_call_delay_us(20);
    run_together(world, 2, [&](std::size_t i) {
        for (int n = 0; n < 20; ++n) {
            if (i == 0) {
                a.replay(nullptr);
                b.replay(nullptr);
            } else {
                a.debug_dump("/dev/null");
                CHECK(r.explain(a, b).may_share);
            }
        }
    });
    gdsim_set_call_delay_us(0);
    CHECK(world.counters().misuse_count == 0);
}

TEST_CASE("a log sink may replay a graph with a prologue, from another thread, and wait for it") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    const shared_graph a = r.add(world.chain(specs_of(1)), {.prologue = [](stream_handle) {}});
    const shared_graph b = r.add(world.chain(specs_of(5)), {.prologue = [](stream_handle) {}});
    std::atomic<int> logged = 0;
    set_log_sink([&](log_level level, const std::string&) {
        if (level != log_level::warning) return;
        ++logged;
        std::thread([&] {
            CHECK(world.api().cuCtxPushCurrent(world.context()) == CUDA_SUCCESS);
            b.replay(nullptr);
        }).join();
    });
    gdsim_refuse_every_nth_update(1, 5);
    a.replay(nullptr);
    set_log_sink({});
    CHECK(logged == 1);
    CHECK(r.stats().replay_count == 2);
}

TEST_CASE("a log sink that throws does not make what was done look failed") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    const shared_graph a = r.add(world.chain(specs_of(1)));
    const shared_graph b = r.add(world.chain(specs_of(5)));
    set_log_sink([](log_level, const std::string&) { throw 1; });
    gdsim_refuse_every_nth_update(1, 5);
    gdsim_log_clear();
    a.replay(nullptr);
    set_log_sink({});
    CHECK(world.take_log() == sim_world::expected(specs_of(1)));
    CHECK(b.loaded());
}

TEST_CASE("case 22: a forked child makes no driver call and waits for no lock that a lost thread holds") {
    sim_world world;
    world.pass_gate();
    registry r(world.loaded());
    const shared_graph a = r.add(world.chain(specs_of(1)));
    const CUgraph other = world.chain(specs_of(5));
    // Another thread holds the registry's and the group's locks, inside a call, at the time of the fork.
    gdsim_set_call_delay_us(300000);
    std::thread busy([&] {
        CHECK(world.api().cuCtxPushCurrent(world.context()) == CUDA_SUCCESS);
        r.add(other);
    });
    while (gdsim_call_count("cuGraphExecUpdate") == 0) std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) {
        int wrong = 0;
        try {
            a.replay(nullptr);
            wrong |= 1;
        } catch (const registry_closed& e) {
            wrong |= std::string(e.what()).find("forked") == std::string::npos ? 2 : 0;
        }
        wrong |= a.loaded() ? 4 : 0;
        wrong |= r.stats().graph_count != 0 ? 8 : 0;
        a.remove();
        r.close();
        _exit(wrong);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    busy.join();
    gdsim_set_call_delay_us(0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    a.replay(nullptr);
    CHECK(r.stats().replay_count == 1);
}
