"""How a replay scales with members, with nodes and with threads."""

from __future__ import annotations

import dataclasses
import threading
import time
from typing import TYPE_CHECKING, Any

import torch

from graphdedup.bench.captured import chain
from graphdedup.bench.libcuda import clone, destroy_graph
from graphdedup.bench.timing import taking_turns
from graphdedup.registry import Registry

if TYPE_CHECKING:
    from graphdedup.bench.report import Report
    from graphdedup.bench.workbench import Workbench

MEMBERS = (10, 100, 1000, 10_000)
NODES = (10, 100, 1000, 10_000)
THREADS = (1, 2, 4, 8)
REPLAYS_A_THREAD = 2000


def measure(bench: Workbench, report: Report) -> None:
    """All three."""
    members = _members(bench)
    report.raw["members"] = members
    report.ratios.members_scaling = members[str(MEMBERS[-1])]["p50"] / members[str(MEMBERS[0])]["p50"]
    report.raw["nodes"] = {str(count): _nodes(bench, count) for count in NODES}
    report.raw["threads"] = {str(count): _threads(bench, count) for count in THREADS}


def _members(bench: Workbench) -> dict[str, Any]:
    """Replay a loaded member of registries of several sizes, the graphs of one node."""
    graph = chain([torch.zeros(32, device="cuda")], bench.stream)
    clones = [clone(graph.raw_cuda_graph()) for _ in range(max(MEMBERS))]
    registries = {count: Registry() for count in MEMBERS}
    loaded = {}
    for count, registry in registries.items():
        loaded[str(count)] = [registry.register(handle) for handle in clones[:count]][count // 2]
    times = taking_turns({name: m.replay for name, m in loaded.items()}, bench.settle, rounds=200, batch=50)
    for registry in registries.values():
        registry.close()
    for handle in clones:
        destroy_graph(handle)
    return {name: dataclasses.asdict(value) for name, value in times.items()}


def _nodes(bench: Workbench, count: int) -> dict[str, Any]:
    """Sign, hit and switch two chains that differ in all arguments."""
    graphs = [chain([buffer] * count, bench.stream) for buffer in torch.zeros(2, 32, device="cuda")]
    with Registry(execs_per_group=1) as registry:
        first, second = (registry.register(graph.raw_cuda_graph(), keep_alive=graph) for graph in graphs)
        sign_us = registry.stats().sign_ns / 1e3 / (2 * count)

        def switch() -> None:
            (first if second.loaded else second).replay()

        rounds = 100 if count <= 1000 else 20
        switched = taking_turns({"switch": switch}, bench.settle, rounds=rounds)
        first.replay()
        hit = taking_turns({"hit": first.replay, "torch": graphs[0].replay}, bench.settle, rounds=rounds)
    return {"sign_us_per_node": sign_us, **{k: dataclasses.asdict(v) for k, v in {**switched, **hit}.items()}}


def _threads(bench: Workbench, count: int) -> dict[str, float]:
    """Replays a second of all threads together, each with a loaded member of its own group, on its own stream."""
    graphs = [chain([torch.zeros(32, device="cuda")] * (number + 1), bench.stream) for number in range(count)]
    streams = [torch.cuda.Stream().cuda_stream for _ in graphs]
    with Registry() as registry:
        members = [registry.register(graph.raw_cuda_graph(), keep_alive=graph) for graph in graphs]
        ready = threading.Barrier(count + 1)

        def work(number: int) -> None:
            replay, stream = members[number].replay, streams[number]
            ready.wait()
            for _ in range(REPLAYS_A_THREAD):
                replay(stream)

        workers = [threading.Thread(target=work, args=(number,)) for number in range(count)]
        for worker in workers:
            worker.start()
        ready.wait()
        start = time.perf_counter_ns()
        for worker in workers:
            worker.join()
        elapsed = time.perf_counter_ns() - start
        bench.settle()
    return {"replays_per_second": count * REPLAYS_A_THREAD / elapsed * 1e9}
