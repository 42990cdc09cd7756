"""``graphdedup demo``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from graphdedup.cli.arguments import add_json, add_vary, count
from graphdedup.cli.output import print_json, print_table
from graphdedup.demo import DemoResult, run

if TYPE_CHECKING:
    import argparse


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "demo",
        allow_abbrev=False,
        help="share graphs, replay them in random order, compare each replay with the plain one",
        description="With a GPU and torch: capture a decoder at many batch sizes, share, and compare every output with "
        "torch's own replay. Without: do the same with recorded graphs on a simulated driver. "
        "Exit status 1 if a replay differed.",
    )
    parser.add_argument(
        "--on",
        choices=("auto", "gpu", "simulated"),
        default="auto",
        help="where to run (default: a GPU if there is one)",
    )
    parser.add_argument(
        "--replays", type=count, default=1000, metavar="N", help="replays to compare (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the random order (default: %(default)s)")
    add_vary(parser)
    add_json(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    result = run(arguments.on, replays=arguments.replays, seed=arguments.seed, vary=arguments.vary)
    if arguments.json:
        print_json(dataclasses.asdict(result))
    else:
        _print(result)
    return 1 if result.wrong else 0


def _print(result: DemoResult) -> None:
    print(f"Driver: {result.driver}")
    print(f"{'Simulated' if result.simulated else 'Real GPU'}: {result.what}.")
    print()
    columns = ("graphs", "groups", "executables", "replays", "switches", "refusals", "wrong")
    print_table("Result", columns, [[getattr(result, column) for column in columns]])
    if result.unrepeatable:
        print(f"Left out: {result.unrepeatable} plain replays that did not repeat themselves.")
