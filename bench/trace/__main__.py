"""Which executable to give up on a miss: policies over serving traces and synthetic patterns. Needs no GPU.

    python bench/trace [--json] [--steps N] [--switch-ms T] [--instantiate-ms T]

A miss is a replay whose member is not loaded and that has to update an executable, or to move one from another group;
replays that take a further executable within the limit are not counted. For traces the added time is what the misses
cost over the steps' own duration.
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
COLUMNS = ("LRU", "MRU", "LRU-2", "reuse", "reuse, by replays", "adaptive", "Belady")


def rows(pattern: Pattern, switch_ms: float, instantiate_ms: float) -> Iterator[dict[str, Any]]:
    """Run one pattern at each number of executables."""
    limits: list[dict[str, int]] = [{"per_group": count} for count in PER_GROUP]
    if pattern.plain_ms:
        move_after = max(1, round(instantiate_ms / switch_ms))  # by then the switches have cost as much as the move
        limits += [{"total": count, "move_after": after} for count in TOTALS for after in (0, move_after)]
    for limit in limits:
        cells: dict[str, dict[str, float]] = {}
        for column in COLUMNS:
            policy, _, by_replays = column.partition(", by ")
            outcome = run(pattern.replays, pattern.group_of, policy, **limit, clock=by_replays or CLOCKS[0])
            misses = outcome.switches + outcome.moves
            cells[column] = {"switches": outcome.switches, "moves": outcome.moves}
            cells[column]["miss_percent"] = 100 * misses / len(pattern.replays)
            if pattern.plain_ms:
                cost = outcome.switches * switch_ms + outcome.moves * instantiate_ms
                cells[column]["added_percent"] = 100 * cost / pattern.plain_ms
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
    parser.add_argument(
        "--instantiate-ms", type=float, default=6.4, metavar="T", help="what a move costs (default: %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    arguments = parser.parse_args()
    found = [
        row
        for patterns in (traces(arguments.steps), synthetic())
        for pattern in patterns
        for row in rows(pattern, arguments.switch_ms, arguments.instantiate_ms)
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
        executables += ", moving" if row.get("move_after") else ""
        cells = [row["policies"][column] for column in COLUMNS]
        texts = [
            f"{c['miss_percent']:.3f}" + (f" (+{c['added_percent']:.2f})" if "added_percent" in c else "")
            for c in cells
        ]
        table.append([row["pattern"], f"{row['change_percent']:.1f}", executables, *texts])
    print_table("Misses, % of replays (added time, %)", ("pattern", "changes %", "executables", *COLUMNS), table)


if __name__ == "__main__":
    sys.exit(main())
