"""The torch adapter, with torch's graph class faked on the simulated driver."""

from __future__ import annotations

import gc
import importlib.util
import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import graphdedup
import pytest
from graphdedup import Registry, record, recorded, sim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

torch = pytest.importorskip("torch")

_spec = importlib.util.spec_from_file_location("fake_torch", Path(__file__).parent / "fake_torch.py")
assert _spec is not None
assert _spec.loader is not None
fake_torch = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fake_torch)

PLAIN = "piecewise/layer0_b001"
ALIKE = "piecewise/layer1_b001"


class Fakes(NamedTuple):
    cuda: Any
    graph_class: Any
    build: Any

    def captured(self, name: str = PLAIN, increments: dict[Any, int] | None = None) -> Any:
        return self.graph_class(keep_graph=True).capture(self.build(name), increments)

    def random(self, name: str = PLAIN) -> Any:
        return self.captured(name, {self.cuda.generators[0]: 4})


@pytest.fixture(name="fakes")
def fakes_in_place(
    monkeypatch: pytest.MonkeyPatch, driver: graphdedup.Driver, build: Callable[[str], int]
) -> Iterator[Fakes]:
    cuda, graph_class = fake_torch.install(monkeypatch, torch, driver)
    yield Fakes(cuda, graph_class, build)
    cuda.close()
    gc.collect()


def ran(action: Callable[[], object]) -> list[sim.Launch]:
    """What an action made the device run, empty graphs aside."""
    sim.clear_launches()
    action()
    return [launch.effect() for launch in sim.launches()]


def test_graphs_share_and_run_what_was_captured(fakes: Fakes, registry: Registry) -> None:
    graphs = [fakes.captured(PLAIN), fakes.captured(ALIKE)]
    expected = [ran(graph.replay) for graph in graphs]
    assert expected[0] != expected[1]
    shared = [registry.register(graph) for graph in graphs]
    assert registry.stats().executables == 1
    for index in (0, 1, 1, 0):
        assert ran(shared[index].replay) == expected[index]
        assert ran(graphs[index].replay) == expected[index]


def test_registering_runs_nothing(fakes: Fakes, registry: Registry) -> None:
    graph = fakes.random()
    assert ran(lambda: registry.register(graph)) == []


def test_the_trial_moves_no_generator(fakes: Fakes, registry: Registry) -> None:
    own = fake_torch.FakeGenerator(torch)
    registry.register(fakes.random())
    registry.register(fakes.captured(ALIKE, {own: 8}))
    assert (fakes.cuda.generators[0].offset, own.offset) == (0, 0)
    assert own.seed_tensor.item() == 0


@pytest.mark.parametrize("increment", [0, 4])
def test_torchs_replay_runs_before_each_launch_where_random_numbers_are_used(
    increment: int, fakes: Fakes, registry: Registry
) -> None:
    generator = fakes.cuda.generators[0]
    shared = registry.register(fakes.captured(PLAIN, {generator: increment}))
    fakes.cuda.torch_replays.clear()
    shared.replay()
    shared.replay()
    assert generator.offset == 2 * increment
    assert len(fakes.cuda.torch_replays) == (2 if increment else 0)


def test_a_random_graph_counts_once(fakes: Fakes, registry: Registry) -> None:
    registry.register(fakes.random(PLAIN))
    registry.register(fakes.random(ALIKE))
    stats = registry.stats()
    assert (stats.graphs, stats.groups, stats.executables, stats.instantiations) == (2, 1, 1, 1)


def test_the_prologue_runs_on_the_stream_of_the_replay(fakes: Fakes, registry: Registry) -> None:
    graph = fakes.random()
    shared = registry.register(graph)
    fakes.cuda.torch_replays.clear()
    sim.clear_launches()
    shared.replay(2)
    fakes.cuda.stream = 2
    shared.replay()
    shared.replay(1)  # the legacy stream's other name
    assert [stream for _, stream in fakes.cuda.torch_replays] == [2, 2, 0]
    assert [launch.stream for launch in sim.launches() if launch.node_index == 0] == [2, 2, 1]


