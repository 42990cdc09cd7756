"""What walking and signing a node costs, against the Python reference."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from graphdedup.bench.python_reference import PythonReference, why_missing
from graphdedup.bench.timing import percentile
from graphdedup.registry import Registry

if TYPE_CHECKING:
    from graphdedup.bench.report import Report
    from graphdedup.bench.workbench import Workbench

REFERENCE_GRAPHS = 12


def measure(bench: Workbench, report: Report) -> None:
    """Sign each decode graph once in a fresh registry, some of them by the reference too."""
    ours: list[float] = []
    reference: list[float] = []
    why = why_missing()
    python = None if why else PythonReference()
    handles = [graph.raw_cuda_graph() for graph in bench.decode.values()]
    with Registry(lazy=True) as registry:
        before = 0
        for number, handle in enumerate(handles):
            nodes = registry.register(handle).node_count
            after = registry.stats().sign_ns
            ours.append((after - before) / nodes / 1e3)
            before = after
            if python and number < REFERENCE_GRAPHS:
                start = time.perf_counter_ns()
                python.sign(handle)
                reference.append((time.perf_counter_ns() - start) / nodes / 1e3)
    median = percentile(ours, 50)
    report.ratios.signature_us_per_node = median
    report.raw["signature"] = {"us_per_node": {"p50": median, "p99": percentile(ours, 99)}, "graphs": len(ours)}
    if reference:
        report.raw["signature"]["python_us_per_node"] = percentile(reference, 50)
        report.ratios.signature_speedup = percentile(reference, 50) / median
    else:
        report.why_not["signature_speedup"] = why
