"""``graphdedup record``."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from graphdedup._arguments import escaped
from graphdedup.errors import InvalidArgumentError
from graphdedup.record import Recording

if TYPE_CHECKING:
    from collections.abc import Sequence


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "record",
        allow_abbrev=False,
        help="run a script and write each graph that it captures with torch",
        description="Run a Python script with torch and write every CUDA graph that it captures in the recorded form.",
    )
    parser.add_argument("--output", required=True, metavar="DIR", help="where to write; made if missing")
    parser.add_argument("--no-compress", action="store_true", help="write .json instead of .json.gz")
    parser.add_argument("script", metavar="SCRIPT", help="the script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="its arguments")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    if not Path(arguments.script).is_file():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), arguments.script)
    recording = Recording(arguments.output, compress=not arguments.no_compress)
    status = _run_recorded(recording, arguments.script, arguments.arguments)
    recording.finish({"script": escaped(arguments.script)})
    print(f"{len(recording.names)} graphs written to {arguments.output}", file=sys.stderr)
    return status


def _run_recorded(recording: Recording, script: str, arguments: Sequence[str]) -> int:
    try:
        from graphdedup.torch.recorder import run_script  # noqa: PLC0415 - needs torch
    except ImportError as error:
        raise InvalidArgumentError(f"record: needs torch ({error})", operation="record", object=script) from error
    return run_script(recording, script, arguments)
