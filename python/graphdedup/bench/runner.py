"""Runs the measurements in order."""

from __future__ import annotations

import platform
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from graphdedup import _core
from graphdedup._arguments import invalid
from graphdedup.bench.report import Report
from graphdedup.demo import why_no_gpu

if TYPE_CHECKING:
    from collections.abc import Sequence

MEASUREMENTS = {
    "memory": "memory",  # first: the device is still empty, and budgets are shares of what it finds
    "registration": "registration",
    "signature": "signature",
    "replays": "replays",
    "switches": "switches",
    "idle": "idle",
    "scaling": "scaling",
    "traces": "trace_runs",
}
"""Modules by the names that ``graphdedup bench --only`` takes."""


def run(only: Sequence[str] = ()) -> Report:
    """Measure on the current device.

    Args:
        only: Names of `MEASUREMENTS`; none: all.

    Raises:
        InvalidArgumentError: There is no such measurement, or no GPU with torch.
        GraphDedupError: The driver failed.
    """
    unknown = sorted(set(only) - set(MEASUREMENTS))
    if unknown:
        raise invalid("bench", "only", f"must be of {', '.join(MEASUREMENTS)}, not {', '.join(unknown)}")
    why_not = why_no_gpu()
    if why_not:
        raise invalid("bench", "gpu", f"{why_not}; times of a simulation would mean nothing")
    from graphdedup.bench.workbench import Workbench  # noqa: PLC0415 - imports torch

    bench = Workbench()
    report = Report(machine=_machine())
    for name, module in MEASUREMENTS.items():
        if not only or name in only:
            start = time.monotonic()
            import_module(f"graphdedup.bench.{module}").measure(bench, report)
            report.seconds[name] = round(time.monotonic() - start, 1)
    return report


def _machine() -> dict[str, Any]:
    import torch  # noqa: PLC0415

    driver = _core.Driver.open()
    return {
        "gpu": torch.cuda.get_device_name(),
        "cuda_driver_api": driver.version,
        "torch": str(torch.__version__),
        "python": platform.python_version(),
        "graphdedup": _core.__version__,
    }
