"""Device and host memory of plain and of shared decode graphs, each side in a fresh process.

The driver keeps the memory of executables that were destroyed, so that a second side in one process would look cheaper
than it is. A side that captures and instantiates nothing says what the readings drift by.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from graphdedup._arguments import invalid
from graphdedup.bench.timing import percentile

if TYPE_CHECKING:
    from graphdedup.bench.report import Report
    from graphdedup.bench.workbench import Workbench

SIDES = ("null", "plain", "shared")
ROUNDS = 2
_LIMIT_SECONDS = 180


def measure(bench: Workbench, report: Report) -> None:
    """Run each side; the null control once, the others in turn."""
    del bench  # each process has a model of its own
    readings: dict[str, list[dict[str, Any]]] = {side: [] for side in SIDES}
    for side in ("null", *("plain", "shared") * ROUNDS):
        readings[side].append(_in_fresh_process(side))
    used = {side: percentile([reading["driver_bytes"] for reading in readings[side]], 50) for side in SIDES}
    plain, shared = used["plain"] - used["null"], used["shared"] - used["null"]
    report.raw["memory"] = {"readings": readings, "plain_bytes": plain, "shared_bytes": shared, "null": used["null"]}
    if plain > 0:
        report.ratios.memory_over_plain = shared / plain
    else:
        report.why_not["memory_over_plain"] = f"the plain side took {plain:.0f} bytes"


def _in_fresh_process(side: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "graphdedup.bench.memory_side", side]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise invalid("bench", f"memory of {side} graphs", f"took more than {_LIMIT_SECONDS} s") from error
    if done.returncode:
        raise invalid("bench", f"memory of {side} graphs", f"exit {done.returncode}: {done.stderr.strip()[-500:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
