"""Whatever the graphs, the driver and the order of calls: a replay runs what was captured.

`pytest --hypothesis-profile=search` looks much longer, and elsewhere each time.
"""

from __future__ import annotations

import collections
import contextlib
import json
from typing import TYPE_CHECKING, Any

import graph_strategies as gs
import graphdedup
import pytest
from graphdedup import Registry, _core, sim
from hypothesis import event, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

STREAM = 0
OUT_OF_MEMORY = 2
NOT_SUPPORTED = 801
UPDATE_REFUSED = 910
# What ends a replay with an exception when it fails; a failed update must not.
MAY_RAISE = {"cuGraphInstantiateWithParams", "cuGraphLaunch", "cuGraphUpload"}
Effects = list[dict[str, Any]]

# How a driver may behave, by name as `sim.set_behaviour` takes it. Each replay has to be right under all of them.
BEHAVIOURS: dict[str, st.SearchStrategy[int]] = {
    # None but the cluster's; all; all but those that an update refuses to change.
    "stale_attributes": st.sampled_from([1 << 4, 1 << 4 | 1 << 5 | 1 << 11, gs.EVERY_ATTRIBUTE, 1 << 9 | 1 << 10]),
    "readable_attributes": st.sampled_from(
        [
            gs.READABLE_BY_580,
            gs.READABLE_BY_580 | 1 << 11,
            gs.READABLE_BY_580 | 1 << 25,
            gs.READABLE_BY_580 & ~(1 << 14),
            gs.EVERY_ATTRIBUTE,
        ]
    ),
    "stale_static_cluster": st.sampled_from([0, 1]),
    "honours_preferred_cluster": st.sampled_from([0, 1]),
    "refusal_is_partial": st.sampled_from([0, 0, 0, 1]),
    "handle_reuse": st.sampled_from([0, 1]),
    "launches_held": st.sampled_from([0, 0, 1]),
}
OPTIONS = st.fixed_dictionaries(
    {
        "vary": st.sampled_from(["kernel", "kernel", "grid", "arguments"]),
        "execs_per_group": st.integers(1, 3),
        "lazy": st.booleans(),
        "instantiate_flags": st.sampled_from([9, 1, 0]),
    }
)
FAULTS = st.one_of(
    st.tuples(st.just("cuGraphExecUpdate"), st.sampled_from([sim.UNKNOWN_ERROR, NOT_SUPPORTED, UPDATE_REFUSED])),
    st.tuples(st.just("cuGraphInstantiateWithParams"), st.sampled_from([OUT_OF_MEMORY, NOT_SUPPORTED])),
    st.tuples(st.sampled_from(["cuGraphLaunch", "cuGraphUpload"]), st.sampled_from([OUT_OF_MEMORY, sim.UNKNOWN_ERROR])),
)
# What happened in all examples together, so that a test that no longer tries anything fails.
seen: collections.Counter[str] = collections.Counter()


def start_driver(profile: str, behaviours: dict[str, int]) -> _core.Driver:
    """Start a driver, under which every attribute can be set on nodes until `behave` is called."""
    driver = sim.driver(profile)
    sim.set_behaviour("readable_attributes", gs.EVERY_ATTRIBUTE)
    sim.set_behaviour("handle_reuse", behaviours.get("handle_reuse", 0))
    return driver


def behave(profile: str, behaviours: dict[str, int]) -> None:
    readable = gs.READABLE_BY_580 | (1 << 11 if profile == "clean" else 0)
    for name, value in ({"readable_attributes": readable} | behaviours).items():
        sim.set_behaviour(name, value)


def plain_effects(driver: _core.Driver, handle: int) -> Effects:
    """Return what an executable of its own runs, that nobody ever updates, and destroy the graph.

    To be given a second graph of the same data: some kinds of graph allow one executable only.
    """
    with Registry(driver=driver) as alone:
        shared = alone.register(handle)
        sim.clear_launches()  # a registration may have tried out what the device does
        shared.replay(STREAM)
    ran = sim.effects()
    _core.destroy_graph(driver, handle)
    sim.clear_launches()
    return ran


