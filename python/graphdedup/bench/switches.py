"""An unprepared switch against an update and launch of the same graphs through the driver alone."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

import torch

from graphdedup.bench.captured import chain
from graphdedup.bench.libcuda import Executable, trivial_call
from graphdedup.bench.timing import taking_turns
from graphdedup.registry import Registry, default_instantiate_flags

if TYPE_CHECKING:
    from graphdedup.bench.report import Report
    from graphdedup.bench.workbench import Workbench

ROUNDS = 150
DELTA_NODES = 540
"""As many as a decode graph has."""


def measure(bench: Workbench, report: Report) -> None:
    """Decode graphs, of which nearly all differs, and chains of which a tenth of the arguments do."""
    first, second = bench.sharing_pair()
    decode = (bench.decode[first], bench.decode[second])
    found = _against_bare(bench, decode)
    report.raw["switch"] = {"sizes": [first, second], **found}
    report.ratios.switch_over_bare = found["switch"]["p50"] / found["bare"]["p50"]

    buffers = [torch.zeros(32, device="cuda") for _ in range(DELTA_NODES)]
    others = [torch.zeros(32, device="cuda") if number % 10 == 0 else old for number, old in enumerate(buffers)]
    found = _against_bare(bench, (chain(buffers, bench.stream), chain(others, bench.stream)))
    report.raw["delta"] = {"nodes": DELTA_NODES, "differing": DELTA_NODES // 10, **found}
    report.ratios.delta_over_bare = found["switch"]["p50"] / found["bare"]["p50"]


def _against_bare(bench: Workbench, graphs: tuple[Any, Any]) -> dict[str, Any]:
    """Alternate between two graphs, ours and bare, each with one executable on the same stream."""
    handles = [graph.raw_cuda_graph() for graph in graphs]
    stream = torch.cuda.current_stream().cuda_stream
    bare = Executable(handles[0], default_instantiate_flags())
    with Registry(execs_per_group=1) as registry:
        members = itertools.cycle([registry.register(handle) for handle in handles])
        switchers = itertools.cycle([bare.switcher(handle, stream) for handle in reversed(handles)])

        def switch_bare() -> None:
            next(switchers)()

        sides = {"switch": lambda: next(members).replay(stream), "bare": switch_bare}
        switched = registry.stats().switches
        times = taking_turns(sides, bench.settle, rounds=ROUNDS)
        call = taking_turns({"call": trivial_call()}, bench.settle, rounds=ROUNDS, batch=1000)
        switches = registry.stats().switches - switched
    bare.destroy()
    named = {**times, "trivial_ctypes_call": call["call"]}
    return {"switches": switches, **{name: dataclasses.asdict(value) for name, value in named.items()}}
