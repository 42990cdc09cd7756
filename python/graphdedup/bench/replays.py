"""A loaded member's replay against torch's, and a prepared one against both."""

from __future__ import annotations

import dataclasses
import itertools
import time
from typing import TYPE_CHECKING

from graphdedup.bench.timing import summary, taking_turns
from graphdedup.registry import Registry

if TYPE_CHECKING:
    from graphdedup.bench.report import Report
    from graphdedup.bench.workbench import Workbench

ROUNDS = 200
BATCH = 10


def measure(bench: Workbench, report: Report) -> None:
    """Hit and prepared replays."""
    _hit(bench, report)
    _prepared(bench, report)


def _hit(bench: Workbench, report: Report) -> None:
    """Capture a step twice: one is taken over by a registry, the other stays torch's."""
    plain, ours = bench.steps.capture([1])[1], bench.steps.capture([1])[1]
    with Registry() as registry:
        shared = registry.register(ours)
        sides = {"hit": shared.replay, "torch": plain.replay}
        times = taking_turns(sides, bench.settle, rounds=ROUNDS, batch=BATCH)
    report.ratios.hit_over_torch = times["hit"].p50 / times["torch"].p50
    report.raw["hit"] = {name: dataclasses.asdict(value) for name, value in times.items()}


def _prepared(bench: Workbench, report: Report) -> None:
    """One executable for two members: each is prepared, replayed, and replayed again, which is a hit."""
    first, second = bench.sharing_pair()
    prepared: list[float] = []
    hits: list[float] = []
    with Registry(execs_per_group=1) as registry:
        members = bench.registered(registry, [first, second])
        for member in itertools.islice(itertools.cycle(members.values()), ROUNDS):
            member.prepare(wait=True)
            for taken in (prepared, hits):
                bench.settle()
                start = time.perf_counter_ns()
                member.replay()
                taken.append(time.perf_counter_ns() - start)
        bench.settle()
    times = {"prepared": summary(prepared[10:]), "hit": summary(hits[10:])}
    report.ratios.prepared_over_hit = times["prepared"].p50 / times["hit"].p50
    report.raw["prepared"] = {name: dataclasses.asdict(value) for name, value in times.items()}
