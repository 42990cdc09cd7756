"""The facade on the simulated driver."""

from __future__ import annotations

import dataclasses
import gc
import subprocess
import sys
import types
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

import graphdedup
import pytest
from graphdedup import Registry, _core, sim

if TYPE_CHECKING:
    from collections.abc import Callable

ALIKE = ("piecewise/layer0_b001", "piecewise/layer1_b001")
OTHER = "piecewise/layer0_b256"


def ran(action: Callable[[], object]) -> list[sim.Launch]:
    sim.clear_launches()
    action()
    return [launch.effect() for launch in sim.launches()]


def test_one_instantiation_for_two_alike(registry: Registry, build: Callable[[str], int]) -> None:
    first, second = (registry.register(build(name), name=name) for name in ALIKE)
    stats = registry.stats()
    assert (stats.graphs, stats.groups, stats.executables, stats.instantiations) == (2, 1, 1, 1)
    assert (first.loaded, second.loaded) == (False, True)
    assert first.group == second.group
    assert (first.name, second.name) == ALIKE
    assert sim.counters()["live_exec_count"] == 1


def test_replays_run_what_was_captured(
    driver: graphdedup.Driver, registry: Registry, build: Callable[[str], int]
) -> None:
    handles = [build(name) for name in (*ALIKE, OTHER)]
    plain = []
    for handle in handles:
        with Registry(driver=driver) as alone:
            plain.append(ran(alone.register(handle).replay))
    shared = [registry.register(handle) for handle in handles]
    for index in (0, 1, 2, 1, 0, 0, 2):
        assert ran(shared[index].replay) == plain[index]
    stats = registry.stats()
    assert stats.replays == stats.hits + stats.switches + stats.first_loads + stats.fallbacks == 7
    assert stats.refusals == 0


def test_loaded_follows_the_replays(registry: Registry, build: Callable[[str], int]) -> None:
    first, second = (registry.register(build(name)) for name in ALIKE)
    first.replay()
    assert (first.loaded, second.loaded) == (True, False)
    second.prepare()
    assert (first.loaded, second.loaded) == (False, True)
    before = registry.stats().hits
    second.replay()
    assert registry.stats().hits == before + 1


def test_effects_are_launches_without_their_circumstances(registry: Registry, build: Callable[[str], int]) -> None:
    shared = registry.register(build(ALIKE[0]))
    shared.replay()
    for launch, effect in zip(sim.launches(), sim.effects(), strict=True):
        assert effect.items() <= dataclasses.asdict(launch.effect()).items()
        assert len(effect) == len(dataclasses.fields(launch)) - 4


class Protocol:
    def __cuda_stream__(self) -> tuple[int, int]:
        return (0, 2)


class Pointer:
    ptr = 2


@pytest.mark.parametrize("stream", [2, Protocol(), Pointer()])
def test_streams_that_are_named(stream: Any, registry: Registry, build: Callable[[str], int]) -> None:
    shared = registry.register(build(ALIKE[0]))
    shared.prepare(stream)
    shared.replay(stream)
    assert {launch.stream for launch in sim.launches()} == {2}


def test_no_stream_is_the_legacy_stream_without_torch(
    monkeypatch: pytest.MonkeyPatch, registry: Registry, build: Callable[[str], int]
) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    registry.register(build(ALIKE[0])).replay()
    assert {launch.stream for launch in sim.launches()} == {0}


def test_a_bad_stream_changes_nothing(registry: Registry, build: Callable[[str], int]) -> None:
    shared = registry.register(build(ALIKE[0]))
    for use in (shared.replay, shared.prepare):
        with pytest.raises(graphdedup.InvalidArgumentError):
            use("stream 0")
    assert registry.stats().replays == 0
    assert sim.launches() == []


BAD_GRAPHS = {
    "null": (0, graphdedup.InvalidGraphError),
    "none": (None, graphdedup.InvalidArgumentError),
    "text": ("graph", graphdedup.InvalidArgumentError),
    "negative": (-5, graphdedup.InvalidGraphError),
}