def pass_gate(driver: _core.Driver) -> None:
    """Let the device be tried out now, before any fault is in force."""
    with Registry(driver=driver) as registry:
        handles = [sim.build(gs.snapshot({"nodes": [{"type": "empty"}], "edges": []})) for _ in range(2)]
        for handle in handles:
            registry.register(handle)
    for handle in handles:
        _core.destroy_graph(driver, handle)
    sim.clear_launches()


class SharedReplays(RuleBasedStateMachine):
    """A registry used in any order, under faults, against executables that share nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.members: dict[int, graphdedup.SharedGraph] = {}
        self.faulty: set[str] = set()
        self.registry: Registry | None = None

    @initialize(
        profile=st.sampled_from(sim.profiles()),
        behaviours=st.fixed_dictionaries({}, optional=BEHAVIOURS),
        options=OPTIONS,
        family=gs.families(most_nodes=12),
    )
    def start(self, profile: str, behaviours: dict[str, int], options: dict[str, Any], family: list[gs.Graph]) -> None:
        self.profile, self.behaviours, self.family = profile, behaviours, family
        self.driver = start_driver(profile, behaviours)
        self.handles, twins = ([sim.build(gs.snapshot(graph)) for graph in family] for _ in range(2))
        behave(profile, behaviours)
        self.plain = [plain_effects(self.driver, twin) for twin in twins]
        pass_gate(self.driver)
        self.other_executables = sim.counters()["live_exec_count"]
        self.registry = Registry(driver=self.driver, **options)
        for index in range(len(family)):
            self.add(index)

    def add(self, index: int) -> None:
        assert self.registry is not None
        with self.only_injected_errors():
            self.members[index] = self.registry.register(self.handles[index])

    @contextlib.contextmanager
    def only_injected_errors(self) -> Iterator[None]:
        try:
            yield
        except (graphdedup.DriverError, graphdedup.OutOfDeviceMemoryError):
            if not self.faulty & MAY_RAISE:
                raise
            seen["errors"] += 1

    def draw_member(self, data: st.DataObject) -> int:
        return data.draw(st.sampled_from(sorted(self.members)))

    @precondition(lambda self: self.members)
    @rule(data=st.data())
    def replay(self, data: st.DataObject) -> None:
        index = self.draw_member(data)
        sim.clear_launches()
        done = False
        with self.only_injected_errors():
            self.members[index].replay(STREAM)
            done = True
        assert sim.effects() == (self.plain[index] if done else [])
        seen["replays"] += done

    @precondition(lambda self: self.members)
    @rule(data=st.data())
    def replay_several(self, data: st.DataObject) -> None:
        for _ in range(data.draw(st.integers(2, 6))):
            self.replay(data)

    @precondition(lambda self: self.members)
    @rule(data=st.data())
    def prepare(self, data: st.DataObject) -> None:
        index = self.draw_member(data)
        sim.clear_launches()
        with self.only_injected_errors():
            self.members[index].prepare(STREAM)
            assert self.members[index].loaded
        assert sim.effects() == []

    @precondition(lambda self: self.members)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        index = self.draw_member(data)
        member = self.members.pop(index)
        member.remove()
        with pytest.raises(graphdedup.RegistryClosedError):
            member.replay(STREAM)
        if gs.is_device_updatable(self.family[index]):  # such a graph may be instantiated once
            self.make_anew(index)

    @precondition(lambda self: len(self.members) < len(self.family))
    @rule(data=st.data())
    def register(self, data: st.DataObject) -> None:
        self.add(data.draw(st.sampled_from(sorted(set(range(len(self.family))) - set(self.members)))))

    @precondition(lambda self: not self.faulty and len(self.members) < len(self.family))
    @rule(data=st.data())
    def build_anew(self, data: st.DataObject) -> None:
        """The source of a graph that was removed goes; its handle may come back as another graph's."""
        self.make_anew(data.draw(st.sampled_from(sorted(set(range(len(self.family))) - set(self.members)))))

    def make_anew(self, index: int) -> None:
        _core.destroy_graph(self.driver, self.handles[index])
        sim.set_behaviour("readable_attributes", gs.EVERY_ATTRIBUTE)
        self.handles[index] = sim.build(gs.snapshot(self.family[index]))
        behave(self.profile, self.behaviours)

    @rule(fault=FAULTS, nth=st.integers(1, 4), count=st.integers(0, 2))
    def inject(self, fault: tuple[str, int], nth: int, count: int) -> None:
        symbol, status = fault
        sim.fail(symbol, nth=nth, status=status, count=count)
        self.faulty.add(symbol)

    @rule(nth=st.integers(1, 4), reason=st.integers(1, 8))
    def refuse(self, nth: int, reason: int) -> None:
        sim.refuse_every(nth, reason=reason)
        self.faulty.add("cuGraphExecUpdate")

    @precondition(lambda self: self.faulty)
    @rule()
    def repair(self) -> None:
        sim.clear_faults()
        self.faulty.clear()

    @invariant()
    def numbers_agree(self) -> None:
        if self.registry is None:
            return
        stats = self.registry.stats()
        assert stats.replays == stats.hits + stats.switches + stats.first_loads + stats.fallbacks
        assert stats.graphs == len(self.members) == len(self.registry.members())
        assert stats.groups <= stats.graphs
        assert stats.executables == sim.counters()["live_exec_count"] - self.other_executables
        loaded = [member for member in self.registry.members() if member.loaded]
        assert len(loaded) <= stats.executables
        assert {member.group for member in loaded} <= {member.group for member in self.registry.members()}

    def teardown(self) -> None:
        if self.registry is None:
            return
        stats = self.registry.stats()
        for name in ("switches", "refusals", "fallbacks", "first_loads", "private"):
            seen[name] += getattr(stats, name)
        self.registry.close()
        self.registry.close()
        assert sim.counters()["live_exec_count"] == 0
        assert self.registry.stats().graphs == 0
        sim.clear_faults()
        sim.set_behaviour("launches_held", 0)
        for handle in self.handles:
            _core.destroy_graph(self.driver, handle)
        assert sim.counters()["live_graph_count"] == 0
        assert sim.misuse() == ""


