"""Registering every decode graph, against instantiating and first launching each."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from graphdedup.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphdedup.bench.report import Report
    from graphdedup.bench.workbench import Workbench


def measure(bench: Workbench, report: Report) -> None:
    """Time the three sides once each: what is instantiated first would leave the driver warm for a repetition."""
    taken_over = bench.steps.capture(bench.sizes)
    plain = bench.decode
    registries = [Registry(), Registry()]
    handles = [graph.raw_cuda_graph() for graph in plain.values()]
    bench.settle()
    # Ours comes first, so that whatever the driver sets up once is counted against us.
    raw_ms = _milliseconds(lambda: [registries[0].register(handle) for handle in handles], bench.settle)
    torch_ms = _milliseconds(lambda: [registries[1].register(graph) for graph in taken_over.values()], bench.settle)
    plain_ms = _milliseconds(lambda: _instantiate_and_launch(plain), bench.settle)
    report.ratios.register_over_plain = raw_ms / plain_ms
    report.ratios.register_torch_over_plain = torch_ms / plain_ms
    report.raw["registration"] = {
        "graphs": len(handles),
        "raw_ms": raw_ms,
        "torch_ms": torch_ms,
        "plain_ms": plain_ms,
        "executables": registries[0].stats().executables,
    }
    for registry in registries:
        registry.close()


def _instantiate_and_launch(graphs: dict[int, Any]) -> None:
    for graph in graphs.values():
        graph.instantiate()
        graph.replay()


def _milliseconds(work: Callable[[], object], settle: Callable[[], object]) -> float:
    start = time.perf_counter_ns()
    work()
    settle()
    return (time.perf_counter_ns() - start) / 1e6
