"""Orders in which members are replayed: of real traces over real groups, and synthetic ones that mislead policies."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphdedup.analysis import analyze
from graphdedup.bench.batching import BUCKETS, MAX_BATCH, TRACES, batch_sizes, load_trace, padded, step_ms
from graphdedup.recorded import load

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

RECORDED = Path(__file__).parents[2] / "tests" / "data" / "h200" / "decode"
RATES = (1, 4, 16)


@dataclass(frozen=True)
class Pattern:
    """Replays in order.

    Attributes:
        name: For the table.
        replays: Members.
        group_of: The group of each.
        plain_ms: What the replays take without any switch; 0 where there is no model of it.
    """

    name: str
    replays: list[Hashable]
    group_of: dict[Hashable, Hashable]
    plain_ms: float = 0.0

    @property
    def change_rate(self) -> float:
        """How often the member is not the one before."""
        changes = sum(a != b for a, b in zip(self.replays, self.replays[1:], strict=False))
        return changes / max(1, len(self.replays))


def recorded_groups() -> dict[int, int]:
    """Group the recorded decode graphs: index of the group by batch size."""
    found = analyze(load(sorted(RECORDED.glob("*.json.gz"))))
    return {int(name.rpartition("b")[2]): index for index, names in enumerate(found.groups) for name in names}


def with_nearest(groups: dict[int, int], sizes: range | tuple[int, ...]) -> dict[Hashable, Hashable]:
    """Give each size the group of the nearest recorded one, the larger of two as near."""
    return {size: groups[min(groups, key=lambda known: (abs(known - size), -known))] for size in sizes}


def traces(steps: int) -> Iterator[Pattern]:
    """Both traces at several rates, padded to 35 buckets and with a graph for every size."""
    groups = recorded_groups()
    for name in TRACES:
        requests = load_trace(name)
        for rate in RATES:
            sizes = batch_sizes(requests, rate=rate, steps=steps)
            buckets: list[Hashable] = [padded(size) for size in sizes]
            bucket_ms = sum(step_ms(padded(size)) for size in sizes)
            yield Pattern(f"{name} x{rate}, 35 buckets", buckets, with_nearest(groups, BUCKETS), bucket_ms)
            every = with_nearest(groups, range(1, MAX_BATCH + 1))
            yield Pattern(f"{name} x{rate}, every size", list(sizes), every, sum(map(step_ms, sizes)))


def synthetic() -> Iterator[Pattern]:
    """Members of one group: oscillations, per-layer cycles, scans."""
    order = random.Random(4)
    yield _one_group("oscillation of 2 sizes", [step % 2 for step in range(4000)])
    yield _one_group("oscillation of 3 sizes, up and down", [(0, 1, 2, 1)[step % 4] for step in range(4000)])
    yield _one_group("random walk over 64 sizes", _walk(order, 64, 8000))
    yield _one_group("28 layers, 1 size", _layers([0] * 300))
    yield _one_group("28 layers, 3 sizes, 20 steps each", _layers([(step // 20) % 3 for step in range(300)]))
    yield _one_group("28 layers, 3 sizes, each step another", _layers([step % 3 for step in range(300)]))
    yield _one_group("28 layers, 3 sizes, random steps", _layers([order.randrange(3) for _ in range(300)]))
    yield _one_group("scan of 256 sizes, again and again", [step % 256 for step in range(256 * 20)])
    yield _one_group("2 sizes, a scan of 64 each 400 steps", _interrupted(8000, 400, 64))


def _one_group(name: str, replays: list[int]) -> Pattern:
    return Pattern(name, list(replays), dict.fromkeys(replays, 0))


def _layers(sizes: list[int]) -> list[int]:
    return [size * 28 + layer for size in sizes for layer in range(28)]


def _walk(order: random.Random, size_count: int, steps: int) -> list[int]:
    at, walk = size_count // 2, []
    for _ in range(steps):
        at = min(size_count - 1, max(0, at + order.choice((-1, 0, 1))))
        walk.append(at)
    return walk


def _interrupted(steps: int, period: int, length: int) -> list[int]:
    replays: list[int] = []
    while len(replays) < steps:
        replays += [step % 2 for step in range(period)] + list(range(2, 2 + length))
    return replays
