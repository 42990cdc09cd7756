"""Whether shared replays are the plain ones, bit for bit, for several kinds of models. Needs a GPU and torch.

    python bench/proof.py [--json] [--replays N] [WORKLOAD ...]

For each workload: plain outputs are noted, a second plain replay tells which are repeatable at all, then the graphs are
registered and replayed in random order with changing inputs, each output compared. `decode` is a 28-layer decoder at
every batch size from 1 to 256. Samplers are compared as whole scripts of replays and reseedings.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from typing import TYPE_CHECKING, Any

import graphdedup
import torch
from workloads import INPUT_SETS, CompiledBlocks, DecodeSteps, ForkJoin, Samplers, StaticCacheModel

if TYPE_CHECKING:
    from workloads import Workload

REPLAYS = {"decode": 10_000, "compiled": 2000, "transformers": 2000, "forkjoin": 2000, "samplers": 2000}


def run(name: str, replays: int) -> dict[str, Any]:
    """Prove one workload."""
    start = time.monotonic()
    with torch.no_grad():
        if name == "samplers":
            result = prove_samplers(replays)
        else:
            made: Workload
            if name == "decode":
                made = DecodeSteps(range(1, 257))
            else:
                made = {"compiled": CompiledBlocks, "transformers": StaticCacheModel, "forkjoin": ForkJoin}[name]()
            result = prove(made, replays)
    return {"workload": name, **result, "seconds": round(time.monotonic() - start, 1)}


def prove(work: Workload, replays: int) -> dict[str, Any]:
    """Compare shared replays with noted plain ones."""
    keys = [(key, inputs) for key in work.graphs for inputs in range(INPUT_SETS)]
    plain = {key: _replay(work, *key) for key in keys}
    repeatable = [key for key in keys if _equal(plain[key], _replay(work, *key))]
    if not repeatable:
        sys.exit("no plain replay equals its own repetition: there is nothing to compare with")
    with graphdedup.Registry() as registry:
        for size, graph in work.graphs.items():
            registry.register(graph, name=str(size))
        order = random.Random(1)
        wrong = 0
        for _ in range(replays):
            chosen = order.choice(repeatable)
            wrong += not _equal(plain[chosen], _replay(work, *chosen))
        return _summary(registry, len(work.graphs), wrong, len(keys) - len(repeatable))


def prove_samplers(replays: int) -> dict[str, Any]:
    """Run one script of replays and reseedings plain, then shared."""
    work = Samplers()
    order = random.Random(2)
    script = [("seed" if order.random() < 0.05 else "replay", order.randrange(1 << 30)) for _ in range(replays)]
    torch.manual_seed(1)
    work.own.manual_seed(1)
    plain = _play(work, script)
    with graphdedup.Registry() as registry:
        for key, graph in work.graphs.items():
            registry.register(graph, name=str(key))
        torch.manual_seed(1)
        work.own.manual_seed(1)
        shared = _play(work, script)
        wrong = sum(not torch.equal(a, b) for a, b in zip(plain, shared, strict=True))
        return _summary(registry, len(work.graphs), wrong, 0)


def _play(work: Samplers, script: list[tuple[str, int]]) -> list[torch.Tensor]:
    drawn = []
    keys = list(work.graphs)
    for action, number in script:
        if action == "seed":
            (torch.manual_seed if number % 2 else work.own.manual_seed)(number)
        else:
            work.outputs[0].fill_(-1)
            work.graphs[keys[number % len(keys)]].replay()
            drawn.append(work.outputs[0].clone())
    return drawn


def _replay(work: Workload, key: int, inputs: int) -> list[torch.Tensor]:
    work.set_inputs(inputs)
    for output in work.outputs:
        output.fill_(float("nan"))  # so that what is not written shows
    work.graphs[key].replay()
    # No more rows than the graph writes, and one that it must not write.
    return [(output[: key + 1] if output.dim() > 1 else output).clone() for output in work.outputs]


def _equal(first: list[torch.Tensor], second: list[torch.Tensor]) -> bool:
    pairs = zip(first, second, strict=True)
    return all(torch.equal(a.nan_to_num(nan=12345.0), b.nan_to_num(nan=12345.0)) for a, b in pairs)


def _summary(registry: graphdedup.Registry, graphs: int, wrong: int, unrepeatable: int) -> dict[str, Any]:
    stats = registry.stats()
    return {
        "graphs": graphs,
        "plain_executables": graphs,
        "executables": stats.executables,
        "groups": stats.groups,
        "private": stats.private,
        "replays": stats.replays,
        "switches": stats.switches,
        "refusals": stats.refusals,
        "unrepeatable": unrepeatable,
        "wrong": wrong,
    }


def main() -> int:
    """Run the workloads that are named, or all."""
    parser = argparse.ArgumentParser(description="Prove shared replays against plain ones.")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=f"of {', '.join(REPLAYS)} (default: all)")
    parser.add_argument("--replays", type=int, help="shared replays a workload")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    arguments = parser.parse_args()
    wrong = 0
    for name in arguments.workloads or REPLAYS:
        result = run(name, arguments.replays or REPLAYS[name])
        wrong += result["wrong"]
        print(json.dumps(result) if arguments.json else "  ".join(f"{k} {v}" for k, v in result.items()), flush=True)
        torch.cuda.synchronize()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