TestSharedReplays = SharedReplays.TestCase
TestSharedReplays.settings = settings(stateful_step_count=30)


def test_the_machine_tried_what_it_is_for() -> None:
    """Runs after it, in this file's order."""
    if not seen:
        pytest.skip("the test above was not run")
    for what in ("replays", "switches", "refusals", "fallbacks", "first_loads", "private", "errors"):
        assert seen[what] > 0, what


@given(
    family=gs.families(),
    profile=st.sampled_from(sim.profiles()),
    options=OPTIONS,
    order=st.lists(st.integers(0, 5), min_size=10, max_size=30),
)
def test_replays_in_any_order_run_what_was_captured(
    family: list[gs.Graph], profile: str, options: dict[str, Any], order: list[int]
) -> None:
    driver = start_driver(profile, {})
    handles, twins = ([sim.build(gs.snapshot(graph)) for graph in family] for _ in range(2))
    behave(profile, {})
    plain = [plain_effects(driver, twin) for twin in twins]
    with Registry(driver=driver, **options) as registry:
        members = [registry.register(handle) for handle in handles]
        for step in order:
            index = step % len(members)
            sim.clear_launches()
            members[index].replay(STREAM)
            assert sim.effects() == plain[index]
        stats = registry.stats()
        event(f"switches: {min(stats.switches, 5)}")
        assert stats.replays == len(order)
        assert stats.fallbacks == 0 or stats.refusals > 0
    assert sim.counters()["live_exec_count"] == 0
    assert sim.misuse() == ""


