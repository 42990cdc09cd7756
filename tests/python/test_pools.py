"""Several executables a group, preparing ahead, and the cheapest of several graphs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import graphdedup
import pytest
from graphdedup import Registry, sim

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).resolve().parents[1] / "data" / "h200"
# Of one group, whatever `vary` is but the narrowest.
LAYERS = ("piecewise/layer0_b001", "piecewise/layer1_b001", "piecewise/layer2_b001")


def effects_of(graph: graphdedup.SharedGraph) -> list[dict[str, object]]:
    sim.clear_launches()
    graph.replay()
    return sim.effects()


@pytest.mark.parametrize(
    ("options", "executables"), [({}, 1), ({"execs_per_group": 2}, 2), ({"memory_budget_bytes": 1 << 30}, 3)]
)
def test_executables_up_to_what_is_allowed(
    options: dict[str, int], executables: int, driver: graphdedup.Driver, build: Callable[[str], int]
) -> None:
    with Registry("kernel", driver=driver, **options) as registry:  # type: ignore[arg-type]
        graphs = [registry.register(build(name)) for name in LAYERS]
        assert registry.stats().groups == 1
        assert registry.stats().executables == 1  # no more before they are needed
        first = [effects_of(graph) for graph in graphs]
        assert [effects_of(graph) for graph in graphs] == first
        stats = registry.stats()
        assert stats.executables == executables
        if "memory_budget_bytes" in options:
            assert stats.switches == 0
            assert stats.executable_bytes == stats.bytes_per_node * sum(graph.node_count for graph in graphs)


def test_a_budget_is_kept(driver: graphdedup.Driver, build: Callable[[str], int]) -> None:
    with Registry(driver=driver, memory_budget_bytes=1 << 30) as registry:
        graph = registry.register(build(LAYERS[0]))
        one = graph.node_count * registry.stats().bytes_per_node
    with Registry(driver=driver, memory_budget_bytes=2 * one) as registry:
        graphs = [registry.register(build(name)) for name in LAYERS]
        for graph in graphs * 3:
            graph.replay()
        assert registry.stats().executables == 2
        assert registry.stats().executable_bytes <= 2 * one


@pytest.mark.parametrize("budget", [0, -1, True, "1 GiB"])
def test_a_budget_that_is_none(budget: object, driver: graphdedup.Driver) -> None:
    with pytest.raises(graphdedup.InvalidArgumentError, match="memory_budget_bytes"):
        Registry(driver=driver, memory_budget_bytes=budget)  # type: ignore[arg-type]


def test_prepared_in_the_background(driver: graphdedup.Driver, build: Callable[[str], int]) -> None:
    with Registry(driver=driver) as registry:
        graphs = [registry.register(build(name)) for name in LAYERS]
        expected = [effects_of(graph) for graph in graphs]
        before = registry.stats()
        for step in range(30):
            index = step % len(graphs)
            graphs[index].prepare(wait=False)
            assert effects_of(graphs[index]) == expected[index]
        after = registry.stats()
        # Whoever came first loaded it, the thread or the replay.
        assert after.prepares - before.prepares + after.switches - before.switches == 30
        assert after.prepare_failures == 0


def test_exit_with_a_prepare_under_way() -> None:
    script = f"""
import graphdedup
from graphdedup import recorded, sim
registry = graphdedup.Registry(driver=sim.driver())
build = lambda name: sim.build(recorded.load_graph(rf"{DATA}/{{name}}.json.gz").snapshot)
graphs = [registry.register(build(name)) for name in {LAYERS!r}]
sim.set_behaviour("call_delay_us", 20000)
graphs[0].prepare(wait=False)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_no_stream_for_the_background(registry: Registry, build: Callable[[str], int]) -> None:
    graph = registry.register(build(LAYERS[0]))
    with pytest.raises(graphdedup.InvalidArgumentError, match="stream"):
        graph.prepare(0, wait=False)
    registry.close()
    with pytest.raises(graphdedup.RegistryClosedError):
        graph.prepare(wait=False)


def test_the_cheapest(registry: Registry, build: Callable[[str], int]) -> None:
    first, second, third = (registry.register(build(name)) for name in LAYERS)
    second.replay()
    assert registry.cheapest([first, second, third]) is second
    third.prepare()
    assert registry.cheapest(iter([first, second, third])) is third
    with pytest.raises(graphdedup.InvalidArgumentError):
        registry.cheapest([])
    with pytest.raises(graphdedup.InvalidArgumentError):
        registry.cheapest([first, object()])  # type: ignore[list-item]
    first.remove()
    with pytest.raises(graphdedup.RegistryClosedError):
        registry.cheapest([first, second])
