"""``graphdedup doctor``."""

from __future__ import annotations

import argparse
import dataclasses

from graphdedup import sim
from graphdedup.cli.arguments import add_json
from graphdedup.cli.output import print_json, print_table
from graphdedup.doctor import Report, examine


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "doctor",
        allow_abbrev=False,
        help="say what this driver and device do, and what follows for sharing",
        description="Run the checks that sharing leans on. Exit status 1: graphs do not share on this machine.",
    )
    parser.add_argument("--device", type=_ordinal, default=0, metavar="N", help="ordinal of the device (default: 0)")
    parser.add_argument(
        "--simulated",
        metavar="PROFILE",
        choices=sim.profiles(),
        help="examine a simulated driver instead",
    )
    add_json(parser)
    parser.set_defaults(run=_run)


def _ordinal(text: str) -> int:
    value = int(text)
    if not 0 <= value < 1 << 31:
        raise argparse.ArgumentTypeError(f"not the ordinal of a device: {text}")
    return value


def _run(arguments: argparse.Namespace) -> int:
    driver = sim.driver(arguments.simulated) if arguments.simulated else None
    report = examine(arguments.device, driver)
    if arguments.json:
        print_json(dataclasses.asdict(report))
    else:
        _print(report)
    return 0 if report.may_share else 1


def _print(report: Report) -> None:
    major, minor = report.driver_version // 1000, report.driver_version % 1000 // 10
    capability = ".".join(map(str, report.compute_capability))
    print(f"{report.device_name} (device {report.device}, compute capability {capability})")
    missing = f", without {', '.join(report.missing_symbols)}" if report.missing_symbols else ""
    print(f"{report.driver}, CUDA {major}.{minor}, {report.symbols} functions found{missing}")
    print()
    rows = [
        ["yes" if f.holds else "NO", "sharing" if f.needed else "-", f.name + (f": {f.detail}" if f.detail else "")]
        for f in report.findings
    ]
    print_table("What was tried", ("holds", "needed for", "what"), rows)
    print()
    print(
        f"preferred cluster shapes: {'accepted' if report.preferred_cluster_accepted else 'not accepted'} by a launch, "
        f"{'with' if report.preferred_cluster_honoured else 'without'} an effect, "
        f"{'readable' if report.preferred_cluster_readable else 'not readable'} from a captured graph"
    )
    for consequence in report.consequences:
        print(f"-> {consequence}")
