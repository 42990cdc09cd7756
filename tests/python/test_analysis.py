"""Grouping of the recorded graphs: the numbers that were measured on the device they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from graphdedup import InvalidArgumentError, analysis, recorded
from graphdedup.explanation import explain_snapshots

if TYPE_CHECKING:
    from pathlib import Path

    from graphdedup.registry import Vary


def load(directory: Path, ending: str = "json.gz") -> list[recorded.RecordedGraph]:
    return recorded.load(sorted(directory.glob(f"*.{ending}")))


@pytest.mark.parametrize(
    ("name", "vary", "graphs", "groups"),
    [
        ("decode", "kernel", 32, 9),
        ("decode", "grid", 32, 32),
        ("decode", "arguments", 32, 32),
        ("piecewise", "kernel", 12, 3),
        ("piecewise", "grid", 12, 4),
    ],
)
def test_recorded_sets(name: str, vary: Vary, graphs: int, groups: int, data: Path) -> None:
    result = analysis.analyze(load(data / name), vary)
    assert (result.graphs, len(result.groups), result.executables) == (graphs, groups, groups)
    assert sorted(name for group in result.groups for name in group) == sorted(result.node_counts)
    assert (result.exact, result.note, result.private) == (True, "", {})


@pytest.mark.parametrize("name", ["decode", "piecewise", "mixed"])
def test_a_lower_level_only_splits(name: str, data: Path) -> None:
    graphs = load(data / name)
    fine = analysis.analyze(graphs, "arguments").groups
    for vary in ("grid", "kernel"):
        coarse = analysis.analyze(graphs, vary).groups
        assert all(any(set(small) <= set(large) for large in coarse) for small in fine)
        fine = coarse


def test_dumps_give_an_upper_bound(data: Path) -> None:
    result = analysis.analyze(load(data / "piecewise", "dot.gz"))
    assert not result.exact
    assert "upper bound" in result.note
    assert result.executables <= analysis.analyze(load(data / "piecewise")).executables


def test_names_stay_distinct(data: Path) -> None:
    path = data / "piecewise" / "layer0_b001.json.gz"
    dump = data / "piecewise" / "layer0_b001.dot.gz"
    assert len(set(analysis.analyze(recorded.load([path, dump])).node_counts)) == 2
    assert len(set(analysis.analyze(recorded.load([path, path])).node_counts)) == 2


def test_no_graphs_is_no_groups() -> None:
    result = analysis.analyze([])
    assert (result.graphs, result.groups, result.executables, result.exact) == (0, [], 0, True)


def test_an_unknown_level(data: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="vary"):
        analysis.analyze(load(data / "piecewise"), "everything")  # type: ignore[arg-type]


@pytest.mark.parametrize("graphs", [[1], 5, "graph"])
def test_what_is_no_recorded_graph(graphs: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="RecordedGraph"):
        analysis.analyze(graphs)


@pytest.mark.parametrize("vary", ["\udc80", None, 5])
def test_levels_that_cannot_be(vary: Any, data: Path) -> None:
    graph = recorded.load_graph(data / "piecewise" / "layer0_b001.json.gz")
    with pytest.raises(InvalidArgumentError, match="vary"):
        analysis.analyze([graph], vary)
    with pytest.raises(InvalidArgumentError, match="vary"):
        explain_snapshots(graph.snapshot, graph.snapshot, vary)
