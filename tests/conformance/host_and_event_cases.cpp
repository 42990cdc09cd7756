// Host functions and events: an update may change all of it.
#include "cases.hpp"
#include "change.hpp"
#include "expected_image.hpp"

#include <doctest/doctest.h>

namespace graphdedup::conformance {
namespace {

class event {
  public:
    explicit event(bench& where) : driver_(where.driver()), owned_(driver_, create(driver_)) {}
    [[nodiscard]] CUevent get() const noexcept { return owned_.get(); }
    // An event that was never recorded has no time.
    [[nodiscard]] bool was_recorded() const {
        float elapsed_ms = 0;
        return driver_.cuEventElapsedTime(&elapsed_ms, owned_.get(), owned_.get()) == CUDA_SUCCESS;
    }

  private:
    static CUevent create(const driver_layer::api& driver) {
        CUevent made = nullptr;
        REQUIRE(driver.cuEventCreate(&made, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
        return made;
    }

    const driver_layer::api& driver_;
    driver_layer::owned_event owned_;
};

void add_host_changes(suite& all) {
    constexpr host_node one{false, 1};
    struct alteration {
        const char* name;
        host_node to;
    };
    for (const alteration& a :
         {alteration{"function", {true, 1}}, {"user data", {false, 2}}, {"function and user data", {true, 2}}}) {
        for (const level l : {level::top, level::child, level::grandchild}) {
            for (const position p : positions) {
                all.add(std::string("host, ") + a.name + ", " + name_of(p) + " node, " + name_of(l),
                        updating("host node, update", at_level(l, replacing(p, one, a.to, true))));
            }
        }
    }
}

std::string record_another(bench& where, level l) {
    const event one(where);
    const event other(where);
    const change tried =
        at_level(l, replacing(position::middle, event_record_node{one.get()}, event_record_node{other.get()}, true));
    const built_graph from = build(where, tried.from);
    const built_graph to = build(where, tried.to);
    const exec::graph_exec executable = where.instantiate(from.graph.get());
    CHECK(!one.was_recorded());
    const exec::update_outcome answer = executable.update(to.graph.get());
    REQUIRE(answer.accepted());
    CHECK(where.run(executable).difference_from(expected(tried.to)).empty());
    CHECK(one.was_recorded() != other.was_recorded());
    const outcome seen = other.was_recorded() ? outcome::applied : outcome::kept;
    check_fact(where.known_as(), "event record, update", seen);
    return std::string(name_of(seen));
}

std::string record(bench& where) {
    const event one(where);
    const built_graph built = build(where, chain_of({event_record_node{one.get()}}));
    const exec::graph_exec executable = where.instantiate(built.graph.get());
    CHECK(!one.was_recorded());
    static_cast<void>(where.run(executable));
    CHECK(one.was_recorded());
    return {};
}

kernel_node marking(std::uint64_t a) {
    kernel_node node = numbered_kernel(0, a);
    return node;
}

// Another stream is busy, marks the slot, records an event. A graph that waits for that event marks the slot after it.
std::string wait_for_another(bench& where, level l) {
    const event never(where);
    const event awaited(where);
    constexpr std::uint64_t busy_ns = 20'000'000;
    const built_graph busy = build(where, chain_of({spin_node{busy_ns}, marking(1), event_record_node{awaited.get()}}));
    const auto waiting = [&](const event& e) { return at_level(l, chain_of({event_wait_node{e.get()}, marking(2)}), 9000); };
    const built_graph from = build(where, waiting(never));
    const built_graph to = build(where, waiting(awaited));
    const exec::graph_exec first = where.instantiate(busy.graph.get());
    const exec::graph_exec second = where.instantiate(from.graph.get());
    const exec::update_outcome answer = second.update(to.graph.get());
    REQUIRE(answer.accepted());
    where.memories().clear();
    first.launch(where.other_stream(), bench::site);
    where.launch(second);
    where.synchronize();
    REQUIRE(where.driver().cuCtxSynchronize() == CUDA_SUCCESS);
    const outcome seen = where.memories().read() == expected(waiting(awaited)) ? outcome::applied : outcome::kept;
    check_fact(where.known_as(), "event wait, update", seen);
    return std::string(name_of(seen));
}

}  // namespace

void add_host_and_event_cases(suite& all) {
    add_host_changes(all);
    all.add("event, a record node records", record);
    for (const level l : {level::top, level::child}) {
        all.add(std::string("event, record of another event, ") + name_of(l),
                [l](bench& where) { return record_another(where, l); });
        all.add(std::string("event, wait for another event, ") + name_of(l),
                [l](bench& where) { return wait_for_another(where, l); });
    }
}

}  // namespace graphdedup::conformance