# ---- signatures, without a driver


@given(family=gs.families(), level=st.sampled_from(gs.LEVELS))
def test_equal_signature_means_equal_fields(family: list[gs.Graph], level: str) -> None:
    snapshots = [gs.snapshot(graph) for graph in family]
    signed = [_core.sign(one, level) for one in snapshots]
    for i, first in enumerate(snapshots):
        for j, second in enumerate(snapshots):
            explained = _core.explain(first, second, level)
            assert (signed[i][0] == signed[j][0]) == (explained["field"] == ""), explained
            assert explained["first_private"] == signed[i][1]
    grouped = _core.group(snapshots, level)
    for group in grouped:
        assert len(group) == 1 or all(signed[i] == signed[group[0]] and signed[i][1] == "" for i in group)
    firsts = [signed[group[0]][0] for group in grouped if signed[group[0]][1] == ""]
    assert len(set(firsts)) == len(firsts)
    assert sorted(i for group in grouped for i in group) == list(range(len(family)))


@pytest.mark.parametrize("change", gs.CHANGES, ids=lambda change: change.name)
def test_a_change_of_one_field_is_seen_where_it_counts(change: gs.Change) -> None:
    @settings(max_examples=max(10, settings().max_examples // 4))
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        graph = data.draw(gs.graphs_with(change))
        other, _ = data.draw(gs.changed(graph, [change]))
        first, second = gs.snapshot(graph), gs.snapshot(other)
        for level in gs.LEVELS:
            differs = _core.sign(first, level)[0] != _core.sign(second, level)[0]
            assert differs == (level in change.seen), level
            assert (_core.explain(first, second, level)["field"] != "") == differs

    check()


# ---- the recorded form


def without_handles(graph: gs.Graph) -> gs.Graph:
    """Return the graph with empty nodes for events, whose handles are new in each process."""
    for inner, index in list(gs.places(graph)):
        if inner["nodes"][index]["type"] in {"event_record", "wait_event"}:
            inner["nodes"][index] = {"type": "empty"}
    return graph


@given(graph=st.one_of(gs.graphs(), gs.large_graphs()).map(without_handles), profile=st.sampled_from(sim.profiles()))
def test_a_graph_that_was_built_reads_as_the_recording(graph: gs.Graph, profile: str) -> None:
    """At the level "kernel": handles of functions are new, too."""
    driver = start_driver(profile, {})
    handle = sim.build(gs.snapshot(graph))
    for readable in (gs.READABLE_BY_580, gs.EVERY_ATTRIBUTE):
        sim.set_behaviour("readable_attributes", readable)
        walked = _core.walk(driver, handle)
        recording = gs.snapshot(gs.as_read(graph, readable))
        assert walked.node_kinds == recording.node_kinds
        assert _core.explain(walked, recording, "kernel")["field"] == ""
        assert _core.sign(walked, "kernel") == _core.sign(recording, "kernel")
    assert sim.misuse() == ""


@given(graph=st.one_of(gs.graphs(), gs.large_graphs()), profile=st.sampled_from(sim.profiles()))
def test_a_written_graph_reads_the_same(graph: gs.Graph, profile: str) -> None:
    driver = start_driver(profile, {})
    walked = _core.walk(driver, sim.build(gs.snapshot(graph)))
    recorder = _core.Recorder()
    text = recorder.write_graph(walked)
    table = _core.read_function_table(recorder.write_function_table().encode(), "functions")
    again = _core.read_graph(text.encode(), table, "graph")
    assert _core.sign(again, "kernel") == _core.sign(walked, "kernel")
    second = _core.Recorder()
    assert json.loads(second.write_graph(again)) == json.loads(text)
    assert json.loads(second.write_function_table()) == json.loads(recorder.write_function_table())
