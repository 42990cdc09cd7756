"""``graphdedup analyze``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from graphdedup.analysis import Analysis, analyze
from graphdedup.cli.arguments import add_json, add_vary
from graphdedup.cli.output import print_json, print_table
from graphdedup.recorded import load

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "analyze",
        allow_abbrev=False,
        help="say which recorded graphs could share executables",
        description="Read recorded graphs (.json) or verbose DOT dumps, gzipped or not, and group them. Needs no GPU.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a recorded graph, a DOT dump, or a function table")
    add_vary(parser)
    add_json(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    result = analyze(load(arguments.files), arguments.vary)
    if arguments.json:
        print_json({**dataclasses.asdict(result), "note": result.note})
    else:
        _print(result)
    return 0


def _print(result: Analysis) -> None:
    rows = [
        [index, len(names), _span(result.node_counts[name] for name in names), " ".join(names)]
        for index, names in enumerate(result.groups)
    ]
    print_table(f"Groups (vary={result.vary})", ("group", "graphs", "nodes", "members"), rows)
    print()
    print(f"{result.graphs} graphs, {len(result.groups)} groups, {result.executables} executables")
    for name, reason in result.private.items():
        print(f"{name} shares with none: {reason}")
    if result.note:
        print(result.note)


def _span(counts: Iterable[int]) -> str:
    values = sorted(set(counts))
    return str(values[0]) if len(values) == 1 else f"{values[0]}-{values[-1]}"
