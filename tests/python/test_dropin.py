"""The drop-in, with torch's graph class faked on the simulated driver."""

from __future__ import annotations

import gc
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import graphdedup
import pytest
from graphdedup import sim
from graphdedup.dropin import state
from graphdedup.dropin.environment import plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

torch: Any = pytest.importorskip("torch")

_spec = importlib.util.spec_from_file_location("fake_torch", Path(__file__).parent / "fake_torch.py")
assert _spec is not None
assert _spec.loader is not None
fake_torch = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fake_torch)

PLAIN = "piecewise/layer0_b001"
ALIKE = "piecewise/layer1_b001"


@pytest.fixture(name="capture")
def capture_function(
    monkeypatch: pytest.MonkeyPatch, driver: graphdedup.Driver, build: Callable[[str], int]
) -> Iterator[Callable[..., Any]]:
    cuda, _ = fake_torch.install(monkeypatch, torch, driver)
    state.private.clear()

    def capture(name: str | int = PLAIN, graph: Any = None, **options: Any) -> Any:
        graph = torch.cuda.CUDAGraph(**options) if graph is None else graph
        torch._C._CUDAGraph.next_capture = (name if isinstance(name, int) else build(name), {})
        graph.capture_begin()
        graph.capture_end()
        return graph

    capture.cuda = cuda  # type: ignore[attr-defined]
    yield capture
    state.drain()
    cuda.close()
    gc.collect()


def ran(action: Callable[[], object]) -> list[sim.Launch]:
    sim.clear_launches()
    action()
    return [launch.effect() for launch in sim.launches()]


def test_graphs_share_at_the_end_of_their_capture(
    capture: Any, build: Callable[[str], int], registry: graphdedup.Registry
) -> None:
    raw = [build(PLAIN), build(ALIKE)]
    expected = [ran(capture(handle, keep_graph=True).replay) for handle in raw]
    with graphdedup.dedup(registry):
        graphs = [capture(handle) for handle in raw]
    assert (registry.stats().graphs, registry.stats().executables) == (2, 1)
    for index in (0, 1, 1, 0):
        assert ran(graphs[index].replay) == expected[index]
    with pytest.raises(RuntimeError, match="keep_graph"):
        graphs[0].raw_cuda_graph()


@pytest.mark.parametrize("first_use", ["instantiate", "replay"])
def test_a_kept_graph_is_shared_when_torch_would_instantiate(
    first_use: str, capture: Any, registry: graphdedup.Registry
) -> None:
    with graphdedup.dedup(registry):
        graph = capture(keep_graph=True)
        assert registry.stats().graphs == 0
        getattr(graph, first_use)()
    assert registry.stats().graphs == 1


def test_what_cannot_be_shared_is_torchs_and_counted(
    capture: Any, build: Callable[[str], int], registry: graphdedup.Registry
) -> None:
    raw = build(PLAIN)
    expected = ran(capture(raw, keep_graph=True).replay)
    registry.seal()
    with graphdedup.dedup(registry):
        graph = capture(raw)
    assert ran(graph.replay) == expected
    assert sum(state.private.values()) == 1
    assert registry.stats().graphs == 0


def test_reset_then_captured_again(capture: Any, registry: graphdedup.Registry) -> None:
    with graphdedup.dedup(registry):
        graph = capture(PLAIN)
        graph.reset()
        assert registry.stats().graphs == 0
        capture(ALIKE, graph)
    assert registry.stats().graphs == 1


def test_a_collected_graph_leaves_when_the_queue_is_drained(capture: Any, registry: graphdedup.Registry) -> None:
    with graphdedup.dedup(registry):
        lost, kept = capture(PLAIN), capture(ALIKE)
        expected = ran(kept.replay)
        capture.cuda.torch_replays.clear()  # it holds the graphs
        del lost
        gc.collect()
        assert registry.stats().graphs == 2
        state.drain()
    assert registry.stats().graphs == 1
    assert ran(kept.replay) == expected


def test_uninstall_leaves_torch_as_it_was(capture: Any) -> None:
    before = torch.cuda.CUDAGraph
    graphdedup.install()
    graphdedup.install()
    assert torch.cuda.CUDAGraph is torch.cuda.graphs.CUDAGraph is not before
    graphdedup.uninstall()
    assert torch.cuda.CUDAGraph is not before
    graphdedup.uninstall()
    graphdedup.uninstall()
    assert torch.cuda.CUDAGraph is torch.cuda.graphs.CUDAGraph is before


@pytest.mark.parametrize(
    ("switch", "options", "placed"),
    [("1", "vary=grid,execs_per_group=2", True), ("1", "vary=nothing", False), ("0", "", False)],
)
def test_the_plugin_follows_the_environment(
    switch: str, options: str, placed: bool, capture: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHDEDUP", switch)
    monkeypatch.setenv("GRAPHDEDUP_OPTIONS", options)
    before = torch.cuda.CUDAGraph
    plugin()
    assert (torch.cuda.CUDAGraph is not before) == placed
    graphdedup.uninstall()
    assert torch.cuda.CUDAGraph is before


def test_install_refuses_unknown_options_at_once() -> None:
    before = torch.cuda.CUDAGraph
    with pytest.raises(graphdedup.InvalidArgumentError, match="install: options"):
        graphdedup.install(no_such_option=1)
    assert torch.cuda.CUDAGraph is before
