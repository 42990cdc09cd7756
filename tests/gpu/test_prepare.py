"""Preparing ahead on a real driver: nothing runs out of order or as another graph, while the device is busy."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import graphdedup
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

MODULUS_MASK = (1 << 40) - 1


class _Steps:
    """Graphs of one group; graph ``i`` does ``state = (3 * state + i) mod 2**40``, after work of its own size."""

    def __init__(self, torch: Any, capture: Callable[..., Any], registry: graphdedup.Registry, count: int) -> None:
        self.state = torch.zeros(1, dtype=torch.long, device="cuda")
        self._filler = torch.ones(1 << 22, device="cuda")
        self.graphs = [registry.register(capture(self._work(i)), name=f"step {i}") for i in range(count)]
        self.expected = 0
        self.state.zero_()

    def _work(self, index: int) -> Callable[[], None]:
        part = self._filler[: (1 << 14) * (index + 1)]

        def work() -> None:
            for _ in range(20):
                part.mul_(1.0)
            self.state.mul_(3).add_(index).bitwise_and_(MODULUS_MASK)

        return work

    def replay(self, index: int) -> None:
        self.graphs[index].replay()
        self.expected = (3 * self.expected + index) & MODULUS_MASK

    def check(self) -> None:
        assert self.state.item() == self.expected


@pytest.mark.parametrize(
    "options", [{}, {"execs_per_group": 2}, {"execs_per_group": 4}, {"memory_budget_bytes": 300_000}]
)
def test_random_replays_with_the_next_prepared(
    torch: Any, capture: Callable[..., Any], options: dict[str, Any]
) -> None:
    with graphdedup.Registry(**options) as registry:
        steps = _Steps(torch, capture, registry, 12)
        assert registry.stats().groups == 1
        choice = random.Random(0)
        following = choice.randrange(12)
        for n in range(1500):
            index, following = following, choice.randrange(12)
            steps.replay(index)
            # One prediction of four is wrong, one comes twice.
            predicted = following if n % 4 else choice.randrange(12)
            steps.graphs[predicted].prepare(wait=False)
            if n % 4 == 1:
                steps.graphs[predicted].prepare(wait=False)
            if n % 100 == 99:
                steps.check()
        steps.check()
        stats = registry.stats()
        assert (stats.replays, stats.refusals, stats.fallbacks, stats.prepare_failures) == (1500, 0, 0, 0)
        assert stats.prepares > 0
        if "memory_budget_bytes" in options:
            assert 0 < stats.executable_bytes <= 300_000
            assert stats.executables > 1
        else:
            assert stats.executables <= options.get("execs_per_group", 1)


def test_bytes_per_node_is_what_executables_take(torch: Any, capture: Callable[..., Any]) -> None:
    with graphdedup.Registry(memory_budget_bytes=1 << 30) as registry:
        steps = _Steps(torch, capture, registry, 2)
        steps.replay(0)
        price = registry.stats().bytes_per_node
    assert 1000 < price < 8000  # some 2,700 were seen for decode graphs


def test_cheapest_is_the_loaded_one(torch: Any, capture: Callable[..., Any], registry: graphdedup.Registry) -> None:
    steps = _Steps(torch, capture, registry, 3)
    steps.replay(1)
    assert registry.cheapest(steps.graphs) is steps.graphs[1]
    steps.graphs[2].prepare()
    assert registry.cheapest(steps.graphs) is steps.graphs[2]
    steps.check()
