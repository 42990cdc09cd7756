"""The command line: one module a command."""

from __future__ import annotations

import argparse
import io
import sys
import traceback
from typing import TYPE_CHECKING

from graphdedup import __version__
from graphdedup.cli import analyze, bench, demo, doctor, explain, record
from graphdedup.errors import GraphDedupError

if TYPE_CHECKING:
    from collections.abc import Sequence

OK = 0
FAILED = 1
"""The command ran, and what it checked did not hold."""
ERROR = 2
"""The command could not run: one line on stderr says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: Without the program's name; None: those of the process.

    Returns:
        The exit status: 0, 1 if a check did not hold, 2 on an error.
    """
    parser = argparse.ArgumentParser(
        prog="graphdedup", description="Let captured CUDA graphs share graph executables.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"graphdedup {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in (demo, analyze, explain, record, doctor, bench):
        command.add_parser(commands)
    parsed = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):  # names of files and kernels may hold what the terminal cannot show
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status: int = parsed.run(parsed)
    except (GraphDedupError, OSError) as error:
        print(f"graphdedup {parsed.command}: {_one_line(error)}", file=sys.stderr)
        return ERROR
    except Exception:  # a fault of ours: to be seen whole, and never to be taken for a check that did not hold
        traceback.print_exc()
        return ERROR
    return status


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())
