"""Rewrites the tables of docs/rules.md from the core's table of rules; with --check only says whether they differ."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from graphdedup import _core

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGE = Path(__file__).resolve().parents[1] / "docs" / "rules.md"
TREATMENTS = {
    "equal": ("equal", "equal", "equal"),
    "free from grid": ("equal", "free", "free"),
    "free from kernel": ("equal", "equal", "free"),
    "free": ("free", "free", "free"),
}


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    columns = list(header)
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def sections() -> dict[str, str]:
    """Return the text that belongs between the markers of each name."""
    rules = [(subject, field, *TREATMENTS[treatment], why) for subject, field, treatment, why in _core.sharing_rules()]
    return {
        "rules": table(["node", "field", "`arguments`", "`grid`", "`kernel`", "why"], rules),
        "private": table(["a graph is private when", "why"], _core.private_causes()),
    }


def rewritten(page: str) -> str:
    """Return the page with its tables as they should be."""
    for name, text in sections().items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        head, rest = page.split(begin)
        page = head + begin + "\n" + text + "\n" + end + rest.split(end)[1]
    return page


def main() -> int:
    """Rewrite, or check."""
    page = PAGE.read_text(encoding="utf-8")
    wanted = rewritten(page)
    if "--check" in sys.argv[1:]:
        if page != wanted:
            print("docs/rules.md differs from the rules: run ci/rules_page.py")
        return int(page != wanted)
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
