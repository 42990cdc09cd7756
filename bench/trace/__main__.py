"""Which executable to give up on a miss: policies over serving traces and synthetic patterns. Needs no GPU.

    python bench/trace [--json] [--steps N] [--switch-ms T]

A miss is a replay whose member is not loaded and that has to update an executable; those that instantiate a further one are
not counted. For traces the added time is what the misses cost, at so many milliseconds each, over the steps' own duration.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from executable_pools import CLOCKS, run
from graphdedup.cli.output import print_table
from replay_patterns import synthetic, traces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay_patterns import Pattern

PER_GROUP = (1, 2, 3, 4, 8, 28)
TOTALS = (17, 25)
COLUMNS = ("LRU", "MRU", "LRU-2", "reuse", "reuse, by replays", "Belady")


def rows(pattern: Pattern, switch_ms: float) -> Iterator[dict[str, Any]]:
    """Run one pattern at each number of executables."""
    limits = [{"per_group": count} for count in PER_GROUP]
    if pattern.plain_ms:
        limits += [{"total": count} for count in TOTALS]
    for limit in limits:
        cells = {}
        for column in COLUMNS:
            policy, _, by_replays = column.partition(", by ")
            outcome = run(pattern.replays, pattern.group_of, policy, **limit, clock=by_replays or CLOCKS[0])
            cells[column] = {
                "switches": outcome.switches,
                "miss_percent": 100 * outcome.switches / len(pattern.replays),
            }
            if pattern.plain_ms:
                cells[column]["added_percent"] = 100 * outcome.switches * switch_ms / pattern.plain_ms
        yield {
            "pattern": pattern.name,
            "replays": len(pattern.replays),
            "change_percent": 100 * pattern.change_rate,
            **limit,
            "policies": cells,
        }


def main() -> int:
    """Run all patterns."""
    parser = argparse.ArgumentParser(description="Simulate the choice of executable on a miss.")
    parser.add_argument("--steps", type=int, default=40_000, metavar="N", help="of each trace (default: %(default)s)")
    parser.add_argument(
        "--switch-ms", type=float, default=0.8, metavar="T", help="what a miss costs (default: %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    arguments = parser.parse_args()
    found = [
        row
        for patterns in (traces(arguments.steps), synthetic())
        for pattern in patterns
        for row in rows(pattern, arguments.switch_ms)
    ]
    if arguments.json:
        for row in found:
            print(json.dumps(row))
    else:
        _print(found)
    return 0


def _print(found: list[dict[str, Any]]) -> None:
    table = []
    for row in found:
        executables = f"{row['per_group']} a group" if "per_group" in row else f"{row['total']} in all"
        cells = [row["policies"][column] for column in COLUMNS]
        texts = [
            f"{c['miss_percent']:.3f}" + (f" (+{c['added_percent']:.2f})" if "added_percent" in c else "")
            for c in cells
        ]
        table.append([row["pattern"], f"{row['change_percent']:.1f}", executables, *texts])
    print_table("Misses, % of replays (added time, %)", ("pattern", "changes %", "executables", *COLUMNS), table)


if __name__ == "__main__":
    sys.exit(main())