@pytest.mark.parametrize(("graph", "error"), BAD_GRAPHS.values(), ids=BAD_GRAPHS)
def test_bad_graphs(graph: Any, error: type[graphdedup.GraphDedupError], registry: Registry) -> None:
    with pytest.raises(error) as caught:
        registry.register(graph)
    assert caught.value.operation == "Registry.register"
    assert caught.value.object
    assert registry.stats().graphs == 0
    assert sim.counters()["live_exec_count"] == 0


def test_a_name_that_is_none(registry: Registry, build: Callable[[str], int]) -> None:
    with pytest.raises(graphdedup.InvalidArgumentError, match="name"):
        registry.register(build(ALIKE[0]), name=3)  # type: ignore[arg-type]
    assert registry.stats().graphs == 0


BAD_OPTIONS: list[dict[str, Any]] = [
    {"vary": "everything"},
    {"vary": None},
    {"execs_per_group": 0},
    {"execs_per_group": -1},
    {"execs_per_group": 1.5},
    {"execs_per_group": True},
    {"instantiate_flags": -1},
    {"instantiate_flags": 2},
    {"instantiate_flags": "9"},
    {"device": -2},
    {"device": "cuda"},
]


@pytest.mark.parametrize("options", BAD_OPTIONS, ids=str)
def test_bad_options(options: dict[str, Any], driver: graphdedup.Driver) -> None:
    with pytest.raises(graphdedup.InvalidArgumentError) as caught:
        Registry(driver=driver, **options)
    assert next(iter(options)) in str(caught.value)


def test_no_driver(tmp_path: Any) -> None:
    with pytest.raises(graphdedup.DriverNotFoundError) as caught:
        Registry(driver=str(tmp_path / "libcuda.so.1"))
    assert str(tmp_path) in str(caught.value)


def test_sealed_and_closed(registry: Registry, build: Callable[[str], int]) -> None:
    graph, other = build(ALIKE[0]), build(ALIKE[1])
    shared = registry.register(graph)
    registry.seal()
    registry.seal()
    assert registry.sealed
    with pytest.raises(graphdedup.RegistrySealedError):
        registry.register(other)
    shared.replay()
    registry.close()
    registry.close()
    assert registry.closed
    for use in (lambda: registry.register(other), shared.replay, shared.prepare):
        with pytest.raises(graphdedup.RegistryClosedError):
            use()
    assert (registry.stats().executables, sim.counters()["live_exec_count"]) == (0, 0)


def test_leaving_the_block_closes(driver: graphdedup.Driver, build: Callable[[str], int]) -> None:
    with Registry(driver=driver) as registry:
        registry.register(build(ALIKE[0]))
        open_inside = not registry.closed
    assert (open_inside, registry.closed) == (True, True)
    assert sim.counters()["live_exec_count"] == 0


def test_removal(registry: Registry, build: Callable[[str], int]) -> None:
    first, second = (registry.register(build(name)) for name in ALIKE)
    first.remove()
    first.remove()
    with pytest.raises(graphdedup.RegistryClosedError, match="removed"):
        first.replay()
    second.replay()
    assert [member.id for member in registry.members()] == [second.id]


def test_a_shared_graph_keeps_its_registry(driver: graphdedup.Driver, build: Callable[[str], int]) -> None:
    shared = Registry(driver=driver).register(build(ALIKE[0]))
    gc.collect()
    shared.replay()
    assert len(sim.launches()) > 0
    del shared
    gc.collect()
    assert sim.counters()["live_exec_count"] == 0


def test_what_is_kept_alive_is_let_go(registry: Registry, build: Callable[[str], int]) -> None:
    class Memory:
        pass

    memory = Memory()
    gone = weakref.ref(memory)
    registry.register(build(ALIKE[0]), keep_alive=memory)
    del memory
    gc.collect()
    assert gone() is not None
    registry.close()
    gc.collect()
    assert gone() is None


def test_a_memory_owner_that_refers_back_is_collected(driver: graphdedup.Driver, build: Callable[[str], int]) -> None:
    class Memory:
        pass

    memory: Any = Memory()
    memory.shared = Registry(driver=driver).register(build(ALIKE[0]), keep_alive=memory)
    gone = weakref.ref(memory)
    del memory
    gc.collect()
    assert gone() is None
    assert sim.counters()["live_exec_count"] == 0


