"""Ask which recorded graphs could share executables. Needs no GPU: `python analyze_recordings.py DIRECTORY`."""

from __future__ import annotations

import sys
from pathlib import Path

from graphdedup.analysis import analyze
from graphdedup.recorded import load


def main() -> None:
    """Group the graphs of a directory at each level of sharing."""
    graphs = load(sorted(Path(sys.argv[1]).glob("*.json*")))
    for vary in ("arguments", "grid", "kernel"):
        result = analyze(graphs, vary)
        print(f"{vary:>9}: {result.graphs} graphs could run on {result.executables} executables")


if __name__ == "__main__":
    main()
