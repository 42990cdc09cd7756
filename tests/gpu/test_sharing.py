"""Sharing on a real driver: one executable, right results, refusals that leave everything as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import graphdedup
import pytest
from graphdedup import _core

if TYPE_CHECKING:
    from collections.abc import Callable


def test_two_sizes_share_one_executable(registry: graphdedup.Registry, make_doubler: Callable[[int], Any]) -> None:
    small, large = make_doubler(4096), make_doubler(8192)
    shared_small = registry.register(small.graph, name="small")
    shared_large = registry.register(large.graph, name="large")

    stats = registry.stats()
    assert (stats.graphs, stats.executables, stats.instantiations, stats.refusals) == (2, 1, 1, 0)
    assert shared_large.loaded
    assert not shared_small.loaded

    for value in (3, 7, 3, 7):
        small.check(shared_small.replay, value)
        large.check(shared_large.replay, value)
    assert registry.stats().instantiations == 1
    assert registry.stats().switches == 8
    assert registry.stats().fallbacks == 0


def test_a_loaded_graph_is_a_hit(registry: graphdedup.Registry, make_doubler: Callable[[int], Any]) -> None:
    small, large = make_doubler(4096), make_doubler(8192)
    registry.register(small.graph)
    shared = registry.register(large.graph)
    large.check(shared.replay, 3)
    large.check(shared.replay, 7)
    assert (registry.stats().hits, registry.stats().switches) == (2, 0)


def test_prepare_moves_the_switch_ahead(registry: graphdedup.Registry, make_doubler: Callable[[int], Any]) -> None:
    small, large = make_doubler(4096), make_doubler(8192)
    shared = registry.register(small.graph)
    registry.register(large.graph)
    shared.prepare()
    assert shared.loaded
    small.check(shared.replay, 5)
    assert registry.stats().hits == 1


def test_a_forced_clash_is_refused_and_harms_nobody(
    torch: Any, registry: graphdedup.Registry, capture: Callable[..., Any], make_doubler: Callable[[int], Any]
) -> None:
    first = make_doubler(4096)
    source, result = torch.zeros(4096, device="cuda"), torch.zeros(4096, device="cuda")

    def longer() -> None:
        torch.mul(source, 3, out=result)
        result.add_(1)
        result.mul_(2)

    longer_graph = capture(longer)
    _core.testing.force_signature(registry._core, b"clash")
    shared_first = registry.register(first.graph)
    shared_longer = registry.register(longer_graph)

    stats = registry.stats()
    assert (stats.graphs, stats.executables, stats.refusals) == (2, 2, 1)
    assert shared_first.loaded
    assert shared_longer.loaded
    for value in (3, 7):
        first.check(shared_first.replay, value)
        source.fill_(value)
        shared_longer.replay()
        assert result.eq((3 * value + 1) * 2).all().item()
    assert registry.stats().fallbacks == 0


def test_levels_of_vary(make_doubler: Callable[[int], Any]) -> None:
    executables = {}
    for vary in ("arguments", "grid"):
        sizes = [make_doubler(4096), make_doubler(8192), make_doubler(4096)]
        with graphdedup.Registry(vary=vary) as registry:
            shared = [registry.register(size.graph) for size in sizes]
            for size, graph in zip(sizes, shared, strict=True):
                size.check(graph.replay, 4)
            executables[vary] = registry.stats().executables
    assert executables == {"arguments": 2, "grid": 1}


@pytest.mark.parametrize("lazy", [False, True])
def test_several_executables_a_group(lazy: bool, make_doubler: Callable[[int], Any]) -> None:
    sizes = [make_doubler(4096 * factor) for factor in (1, 2, 3)]
    with graphdedup.Registry(execs_per_group=2, lazy=lazy) as registry:
        shared = [registry.register(size.graph) for size in sizes]
        assert registry.stats().executables == (0 if lazy else 1)
        for value in (3, 7):
            for size, graph in zip(sizes, shared, strict=True):
                size.check(graph.replay, value)
        assert registry.stats().executables == 2


def test_raw_handles_share_too(registry: graphdedup.Registry, make_doubler: Callable[[int], Any]) -> None:
    small, large = make_doubler(4096), make_doubler(8192)
    shared = [registry.register(d.graph.raw_cuda_graph(), keep_alive=d.graph) for d in (small, large)]
    assert registry.stats().executables == 1
    for value in (3, 7):
        small.check(shared[0].replay, value)
        large.check(shared[1].replay, value)


def test_handles_of_cuda_bindings(registry: graphdedup.Registry, make_doubler: Callable[[int], Any]) -> None:
    from cuda.bindings import driver, runtime

    small, large = make_doubler(4096), make_doubler(8192)
    shared_small = registry.register(driver.CUgraph(small.graph.raw_cuda_graph()), keep_alive=small.graph)
    shared_large = registry.register(runtime.cudaGraph_t(large.graph.raw_cuda_graph()), keep_alive=large.graph)
    small.check(shared_small.replay, 3)
    large.check(lambda: shared_large.replay(runtime.cudaStream_t(0)), 7)


def test_a_wrong_handle_is_refused(registry: graphdedup.Registry, make_doubler: Callable[[int], Any]) -> None:
    doubler = make_doubler(4096)
    shared = registry.register(doubler.graph)
    with pytest.raises(graphdedup.InvalidGraphError):
        registry.register(0)
    doubler.check(shared.replay, 3)
    assert registry.stats().graphs == 1


def test_replays_from_several_threads(
    registry: graphdedup.Registry, torch: Any, make_doubler: Callable[[int], Any]
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    doublers = [make_doubler(4096 * factor) for factor in (1, 2, 3, 4)]
    shared = [registry.register(d.graph) for d in doublers]

    def work(index: int) -> bool:
        doubler, stream = doublers[index], torch.cuda.Stream()
        right = True
        with torch.cuda.stream(stream):
            for value in range(50):
                doubler.input.fill_(value)
                shared[index].replay()
                right &= doubler.output.eq(2 * value).all().item()
        return right

    torch.cuda.synchronize()
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))
    assert registry.stats().replays == 200
    assert registry.stats().fallbacks == 0
