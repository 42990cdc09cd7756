"""Types and arguments that several commands take."""

from __future__ import annotations

import argparse

VARY_LEVELS = ("arguments", "grid", "kernel")


def add_vary(parser: argparse.ArgumentParser) -> None:
    """Add ``--vary``."""
    parser.add_argument(
        "--vary",
        choices=VARY_LEVELS,
        default="kernel",
        help="what may differ between graphs that share: kernel arguments; also grids; also kernel functions, blocks "
        "and dynamic shared memory (default: %(default)s)",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def count(text: str) -> int:
    """Read a number that is not negative."""
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"not a number: {text!r}") from None
    if value < 0:
        raise argparse.ArgumentTypeError(f"must not be negative: {value}")
    return value
