"""Tables and plots for `docs/benchmarks.md`, from what `graphdedup bench --json` printed.

    python bench/tables.py RESULT.json [--plots DIR]

Tables go to stdout as Markdown. Plots need matplotlib (`pip install 'graphdedup[plot]'`).
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Result = dict[str, Any]
Lines = dict[str, list[tuple[float, float]]]


def tables(result: Result) -> str:
    """Return all tables of what was measured."""
    return "\n\n".join(f"## {title}\n\n{_table(columns, rows)}" for title, columns, rows in _all(result)) + "\n"


def _all(result: Result) -> Iterator[tuple[str, Sequence[str], Sequence[Sequence[object]]]]:
    raw = result["raw"]
    yield "Machine", ("what", "value"), list(result["machine"].items())
    why_not = result["why_not"]
    ratios = [(name, why_not.get(name, "not measured") if v is None else v) for name, v in result["ratios"].items()]
    yield "Ratios", ("ratio", "value"), ratios
    if "memory" in raw:
        columns = ("side", "graphs", "executables", "driver MiB", "torch MiB", "host MiB")
        yield "Memory", columns, [_memory_row(r) for readings in raw["memory"]["readings"].values() for r in readings]
    if "registration" in raw:
        yield "Registration", ("what", "value"), list(raw["registration"].items())
    if "signature" in raw:
        found = raw["signature"]
        yield (
            "Signature",
            ("side", "us a node"),
            [
                ("ours", found["us_per_node"]["p50"]),
                ("Python reference", found.get("python_us_per_node", "not measured")),
            ],
        )
    times = [
        (f"{name}: {side}", value["p50"], value["p99"], value["samples"])
        for name in ("hit", "prepared", "switch", "delta", "members")
        for side, value in raw.get(name, {}).items()
        if isinstance(value, dict) and "p50" in value
    ]
    if times:
        yield "Host time of a call", ("what", "p50 us", "p99 us", "samples"), times
    if "idle" in raw:
        yield "GPU idle time between replays", ("what", "us a replay"), list(raw["idle"]["idle_us_per_replay"].items())
    if "nodes" in raw:
        node_columns = ("nodes", "sign us a node", "hit p50 us", "torch p50 us", "switch p50 us")
        yield "Nodes", node_columns, [_node_row(count, found) for count, found in raw["nodes"].items()]
    if "threads" in raw:
        rows = [(count, found["replays_per_second"]) for count, found in raw["threads"].items()]
        yield "Threads", ("threads", "replays a second"), rows
    runs = [
        (name, run["steps"], run["changes"], share, found["executables"], found["switches"], found["over_plain"])
        for name in ("trace35", "trace256")
        if (run := raw.get(name))
        for share, found in run["budgets"].items()
    ]
    if runs:
        run_columns = ("window", "steps", "changes", "share of plain memory", "executables", "switches", "over plain")
        yield "Traces", run_columns, runs
    if "tokens_per_second" in raw:
        yield "Decode loop", ("side", "tokens a second"), list(raw["tokens_per_second"].items())


def _memory_row(reading: Result) -> Sequence[object]:
    sizes = (reading[key] / 2**20 for key in ("driver_bytes", "torch_bytes", "host_bytes"))
    return reading["side"], reading["graphs"], reading["executables"], *sizes


def _node_row(count: str, found: Result) -> Sequence[object]:
    return count, found["sign_us_per_node"], *(found[side]["p50"] for side in ("hit", "torch", "switch"))


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [columns, ["---"] * len(columns), *([_text(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(cell: object) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell).replace("|", "\\|")


def plots(result: Result, directory: Path) -> list[Path]:
    """Draw memory against graphs, and replay time against budget; those of which there are figures."""
    import matplotlib as mpl  # noqa: PLC0415 - an extra

    mpl.use("Agg")
    from matplotlib import pyplot  # noqa: PLC0415

    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for name, title, x_label, y_label, lines in curves(result["raw"]):
        figure, axes = pyplot.subplots()
        for label, points in lines.items():
            axes.plot(*zip(*points, strict=True), marker="o", label=label)
        axes.set(title=title, xlabel=x_label, ylabel=y_label)
        axes.legend()
        written.append(directory / f"{name}.svg")
        figure.savefig(written[-1])
        pyplot.close(figure)
    return written


def curves(raw: Result) -> Iterator[tuple[str, str, str, str, Lines]]:
    """Return name, title, labels of the axes and lines of each plot there are figures for."""
    if "memory" in raw:
        lines: Lines = {
            side: [(int(graphs), used / 2**20) for graphs, used in readings[-1]["bytes_by_graphs"].items()]
            for side, readings in raw["memory"]["readings"].items()
        }
        yield "memory", "Device memory of executables", "graphs", "MiB", lines
    budgets: Lines = {
        name: [(float(share), found["over_plain"]) for share, found in raw[name]["budgets"].items()]
        for name in ("trace35", "trace256")
        if name in raw
    }
    if budgets:
        yield "budget", "Replayed trace", "share of plain memory", "time over plain", budgets


def main() -> int:
    """Print, and draw if asked to."""
    parser = argparse.ArgumentParser(description="Tables and plots of graphdedup bench --json.")
    parser.add_argument("result", type=Path, help="what graphdedup bench --json printed")
    parser.add_argument("--plots", type=Path, metavar="DIR", help="draw into this folder")
    arguments = parser.parse_args()
    result = json.loads(arguments.result.read_text(encoding="utf-8"))
    print(tables(result), end="")
    for path in plots(result, arguments.plots) if arguments.plots else []:
        print(f"wrote {path}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
