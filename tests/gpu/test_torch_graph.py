"""The torch object after registration: it replays the shared way, speaks of the real graph, and can be let go of."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

import graphdedup
import pytest
from graphdedup import analysis, record, recorded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_the_torch_object_replays_the_shared_way(
    registry: graphdedup.Registry, make_doubler: Callable[[int], Any]
) -> None:
    small, large = make_doubler(4096), make_doubler(8192)
    registry.register(small.graph)
    registry.register(large.graph)
    for value in (3, 7):
        small.check(small.graph.replay, value)
        large.check(large.graph.replay, value)
    assert registry.stats().replays == 4


def test_a_graph_that_torch_had_replayed_can_be_registered(
    registry: graphdedup.Registry, make_doubler: Callable[[int], Any]
) -> None:
    doubler = make_doubler(4096)
    doubler.check(doubler.graph.replay, 3)
    shared = registry.register(doubler.graph)
    doubler.check(shared.replay, 7)


def test_after_removal_it_says_so(registry: graphdedup.Registry, make_doubler: Callable[[int], Any]) -> None:
    small, large = make_doubler(4096), make_doubler(8192)
    shared = registry.register(small.graph)
    kept = registry.register(large.graph)
    shared.remove()
    shared.remove()
    with pytest.raises(graphdedup.RegistryClosedError):
        small.graph.replay()
    with pytest.raises(graphdedup.RegistryClosedError):
        shared.replay()
    large.check(kept.replay, 3)
    assert registry.stats().graphs == 1


def test_after_close_it_says_so(make_doubler: Callable[[int], Any]) -> None:
    doubler = make_doubler(4096)
    registry = graphdedup.Registry()
    shared = registry.register(doubler.graph)
    registry.close()
    registry.close()
    with pytest.raises(graphdedup.RegistryClosedError):
        doubler.graph.replay()
    with pytest.raises(graphdedup.RegistryClosedError):
        shared.replay()
    assert registry.stats().executables == 0


def test_reset_removes_and_the_object_captures_again(
    torch: Any, registry: graphdedup.Registry, make_doubler: Callable[[int], Any]
) -> None:
    doubler = make_doubler(4096)
    registry.register(doubler.graph)
    doubler.graph.reset()
    assert registry.stats().graphs == 0
    with torch.cuda.graph(doubler.graph):
        torch.mul(doubler.input, 2, out=doubler.output)
    doubler.check(registry.register(doubler.graph).replay, 5)


def test_registering_twice_is_an_error(registry: graphdedup.Registry, make_doubler: Callable[[int], Any]) -> None:
    doubler = make_doubler(4096)
    shared = registry.register(doubler.graph)
    with pytest.raises(graphdedup.InvalidGraphError, match="registered already"):
        registry.register(doubler.graph)
    doubler.check(shared.replay, 3)


def test_bad_torch_graphs(torch: Any, registry: graphdedup.Registry, make_doubler: Callable[[int], Any]) -> None:
    with pytest.raises(graphdedup.InvalidGraphError, match="not been captured"):
        registry.register(torch.cuda.CUDAGraph(keep_graph=True))
    not_kept = torch.cuda.CUDAGraph()
    source = torch.zeros(16, device="cuda")
    with torch.cuda.graph(not_kept):
        source + 1
    with pytest.raises(graphdedup.InvalidGraphError, match="keep_graph=False"):
        registry.register(not_kept)
    not_kept.replay()
    reset = make_doubler(4096).graph
    reset.reset()
    with pytest.raises(graphdedup.InvalidGraphError, match="reset"):
        registry.register(reset)
    assert registry.stats().graphs == 0


def test_closing_lets_graphs_be_collected(make_doubler: Callable[[int], Any]) -> None:
    registry = graphdedup.Registry()
    doubler = make_doubler(4096)
    shared = registry.register(doubler.graph)
    doubler.check(shared.replay, 3)
    gone = weakref.ref(doubler.graph)
    del doubler
    gc.collect()
    assert gone() is not None, "the registry must hold the graph that owns the memory"
    registry.close()
    gc.collect()
    assert gone() is None


def test_an_abandoned_registry_lets_go_too(make_doubler: Callable[[int], Any]) -> None:
    registry = graphdedup.Registry()
    doubler = make_doubler(4096)
    shared = registry.register(doubler.graph)
    gone = weakref.ref(doubler.graph)
    del registry, shared, doubler
    gc.collect()
    assert gone() is None


def test_streams(torch: Any, registry: graphdedup.Registry, make_doubler: Callable[[int], Any]) -> None:
    doubler = make_doubler(4096)
    shared = registry.register(doubler.graph)
    stream = torch.cuda.Stream()

    class Protocol:
        def __cuda_stream__(self) -> tuple[int, int]:
            return (0, stream.cuda_stream)

    for value, named in enumerate((stream, stream.cuda_stream, Protocol(), None)):
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(20_000_000)
            doubler.input.fill_(value)  # comes late: a replay on any other stream reads what was there before
            if named is None:
                shared.replay()
        if named is not None:
            shared.replay(named)
        stream.synchronize()
        assert doubler.output.eq(2 * value).all().item()


def test_dump_and_recording_speak_of_the_real_graph(
    tmp_path: Path, registry: graphdedup.Registry, make_doubler: Callable[[int], Any]
) -> None:
    before, after = make_doubler(4096), make_doubler(8192)
    registry.register(after.graph)
    after.graph.debug_dump(str(tmp_path / "after.dot"))
    assert recorded.load_graph(tmp_path / "after.dot").snapshot.node_count == 1
    paths = record.record(tmp_path / "set", {"before": before.graph, "after": after.graph})
    result = analysis.analyze(recorded.load(paths))
    assert result.groups == [["before", "after"]]
    assert result.exact
    before.check(before.graph.replay, 3)
    after.check(after.graph.replay, 7)
