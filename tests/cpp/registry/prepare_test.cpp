// Preparing in the background, with each order of events made certain by calls that are held in their middle.
#include "registry/preparer.hpp"
#include "support/sim_world.hpp"

#include <doctest/doctest.h>

#include <thread>

namespace {

using namespace graphdedup;
using graphdedup::tests::kernel_spec;
using graphdedup::tests::sim_world;

std::vector<kernel_spec> specs_of(std::uint64_t value) { return {{"kernel", value}, {"kernel", value + 1}}; }

// Members 0, 1, 2 of one group, the last loaded.
struct three_members {
    explicit three_members(const registry_options& options = {}) : r(world.loaded(), options) {
        world.pass_gate();
        for (std::uint64_t i = 0; i < 3; ++i) graphs.push_back(r.add(world.chain(specs_of(10 * i))));
        graphs[2].replay(nullptr);
        gdsim_log_clear();
    }
    ~three_members() { CHECK(world.counters().misuse_count == 0); }

    // Replays the member and checks what ran.
    void check_replay(std::size_t i) {
        graphs[i].replay(nullptr);
        CHECK(world.take_log() == sim_world::expected(specs_of(10 * i)));
    }
    // Starts a prepare and returns in the middle of its update.
    void prepare_and_hold(std::size_t i) {
        gdsim_set_calls_held("cuGraphExecUpdate", 1);
        graphs[i].prepare_in_background();
        gdsim_wait_for_held_call();
    }
    static void let_go() { gdsim_set_calls_held("cuGraphExecUpdate", 0); }

    sim_world world;
    registry r;
    std::vector<shared_graph> graphs;
};

// Runs in a thread that has the simulation's context current.
template <typename function>
std::thread start(const sim_world& world, function work) {
    return std::thread([&world, work] {
        CHECK(world.api().cuCtxPushCurrent(world.context()) == CUDA_SUCCESS);
        work();
    });
}

}  // namespace

TEST_CASE("a replay that comes while its graph is being prepared waits for that and then only launches") {
    three_members m;
    const auto before = m.world.counters();
    m.prepare_and_hold(0);
    CHECK_FALSE(m.graphs[0].loaded());
    CHECK_FALSE(m.graphs[2].loaded());  // its executable is being updated
    std::thread replay = start(m.world, [&] { m.graphs[0].replay(nullptr); });
    m.let_go();
    replay.join();
    CHECK(m.world.take_log() == sim_world::expected(specs_of(0)));
    CHECK(m.world.counters().update_count == before.update_count + 1);
    CHECK(m.world.counters().launch_without_upload_count == before.launch_without_upload_count);
    CHECK(m.r.stats().prepare_count == 1);
    CHECK(m.r.stats().switch_count == 0);
    CHECK(m.r.stats().hit_count == 2);
}

TEST_CASE("a wrong prediction: the replay of another graph waits for the executable and updates it") {
    three_members m;
    m.prepare_and_hold(0);
    std::thread replay = start(m.world, [&] { m.graphs[1].replay(nullptr); });
    m.let_go();
    replay.join();
    CHECK(m.world.take_log() == sim_world::expected(specs_of(10)));
    CHECK(m.r.stats().switch_count == 1);
    m.check_replay(0);
    m.check_replay(2);
}

TEST_CASE("with a further executable, replays of loaded members go on while another one is prepared") {
    three_members m({.execs_per_group = 2});
    m.graphs[0].replay(nullptr);  // the second executable
    gdsim_log_clear();
    m.prepare_and_hold(1);
    const std::size_t still_loaded = m.graphs[2].loaded() ? 2 : 0;
    m.check_replay(still_loaded);  // would never return if it waited
    m.let_go();
    m.check_replay(1);
    CHECK(m.r.stats().executable_count == 2);
}

TEST_CASE("closing waits for a prepare that is under way, and destroys everything once") {
    three_members m;
    m.prepare_and_hold(0);
    std::thread close = start(m.world, [&] { m.r.close(); });
    m.let_go();
    close.join();
    CHECK(m.world.counters().live_exec_count == 0);
    CHECK_THROWS_AS(m.graphs[0].prepare_in_background(), registry_closed);
    CHECK_THROWS_AS(m.graphs[0].replay(nullptr), registry_closed);
}

TEST_CASE("removing a graph waits for its prepare, and for one that takes its executable") {
    for (const std::size_t removed : {std::size_t{0}, std::size_t{2}}) {
        CAPTURE(removed);
        three_members m;
        m.prepare_and_hold(0);
        std::thread remove = start(m.world, [&] { m.graphs[removed].remove(); });
        m.let_go();
        remove.join();
        m.check_replay(1);
        m.check_replay(removed == 0 ? 2 : 0);
        CHECK_THROWS_AS(m.graphs[removed].replay(nullptr), registry_closed);
    }
}

