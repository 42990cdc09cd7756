"""``graphdedup explain``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from graphdedup.cli.arguments import add_json, add_vary
from graphdedup.cli.output import print_json
from graphdedup.errors import InvalidArgumentError
from graphdedup.explanation import explain_snapshots
from graphdedup.recorded import load

if TYPE_CHECKING:
    import argparse


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "explain",
        allow_abbrev=False,
        help="say what keeps two recorded graphs from sharing",
        description="Name the first node or edge at which two recorded graphs (JSON or DOT) differ, and the field.",
    )
    parser.add_argument("files", nargs=2, metavar="FILE", help="a recorded graph, or a DOT dump")
    add_vary(parser)
    add_json(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    graphs = load(arguments.files)
    if len(graphs) != 2:
        raise InvalidArgumentError(
            f"explain: files: two graphs are needed, not {len(graphs)}", operation="explain", object="files"
        )
    first, second = graphs
    explanation = explain_snapshots(first.snapshot, second.snapshot, arguments.vary)
    if arguments.json:
        print_json({"names": [first.name, second.name], **dataclasses.asdict(explanation)})
    else:
        print(f"first: {first.name}\nsecond: {second.name}\n{explanation}")
    return 0
