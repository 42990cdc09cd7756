"""``graphdedup bench``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from graphdedup.bench.runner import MEASUREMENTS, run
from graphdedup.cli.arguments import add_json
from graphdedup.cli.output import print_json, print_table

if TYPE_CHECKING:
    import argparse

    from graphdedup.bench.report import Report


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "bench",
        allow_abbrev=False,
        help="measure sharing on this GPU, side by side with torch and the bare driver",
        description="Measure on this GPU with torch: signatures, registration, memory, replays, switches, a serving "
        "trace. Takes minutes. Needs a GPU that nobody else uses meanwhile.",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=list(MEASUREMENTS),
        default=[],
        metavar="NAME",
        help=f"of {', '.join(MEASUREMENTS)} (default: all; traces need memory)",
    )
    add_json(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    report = run(arguments.only)
    if arguments.json:
        print_json(dataclasses.asdict(report))
    else:
        _print(report)
    return 0


def _print(report: Report) -> None:
    print("  ".join(f"{key} {value}" for key, value in report.machine.items()))
    print()
    rows = [
        [name, report.why_not.get(name, "not measured") if value is None else f"{value:.4g}"]
        for name, value in dataclasses.asdict(report.ratios).items()
    ]
    print_table("Ratios (--json gives what they were made of)", ("what", "value"), rows)