TEST_CASE("a newer prediction of the same group replaces one that has not begun") {
    three_members m({.execs_per_group = 3});
    const shared_graph fourth = m.r.add(m.world.chain(specs_of(30)));
    const shared_graph fifth = m.r.add(m.world.chain(specs_of(40)));
    const shared_graph sixth = m.r.add(m.world.chain(specs_of(50)));
    for (const shared_graph& g : m.graphs) g.replay(nullptr);  // three executables, all loaded
    gdsim_set_calls_held("cuGraphExecUpdate", 1);
    fourth.prepare_in_background();
    gdsim_wait_for_held_call();
    fifth.prepare_in_background();
    sixth.prepare_in_background();  // instead of the fifth
    m.let_go();
    while (!sixth.loaded()) std::this_thread::yield();
    CHECK(fourth.loaded());
    CHECK_FALSE(fifth.loaded());
}

TEST_CASE("a refused update in the background gives the graph an executable of its own, and leaves the other as it was") {
    three_members m;
    gdsim_refuse_every_nth_update(1, 5);
    m.prepare_and_hold(0);
    m.let_go();
    m.graphs[0].replay(nullptr);
    CHECK(m.world.take_log() == sim_world::expected(specs_of(0)));
    gdsim_refuse_every_nth_update(0, 0);
    CHECK(m.graphs[2].loaded());
    CHECK(m.r.stats().refusal_count == 1);
    CHECK(m.r.stats().executable_count == 2);
    const auto before = m.world.counters();
    m.check_replay(2);
    CHECK(m.world.counters().update_count == before.update_count);
}

TEST_CASE("a prepare that fails in the background leaves the work to the replay") {
    three_members m;
    gdsim_fail_call("cuGraphUpload", 1, 1, CUDA_ERROR_UNKNOWN);
    m.prepare_and_hold(0);
    m.let_go();
    m.check_replay(0);
    m.r.close();  // waits for the thread that counts
    CHECK(m.r.stats().prepare_failure_count == 1);
}

TEST_CASE("before the process exits, a prepare that is under way is waited for, and none begins any more") {
    three_members m;
    m.prepare_and_hold(0);
    std::thread stop = start(m.world, [] { preparer::stop_all(); });
    m.let_go();
    stop.join();
    CHECK(m.graphs[0].loaded());
    CHECK_THROWS_AS(m.graphs[1].prepare_in_background(), registry_closed);
    m.check_replay(1);
}

TEST_CASE("prepares, replays, removals and statistics from several threads") {
    three_members m({.execs_per_group = 2});
    gdsim_set_call_delay_us(5);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 3; ++i) {
        threads.push_back(start(m.world, [&, i] {
            for (int n = 0; n < 40; ++n) {
                m.graphs[(i + 1) % 3].prepare_in_background();
                m.graphs[i].replay(nullptr);
                CHECK(m.r.stats().executable_count <= 2);
            }
        }));
    }
    for (std::thread& t : threads) t.join();
    m.graphs[1].remove();
    gdsim_set_call_delay_us(0);
    const auto log = m.world.take_log();
    REQUIRE(log.size() == 2 * 3 * 40);
    std::vector<int> runs(3);
    for (std::size_t n = 0; n < log.size(); n += 2) {
        CHECK(log[n + 1].value == log[n].value + 1);
        ++runs[log[n].value / 10];
    }
    CHECK(runs == std::vector<int>(3, 40));
}

TEST_CASE("cheapest: loaded before being prepared before the fewest nodes to update") {
    three_members m;
    const shared_graph longer = m.r.add(m.world.chain({{"kernel", 1}, {"kernel", 2}, {"kernel", 3}}));
    const shared_graph longer_too = m.r.add(m.world.chain({{"kernel", 4}, {"kernel", 5}, {"kernel", 6}}));
    const auto cheapest = [&](std::vector<shared_graph> candidates) { return m.r.cheapest(candidates); };
    CHECK(cheapest({m.graphs[0], m.graphs[1]}) == 0);  // alike
    CHECK(cheapest({m.graphs[0], m.graphs[2]}) == 1);  // loaded
    CHECK(cheapest({longer, m.graphs[0]}) == 1);       // fewer nodes
    m.prepare_and_hold(1);
    CHECK(cheapest({m.graphs[0], m.graphs[1]}) == 1);
    CHECK(cheapest({m.graphs[1], longer_too}) == 1);
    m.let_go();
    CHECK_THROWS_AS(cheapest({}), invalid_argument);
    CHECK_THROWS_AS(cheapest({shared_graph()}), invalid_argument);
    registry other(m.world.loaded());
    const shared_graph foreign = other.add(m.world.chain(specs_of(70)));
    CHECK_THROWS_AS(cheapest({m.graphs[0], foreign}), invalid_argument);
}
