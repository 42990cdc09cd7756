"""Which graphs could share executables, told from recorded graphs or DOT dumps, without a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphdedup import _core
from graphdedup._arguments import checked_vary, invalid
from graphdedup.recorded import RecordedGraph

if TYPE_CHECKING:
    from graphdedup.registry import Vary

UPPER_BOUND = (
    "DOT dumps say nothing of cluster shapes and edge types: graphs that are one group here may still be kept apart. "
    "What is shared is an upper bound."
)


@dataclass(frozen=True)
class Analysis:
    """How graphs group.

    Attributes:
        vary: The level asked for.
        graphs: Number of graphs.
        groups: Names of the graphs of each group, in order of first appearance.
        executables: Executables that a registry with one for each group would own, updates refused by a driver aside.
        exact: False if some source left out what the rules look at, as a DOT dump does; see `UPPER_BOUND`.
        private: Why a graph shares with nobody by rule, by name.
        node_counts: Nodes of each graph, by name, those of child graphs not counted.
    """

    vary: str
    graphs: int
    groups: list[list[str]]
    executables: int
    exact: bool
    private: dict[str, str] = field(default_factory=dict)
    node_counts: dict[str, int] = field(default_factory=dict)

    @property
    def note(self) -> str:
        """What to say of the result; empty if it is exact."""
        return "" if self.exact else UPPER_BOUND


def analyze(graphs: Sequence[RecordedGraph], vary: Vary = "kernel") -> Analysis:
    """Group graphs by the sharing rules.

    Args:
        graphs: From `graphdedup.recorded.load`.
        vary: As for `Registry`.

    Raises:
        InvalidArgumentError: `vary` is no level, or there is something else among the graphs.

    Example:
        >>> analyze(load(Path("decode").glob("*.json.gz"))).executables
        9
    """
    if not isinstance(graphs, Sequence) or not all(isinstance(graph, RecordedGraph) for graph in graphs):
        raise invalid("analyze", "graphs", f"must be a list of RecordedGraph, not {graphs!r:.200}")
    level = checked_vary(vary)
    names = _distinct_names(graphs)
    snapshots = [graph.snapshot for graph in graphs]
    reasons = {name: _core.sign(snapshot, level)[1] for name, snapshot in zip(names, snapshots, strict=True)}
    groups = [[names[index] for index in group] for group in _core.group(snapshots, level)]
    return Analysis(
        vary=vary,
        graphs=len(graphs),
        groups=groups,
        executables=len(groups),
        exact=all(snapshot.exact for snapshot in snapshots),
        private={name: reason for name, reason in reasons.items() if reason},
        node_counts={name: snapshot.node_count for name, snapshot in zip(names, snapshots, strict=True)},
    )


def _distinct_names(graphs: Sequence[RecordedGraph]) -> list[str]:
    """File names, or whole paths where two files of different folders have one name."""
    names = [graph.name for graph in graphs]
    if len(set(names)) == len(names):
        return names
    paths = [str(graph.path) for graph in graphs]
    if len(set(paths)) == len(paths):
        return paths
    return [f"{path} ({index})" for index, path in enumerate(paths)]
