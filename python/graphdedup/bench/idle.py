"""How long the GPU idles between replays that are queued one behind the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from graphdedup.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphdedup.bench.report import Report
    from graphdedup.bench.workbench import Workbench

REPLAYS = 100
"""An even number: two members alternate."""


def measure(bench: Workbench, report: Report) -> None:
    """Time the device over a row of replays of two sizes, less what each takes alone."""
    first, second = bench.sharing_pair()
    plain = [bench.decode[size].replay for size in (first, second)]
    with Registry(execs_per_group=1) as one, Registry(execs_per_group=2) as two:
        shared = list(bench.registered(one, [first, second]).values())
        pooled = [member.replay for member in bench.registered(two, [first, second]).values()]

        def prepared(number: int) -> None:
            shared[number % 2].replay()
            shared[(number + 1) % 2].prepare(wait=False)

        rows: dict[str, Callable[[int], Any]] = {
            "plain": lambda number: plain[number % 2](),
            "hit": lambda number: pooled[number % 2](),
            "switch": lambda number: shared[number % 2].replay(),
            "prepared_ahead": prepared,
        }
        for row in rows.values():
            _device_us(row, 4)
        alone = sum(_least_us(play) for play in plain) / 2
        found = {name: _device_us(row, REPLAYS) / REPLAYS for name, row in rows.items()}
    report.raw["idle"] = {
        "sizes": [first, second],
        "alone_us": alone,
        "device_us_per_replay": found,
        "idle_us_per_replay": {name: value - alone for name, value in found.items()},
    }


def _least_us(play: Callable[[], object]) -> float:
    return min(_device_us(lambda _: play(), 1) for _ in range(10))


def _device_us(row: Callable[[int], Any], count: int) -> float:
    torch.cuda.synchronize()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for number in range(count):
        row(number)
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) * 1e3