def test_liveness_checks_and_hooks_keep_running(fakes: Fakes, registry: Registry) -> None:
    graph = fakes.captured()
    graph._replay_start_hooks = {0: lambda _graph: None}
    shared = registry.register(graph)
    fakes.cuda.torch_replays.clear()
    shared.replay()
    assert len(fakes.cuda.torch_replays) == 1


def test_a_class_that_replays_in_its_own_way_is_left_alone(fakes: Fakes, registry: Registry) -> None:
    calls = []

    class Watched(fakes.graph_class):  # type: ignore[misc, name-defined]
        def replay(self) -> None:
            calls.append(self)
            super().replay()

    graph = fakes.captured()
    expected = ran(graph.replay)
    graph.__class__ = Watched
    shared = registry.register(graph)
    assert "replays in its own way" in shared.private_reason
    assert ran(shared.replay) == expected
    assert ran(lambda: shared.replay(2)) == expected
    assert calls == [graph, graph]


def test_a_graph_with_a_replay_put_in_place_is_left_alone(fakes: Fakes, registry: Registry) -> None:
    graph = fakes.captured()
    expected = ran(graph.replay)
    calls = []
    of_torch = graph.replay

    def watched() -> None:
        calls.append(graph)
        of_torch()

    graph.replay = watched
    shared = registry.register(graph)
    assert "replays in its own way" in shared.private_reason
    assert ran(shared.replay) == ran(graph.replay) == expected
    assert len(calls) == 2


def test_what_another_thread_draws_meanwhile_is_not_drawn_again(
    monkeypatch: pytest.MonkeyPatch, fakes: Fakes, registry: Registry
) -> None:
    def another_thread_draws(self: Any, increment: int) -> None:
        self.offset += 100
        self.seed_tensor.fill_(1)
        self.offset += increment

    monkeypatch.setattr(fake_torch.FakeGenerator, "replay_prologue", another_thread_draws)
    registry.register(fakes.random())
    assert fakes.cuda.generators[0].offset == 100


def test_the_torch_object_speaks_of_the_real_graph(fakes: Fakes, registry: Registry, tmp_path: Path) -> None:
    graph = fakes.captured()
    raw = graph.raw_cuda_graph()
    nodes = graphdedup._core.walk(registry.driver, raw).node_count
    shared = registry.register(graph)
    assert graphdedup._core.walk(registry.driver, raw).node_count == 0
    assert graphdedup._core.walk(registry.driver, graph.raw_cuda_graph()).node_count == nodes == shared.node_count
    graph.debug_dump(tmp_path / "graph.dot")
    assert (tmp_path / "graph.dot").stat().st_size > 0


def test_a_registered_graph_is_dumped_between_replays(fakes: Fakes, registry: Registry, tmp_path: Path) -> None:
    graphs = [fakes.captured(PLAIN), fakes.captured(ALIKE)]
    shared = [registry.register(graph) for graph in graphs]
    updates = sim.call_count("cuGraphExecUpdate")
    sim.clear_launches()
    sim.set_behaviour("call_delay_us", 200_000)
    thread = threading.Thread(target=shared[0].replay)  # a switch: an update, which reads the graph, then a launch
    thread.start()
    while sim.call_count("cuGraphExecUpdate") == updates:
        pass  # the other thread gets the interpreter's turns
    sim.set_behaviour("call_delay_us", 0)  # of the calls that begin from now on
    graphs[0].debug_dump(tmp_path / "one.dot")
    assert sim.launches(), "the dump must wait for the replay that is under way"
    thread.join()