@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("case", ["of another registry", "removed", "closed"])
def test_graphs_that_cannot_be_explained(
    case: str, position: int, driver: graphdedup.Driver, registry: Registry, build: Callable[[str], int]
) -> None:
    pair = [registry.register(build(name)) for name in ALIKE]
    assert registry.explain(*pair).may_share
    with Registry(driver=driver) as other:
        if case == "of another registry":
            pair[position] = other.register(build(ALIKE[0]))
        elif case == "removed":
            pair[position].remove()
        else:
            registry.close()
        with pytest.raises(graphdedup.RegistryClosedError) as caught:
            registry.explain(*pair)
    assert caught.value.operation == "Registry.explain"
    assert caught.value.object


@pytest.mark.parametrize("graph", [None, 1, "layer0"])
def test_only_shared_graphs_are_explained(graph: Any, registry: Registry, build: Callable[[str], int]) -> None:
    shared = registry.register(build(ALIKE[0]))
    for pair in ((graph, shared), (shared, graph)):
        with pytest.raises(graphdedup.InvalidArgumentError, match="SharedGraph"):
            registry.explain(*pair)


FORKS = """
import os, signal, sys, threading, time
from graphdedup import Registry, RegistryClosedError, recorded, sim

driver = sim.driver()
registry = Registry(driver=driver)
handle = sim.build(recorded.load_graph(sys.argv[1]).snapshot)
shared = registry.register(handle)
other = sim.build(recorded.load_graph(sys.argv[1]).snapshot)
sim.set_behaviour("call_delay_us", 2_000)  # so that the registration is under way when the process forks
thread = threading.Thread(target=registry.register, args=(other,))
thread.start()
while registry._lock.acquire(blocking=False):
    registry._lock.release()
child = os.fork()
if child == 0:
    signal.alarm(20)  # ends a child that waits for a lock
    shared.remove()
    registry.close()
    for use in (lambda: registry.register(handle), shared.replay):
        try:
            use()
        except RegistryClosedError:
            continue
        os._exit(1)
    os._exit(0)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
thread.join()
sim.set_behaviour("call_delay_us", 0)
shared.replay()
registry.close()
sys.exit(status != 0)
"""


