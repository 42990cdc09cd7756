"""One side of the measurement of memory: ``python -m graphdedup.bench.memory_side plain``."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import torch

from graphdedup.bench.workbench import Workbench
from graphdedup.registry import Registry

READINGS = 5
CURVE = (1, 2, 4, 8, 16, 32, 64, 128, 192, 256)
"""Numbers of graphs at which memory is read."""


def main(side: str) -> dict[str, Any]:
    """Capture, read, instantiate or share, read again."""
    bench = Workbench()
    graphs = bench.decode
    registry = Registry()
    before = _readings()
    curve = {}
    executables = 0
    for number, size in enumerate(bench.sizes, start=1):
        if side == "plain":
            graphs[size].instantiate()
            graphs[size].replay()
            executables += 1
        elif side == "shared":
            registry.register(graphs[size].raw_cuda_graph()).replay()
            executables = registry.stats().executables
        if number in CURVE:
            curve[number] = before["driver_free"] - _readings()["driver_free"]
    after = _readings()
    return {
        "side": side,
        "graphs": len(bench.sizes),
        "executables": executables,
        "driver_bytes": before["driver_free"] - after["driver_free"],
        "torch_bytes": after["torch_reserved"] - before["torch_reserved"],
        "host_bytes": after["host"] - before["host"],
        "bytes_by_graphs": curve,
    }


def _readings() -> dict[str, int]:
    """Read several times and keep the middle one of each."""
    torch.cuda.synchronize()
    taken = []
    for _ in range(READINGS):
        free, _ = torch.cuda.mem_get_info()
        taken.append((free, torch.cuda.memory_reserved(), _resident_bytes()))
        time.sleep(0.02)
    driver_free, reserved, host = (sorted(values)[READINGS // 2] for values in zip(*taken, strict=True))
    return {"driver_free": driver_free, "torch_reserved": reserved, "host": host}


def _resident_bytes() -> int:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
