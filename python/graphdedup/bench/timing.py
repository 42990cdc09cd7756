"""Times of repeated calls, the sides of a comparison taking turns so that drift hits all of them alike."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphdedup._arguments import invalid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclass(frozen=True)
class Times:
    """What one call took, in microseconds.

    Attributes:
        p50: The median.
        p99: What 99 of 100 do not exceed.
        samples: How many were measured.
    """

    p50: float
    p99: float
    samples: int


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the percentile, linear between the two nearest values.

    Raises:
        InvalidArgumentError: There are no values, or `percent` is not within 0 and 100.
    """
    if not values or not 0 <= percent <= 100:
        raise invalid("bench", "percentile", f"takes values and 0 to 100, not {len(values)} values and {percent}")
    ordered = sorted(values)
    position = (len(ordered) - 1) * percent / 100
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def summary(nanoseconds: Sequence[float]) -> Times:
    """Summarise times of calls."""
    return Times(percentile(nanoseconds, 50) / 1e3, percentile(nanoseconds, 99) / 1e3, len(nanoseconds))


def taking_turns(
    sides: Mapping[str, Callable[[], object]], settle: Callable[[], object], *, rounds: int, batch: int = 1
) -> dict[str, Times]:
    """Time each side in every round, its turn moving up by one each time; the first twentieth does not count.

    Args:
        sides: What to call, by name.
        settle: Called before and after each batch, outside of what is timed.
        rounds: Samples a side.
        batch: Calls a sample, which is their mean.
    """
    taken: dict[str, list[float]] = {name: [] for name in sides}
    names = list(sides)
    warm_up = max(1, rounds // 20)
    for turn in range(rounds + warm_up):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            call = sides[name]
            settle()
            start = time.perf_counter_ns()
            for _ in range(batch):
                call()
            elapsed = time.perf_counter_ns() - start
            settle()
            if turn >= warm_up:
                taken[name].append(elapsed / batch)
    return {name: summary(values) for name, values in taken.items()}
