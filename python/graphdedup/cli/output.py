"""Results on stdout: JSON, or a table that rich draws where it is installed."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    json.dump(value, sys.stdout, indent=2)
    sys.stdout.write("\n")


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table; plain text without rich, or where stdout is no terminal."""
    texts = [[str(cell) for cell in row] for row in rows]
    if sys.stdout.isatty() and _print_with_rich(title, columns, texts):
        return
    widths = [max(len(row[i]) for row in [list(columns), *texts]) for i in range(len(columns))]
    lines = [columns, ["-" * width for width in widths], *texts]
    print(title)
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _print_with_rich(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    try:
        from rich.console import Console  # noqa: PLC0415 - an extra
        from rich.table import Table  # noqa: PLC0415
    except ImportError:
        return False
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*row)
    Console().print(table)
    return True