def test_a_forked_child_waits_for_no_lock(data: Path) -> None:
    graph = data / "piecewise" / "layer0_b001.json.gz"
    done = subprocess.run([sys.executable, "-c", FORKS, str(graph)], check=False, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()


def test_members_say_what_was_registered(registry: Registry, build: Callable[[str], int]) -> None:
    shared = [registry.register(build(name), name=name) for name in (*ALIKE, OTHER)]
    members = registry.members()
    assert [m.name for m in members] == [*ALIKE, OTHER]
    assert [m.id for m in members] == [g.id for g in shared]
    assert [m.group for m in members] == [0, 0, 1]
    assert all(m.node_count == g.node_count > 0 for m, g in zip(members, shared, strict=True))
    assert "2 executables" in repr(registry)
    assert ALIKE[0] in repr(shared[0])


def test_a_graph_without_a_name_gets_one(registry: Registry, build: Callable[[str], int]) -> None:
    shared = registry.register(build(ALIKE[0]))
    assert str(shared.id) in shared.name


def test_a_forced_clash_is_refused(registry: Registry, build: Callable[[str], int]) -> None:
    _core.testing.force_signature(registry._core, b"clash")
    first = registry.register(build("mixed/rng_n01024"))
    expected = ran(first.replay)
    longer = registry.register(build(ALIKE[0]))
    assert longer.node_count > first.node_count
    stats = registry.stats()
    assert (stats.graphs, stats.executables, stats.refusals) == (2, 2, 1)
    assert ran(first.replay) == expected
    assert len(ran(longer.replay)) == longer.node_count


def test_driver_errors_are_typed(registry: Registry, build: Callable[[str], int]) -> None:
    graph = build(ALIKE[0])
    sim.fail("cuGraphInstantiateWithParams", status=1)
    with pytest.raises(graphdedup.DriverError) as caught:
        registry.register(graph)
    error = caught.value
    assert (error.call, error.status, error.status_name) == (
        "cuGraphInstantiateWithParams",
        1,
        "CUDA_ERROR_INVALID_VALUE",
    )
    assert registry.stats().graphs == 0
    sim.fail("cuGraphInstantiateWithParams", status=2, count=2)
    with pytest.raises(graphdedup.OutOfDeviceMemoryError):
        registry.register(graph)
    sim.set_memory_limit(1)
    with pytest.raises(MemoryError):
        registry.register(graph)
    assert registry.stats().graphs == 0


def test_a_refused_switch_raises_nothing(registry: Registry, build: Callable[[str], int]) -> None:
    first, second = (registry.register(build(name)) for name in ALIKE)
    expected = ran(second.replay)
    sim.refuse_every(1)
    first.replay()
    sim.refuse_every(0)
    assert (registry.stats().fallbacks, registry.stats().refusals) == (1, 1)
    assert ran(second.replay) == expected


@pytest.mark.parametrize(("installed", "flags"), [("2.8.0", 1), ("2.9.1+cu128", 1), ("2.10.0", 9), ("2.14.0a0+git", 9)])
def test_flags_follow_torch(installed: str, flags: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from graphdedup.registry import default_instantiate_flags

    torch = types.ModuleType("torch")
    torch.__version__ = installed  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert default_instantiate_flags() == flags


def test_flags_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import metadata

    from graphdedup import registry

    def missing(_name: str) -> str:
        raise metadata.PackageNotFoundError

    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(metadata, "version", missing)
    assert registry.default_instantiate_flags() == 9


def test_one_executable_a_group_and_more(driver: graphdedup.Driver, build: Callable[[str], int]) -> None:
    with Registry(driver=driver, execs_per_group=2, lazy=True) as registry:
        first, second = (registry.register(build(name)) for name in ALIKE)
        assert registry.stats().executables == 0
        for _ in range(3):
            first.replay()
            second.replay()
        stats = registry.stats()
        assert (stats.executables, stats.first_loads, stats.hits, stats.switches) == (2, 2, 4, 0)


@pytest.mark.parametrize("stream", [-1, 1 << 64, 1.5, "s"])
def test_streams_that_cannot_be(stream: object, registry: graphdedup.Registry, build: Callable[[str], int]) -> None:
    shared = registry.register(build("piecewise/layer0_b001"))
    with pytest.raises(graphdedup.InvalidArgumentError, match=r"SharedGraph\.replay"):
        shared.replay(stream)
    assert registry.stats().replays == 0


@pytest.mark.parametrize("driver", [5, b"x", "a\0b", "\udc80"])
def test_drivers_that_cannot_be(driver: Any) -> None:
    with pytest.raises(graphdedup.InvalidArgumentError, match="Registry: driver"):
        graphdedup.Registry(driver=driver)


def test_a_name_that_the_core_cannot_hold(registry: graphdedup.Registry, build: Callable[[str], int]) -> None:
    with pytest.raises(graphdedup.InvalidArgumentError, match="name"):
        registry.register(build("piecewise/layer0_b001"), name="\udc80")
    assert registry.stats().graphs == 0


def test_prepares_are_no_replays(registry: Registry, build: Callable[[str], int]) -> None:
    first, second = (registry.register(build(name)) for name in ALIKE)
    first.prepare()
    first.prepare()
    first.replay()
    stats = registry.stats()
    assert (stats.prepares, stats.replays, stats.hits) == (1, 1, 1)
    second.prepare()
    assert registry.stats().prepares == 2


def test_a_driver_by_its_path(tmp_path: Path) -> None:
    with pytest.raises(graphdedup.DriverNotFoundError, match="libcuda"):
        Registry(driver=tmp_path / "libcuda.so.1")
    with Registry(driver=Path(sim.driver().path)) as registry:
        assert registry.stats().graphs == 0


def test_raw_graphs_run_on_the_current_stream_of_their_own_device(
    monkeypatch: pytest.MonkeyPatch, registry: Registry, build: Callable[[str], int]
) -> None:
    shared = registry.register(build(ALIKE[0]))
    cuda = types.SimpleNamespace(is_initialized=lambda: True, current_device=lambda: 1)
    core = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: 2 if device == 0 else 0xBAD)
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(cuda=cuda, _C=core))
    shared.replay()
    assert {launch.stream for launch in sim.launches()} == {2}
