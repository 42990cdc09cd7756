"""A window of a serving trace, replayed step by step: shared at several budgets against plain executables.

The host waits for each step, as a loop that reads its tokens does, so that a launch that takes longer shows in full.
"""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any

from graphdedup.bench.batching import BUCKETS, batch_sizes, load_trace, padded
from graphdedup.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphdedup.bench.report import Report
    from graphdedup.bench.workbench import Workbench

TRACE, RATE = "azure", 16
SKIPPED_STEPS = 3000
"""In which the batch fills."""
STEPS = 600
CHUNKS = 6
"""Pieces of the window, in each of which all sides run one after the other."""
SHARES_35 = (0.25, 0.5)
SHARES_256 = (0.05, 0.1, 0.2)
"""Budgets, as shares of the plain executables' memory."""


def measure(bench: Workbench, report: Report) -> None:
    """Run both windows. Needs the measurement of memory, which says what a plain executable takes."""
    memory = report.raw.get("memory")
    if not memory or memory["plain_bytes"] <= 0:
        for ratio in ("trace35_over_plain", "trace256_over_plain"):
            report.why_not[ratio] = "needs the measurement of memory, to know what a budget is a share of"
        return
    plain_bytes = memory["plain_bytes"] / len(bench.sizes)
    sizes = batch_sizes(load_trace(TRACE), rate=RATE, steps=SKIPPED_STEPS + STEPS)[SKIPPED_STEPS:]
    buckets = [padded(size) for size in sizes]
    of_35 = _window(bench, buckets, list(BUCKETS), SHARES_35, plain_bytes, ahead=False)
    of_256 = _window(bench, sizes, bench.sizes, SHARES_256, plain_bytes, ahead=True)
    report.raw["trace35"], report.raw["trace256"] = of_35, of_256
    report.ratios.trace35_over_plain = of_35["budgets"]["0.5"]["over_plain"]
    report.ratios.trace256_over_plain = of_256["budgets"]["0.1"]["over_plain"]
    tokens = sum(sizes)
    report.raw["tokens_per_second"] = {
        "padded_plain": tokens / (of_35["plain_ms"] / 1e3),
        "padded_shared": tokens / (of_35["budgets"]["0.5"]["ms"] / 1e3),
        "every_size_plain": tokens / (of_256["plain_ms"] / 1e3),
        "every_size_shared": tokens / (of_256["budgets"]["0.1"]["ms"] / 1e3),
    }


def _window(
    bench: Workbench, steps: Sequence[int], sizes: list[int], shares: Sequence[float], each: float, *, ahead: bool
) -> dict[str, Any]:
    plain = {size: bench.decode[size] for size in sizes}
    for graph in plain.values():
        graph.replay()  # instantiates what has not been
    registries = {share: Registry(memory_budget_bytes=int(share * len(sizes) * each)) for share in shares}
    members = {share: bench.registered(registry, sizes) for share, registry in registries.items()}
    plain_ns = 0
    shared_ns = dict.fromkeys(shares, 0)
    length = -(-len(steps) // CHUNKS)
    for start in range(0, len(steps), length):
        chunk = steps[start : start + length]
        plain_ns += _run(bench, plain, chunk, ahead=False)
        for share in shares:
            shared_ns[share] += _run(bench, members[share], chunk, ahead=ahead)
    budgets = {}
    for share, registry in registries.items():
        stats = registry.stats()
        budgets[str(share)] = {
            "ms": shared_ns[share] / 1e6,
            "over_plain": shared_ns[share] / plain_ns,
            "executables": stats.executables,
            "switches": stats.switches,
            "prepares": stats.prepares,
        }
        registry.close()
    changes = sum(a != b for a, b in itertools.pairwise(steps))
    return {
        "trace": TRACE,
        "rate": RATE,
        "steps": len(steps),
        "changes": changes,
        "plain_executables": len(sizes),
        "plain_ms": plain_ns / 1e6,
        "prepared_ahead": ahead,
        "budgets": budgets,
    }


def _run(bench: Workbench, graphs: Mapping[int, Any], steps: Sequence[int], *, ahead: bool) -> int:
    bench.settle()
    start = time.perf_counter_ns()
    for number, size in enumerate(steps):
        graphs[size].replay()
        if ahead and number + 1 < len(steps) and steps[number + 1] != size:
            graphs[steps[number + 1]].prepare(wait=False)
        bench.settle()
    return time.perf_counter_ns() - start