def test_a_registered_graph_is_recorded(fakes: Fakes, registry: Registry, tmp_path: Path) -> None:
    graph = fakes.captured()
    nodes = graphdedup._core.walk(registry.driver, graph.raw_cuda_graph()).node_count
    shared = registry.register(graph)
    record.record(tmp_path / "out", {"one": graph}, driver=registry.driver)
    assert [g.snapshot.node_count for g in recorded.load((tmp_path / "out").iterdir())] == [nodes]
    shared.remove()
    with pytest.raises(graphdedup.RegistryClosedError):
        record.record(tmp_path / "again", {"one": graph}, driver=registry.driver)


def test_two_registries_cannot_take_one_graph(fakes: Fakes, driver: graphdedup.Driver) -> None:
    graph = fakes.captured()
    expected = ran(graph.replay)
    sim.set_behaviour("call_delay_us", 200)  # so that the two overlap
    start = threading.Barrier(2)
    refused: list[graphdedup.InvalidGraphError] = []

    def take(registry: Registry) -> None:
        start.wait()
        try:
            registry.register(graph)
        except graphdedup.InvalidGraphError as error:
            refused.append(error)

    with Registry(driver=driver) as first, Registry(driver=driver) as second:
        threads = [threading.Thread(target=take, args=(registry,)) for registry in (first, second)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sim.set_behaviour("call_delay_us", 0)
        assert ["registered already" in str(error) for error in refused] == [True]
        assert first.stats().graphs + second.stats().graphs == 1
        assert ran(graph.replay) == expected


def test_removal_and_close_make_the_torch_object_raise(fakes: Fakes, registry: Registry) -> None:
    removed, closed = fakes.captured(), fakes.captured(ALIKE)
    shared = registry.register(removed)
    registry.register(closed)
    shared.remove()
    registry.close()
    for graph in (removed, closed):
        for use in (graph.replay, graph.raw_cuda_graph, lambda g=graph: g.debug_dump("nowhere.dot")):
            with pytest.raises(graphdedup.RegistryClosedError) as caught:
                use()
            assert caught.value.operation.startswith("CUDAGraph.")
        with (
            pytest.raises(graphdedup.InvalidGraphError, match="capture it anew"),
            Registry(driver=registry.driver) as other,
        ):
            other.register(graph)


def test_reset_gives_the_object_back(fakes: Fakes, registry: Registry) -> None:
    graph = fakes.captured()
    registry.register(graph)
    graph.reset()
    assert registry.stats().graphs == 0
    graph.capture(fakes.build(ALIKE))
    assert registry.register(graph).node_count > 0


def test_one_registration_a_graph(fakes: Fakes, registry: Registry) -> None:
    graph = fakes.captured()
    registry.register(graph)
    with pytest.raises(graphdedup.InvalidGraphError, match="registered already"):
        registry.register(graph)
    assert registry.stats().graphs == 1


def bad_graphs(fakes: Fakes) -> dict[str, tuple[Any, str]]:
    not_kept = fakes.graph_class(keep_graph=False).capture(fakes.build(PLAIN))
    reset = fakes.captured()
    reset.reset()
    return {
        "not captured": (fakes.graph_class(keep_graph=True), "not been captured"),
        "not kept": (not_kept, "keep_graph=False"),
        "reset": (reset, "was reset"),
    }


@pytest.mark.parametrize("case", ["not captured", "not kept", "reset"])
def test_bad_input(case: str, fakes: Fakes, registry: Registry) -> None:
    graph, says = bad_graphs(fakes)[case]
    with pytest.raises(graphdedup.InvalidGraphError, match=says) as caught:
        registry.register(graph)
    assert caught.value.operation == "Registry.register"
    assert "CUDAGraph" in caught.value.object
    assert registry.stats().graphs == 0


def test_an_old_torch(fakes: Fakes, registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = fakes.captured()
    monkeypatch.delattr(torch._C._CUDAGraph, "raw_cuda_graph")
    with pytest.raises(graphdedup.InvalidGraphError, match=r"2\.8 or newer"):
        registry.register(graph)


def test_registration_during_a_capture(fakes: Fakes, registry: Registry) -> None:
    graph = fakes.captured()
    fakes.cuda.capturing = True
    with pytest.raises(graphdedup.InvalidGraphError, match="capturing"):
        registry.register(graph)


def test_a_failed_registration_leaves_torchs_graph_as_it_was(fakes: Fakes, registry: Registry) -> None:
    graph = fakes.captured()
    expected = ran(graph.replay)
    sim.fail("cuGraphInstantiateWithParams", status=1)
    with pytest.raises(graphdedup.DriverError) as caught:
        registry.register(graph)
    assert caught.value.call == "cuGraphInstantiateWithParams"
    assert ran(graph.replay) == expected
    assert registry.stats().graphs == 0
    assert ran(registry.register(graph).replay) == expected


@pytest.mark.parametrize(("call", "nth"), [("cuGraphDestroyNode", 5), ("cuGraphInstantiateWithParams", 2)])
def test_a_registration_that_fails_halfway_puts_the_nodes_back(
    fakes: Fakes, registry: Registry, call: str, nth: int
) -> None:
    graph = fakes.captured()
    expected = [(launch.function, launch.grid, launch.arguments) for launch in ran(graph.replay)]
    sim.fail(call, nth=nth, status=2)
    with pytest.raises(graphdedup.DriverError):
        registry.register(graph)
    assert registry.stats().graphs == 0
    assert [(launch.function, launch.grid, launch.arguments) for launch in ran(graph.replay)] == expected
    shared = registry.register(graph)
    assert [(launch.function, launch.grid, launch.arguments) for launch in ran(shared.replay)] == expected


def test_a_graph_whose_nodes_cannot_be_put_back_raises(fakes: Fakes, registry: Registry) -> None:
    graph = fakes.captured()
    sim.fail("cuGraphDestroyNode", nth=5, status=2)
    sim.fail("cuGraphAddChildGraphNode", status=2)
    with pytest.raises(graphdedup.DriverError):
        registry.register(graph)
    with pytest.raises(graphdedup.RegistryClosedError, match="its nodes went to a registry"):
        graph.replay()
    with pytest.raises(graphdedup.InvalidGraphError, match="capture it anew"):
        registry.register(graph)


def test_a_closed_or_sealed_registry_touches_nothing(fakes: Fakes, registry: Registry) -> None:
    graph = fakes.captured()
    expected = ran(graph.replay)
    registry.seal()
    with pytest.raises(graphdedup.RegistrySealedError):
        registry.register(graph)
    registry.close()
    with pytest.raises(graphdedup.RegistryClosedError):
        registry.register(graph)
    assert ran(graph.replay) == expected


def test_closing_lets_the_torch_graph_go(fakes: Fakes, registry: Registry) -> None:
    graph = fakes.random()
    shared = registry.register(graph)
    gone = weakref.ref(graph)
    del graph
    fakes.cuda.torch_replays.clear()
    gc.collect()
    assert gone() is not None
    shared.replay()
    fakes.cuda.torch_replays.clear()
    registry.close()
    gc.collect()
    assert gone() is None


def test_an_abandoned_registry_lets_go(fakes: Fakes, driver: graphdedup.Driver) -> None:
    registry = Registry(driver=driver)
    graph = fakes.captured()
    shared = registry.register(graph)
    gone = weakref.ref(graph)
    del registry, shared, graph
    fakes.cuda.torch_replays.clear()
    gc.collect()
    assert gone() is None


def test_a_torch_graph_keeps_its_registry(fakes: Fakes, driver: graphdedup.Driver) -> None:
    graph = fakes.captured()
    expected = ran(graph.replay)
    Registry(driver=driver).register(graph)
    gc.collect()
    assert ran(graph.replay) == expected


@pytest.mark.parametrize("kind", ["captured", "random", "left to torch"])
def test_what_nobody_refers_to_any_more_is_collected(
    kind: str, fakes: Fakes, driver: graphdedup.Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    class User:
        pass

    if kind == "left to torch":
        monkeypatch.setattr(graphdedup._core, "private_reason", lambda _driver, _graph: ("a memory node", 1))
    before = sim.counters()["live_exec_count"]
    graph = fakes.random() if kind == "random" else fakes.captured()
    user: Any = User()
    registry = Registry(driver=driver)
    graph.shared = user.shared = registry.register(graph, keep_alive=user)
    graph.replay()
    gone = [weakref.ref(thing) for thing in (registry, graph, graph.shared, user)]
    del registry, graph, user
    fakes.cuda.torch_replays.clear()
    gc.collect()
    assert [thing() for thing in gone] == [None] * 4
    fakes.cuda.close()
    assert sim.counters()["live_exec_count"] == before


@pytest.mark.parametrize("end", ["close", "remove"])
@pytest.mark.parametrize("kind", ["captured", "random"])
def test_an_end_lets_go_without_the_collector(end: str, kind: str, fakes: Fakes, registry: Registry) -> None:
    graph = fakes.random() if kind == "random" else fakes.captured()
    shared = registry.register(graph, keep_alive=(kept := fakes.graph_class()))
    gone = [weakref.ref(graph), weakref.ref(kept)]
    del graph, kept
    fakes.cuda.torch_replays.clear()
    gc.disable()
    try:
        registry.close() if end == "close" else shared.remove()
        assert [thing() for thing in gone] == [None, None]
    finally:
        gc.enable()


def test_a_graph_left_to_torch_outlives_its_registry(
    fakes: Fakes, driver: graphdedup.Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = fakes.captured()
    monkeypatch.setattr(graphdedup._core, "private_reason", lambda _driver, _graph: ("a memory node", 1))
    Registry(driver=driver).register(graph)
    gc.collect()
    with Registry(driver=driver) as registry:
        assert registry.register(graph).private_reason == "a memory node"


def test_explaining_a_graph_left_to_torch(
    fakes: Fakes, registry: Registry, driver: graphdedup.Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = registry.register(fakes.captured())
    monkeypatch.setattr(graphdedup._core, "private_reason", lambda _driver, _graph: ("a memory node", 1))
    left = registry.register(fakes.captured(ALIKE))
    assert registry.explain(left, shared).first_private == "a memory node"
    with Registry(driver=driver) as other:
        theirs = other.register(fakes.captured())
        for pair in ((left, theirs), (theirs, shared)):
            with pytest.raises(graphdedup.RegistryClosedError, match="not registered here"):
                registry.explain(*pair)
    left.remove()
    with pytest.raises(graphdedup.RegistryClosedError, match="not registered here"):
        registry.explain(left, shared)


def test_torchs_own_class_takes_part_in_garbage_collection() -> None:
    has_gc = 1 << 14  # Py_TPFLAGS_HAVE_GC
    assert torch.cuda.CUDAGraph.__flags__ & has_gc


def test_keep_alive_is_held_and_let_go(fakes: Fakes, registry: Registry) -> None:
    class Memory:
        pass

    memory = Memory()
    gone = weakref.ref(memory)
    shared = registry.register(fakes.captured(), keep_alive=memory)
    del memory
    gc.collect()
    assert gone() is not None
    shared.remove()
    gc.collect()
    assert gone() is None


def test_a_graph_that_may_not_share_is_left_to_torch(
    fakes: Fakes, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = fakes.random()
    expected = ran(graph.replay)
    monkeypatch.setattr(graphdedup._core, "private_reason", lambda _driver, _graph: ("a memory node", 1))
    shared = registry.register(graph)
    monkeypatch.undo()
    stats = registry.stats()
    assert (stats.graphs, stats.private, stats.executables, stats.instantiations) == (1, 1, 1, 0)
    assert (shared.id, shared.private_reason, shared.loaded) == (-1, "a memory node", True)
    assert [member.private_reason for member in registry.members()] == ["a memory node"]
    assert ran(shared.replay) == expected
    assert (registry.stats().replays, registry.stats().hits) == (1, 1)
