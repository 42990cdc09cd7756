"""Recording: what is written reads back as what it was."""

from __future__ import annotations

import importlib
import json
import textwrap
from typing import TYPE_CHECKING, Any

import graphdedup
import pytest
from graphdedup import _core, record, recorded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = ("piecewise/layer0_b001", "piecewise/layer1_b001", "mixed/forkjoin_n01024")


@pytest.mark.parametrize("compress", [True, False])
def test_a_recording_reads_back(
    compress: bool, driver: graphdedup.Driver, build: Callable[[str], int], tmp_path: Path
) -> None:
    handles = {name.replace("/", "_"): build(name) for name in NAMES}
    paths = record.record(tmp_path / "set", handles, driver=driver, compress=compress, meta={"what": "a test"})
    assert [path.name.split(".")[0] for path in paths] == [*handles, "functions"]
    graphs = recorded.load(paths)
    assert [graph.name for graph in graphs] == list(handles)
    for graph, handle in zip(graphs, handles.values(), strict=True):
        live = _core.walk(driver, handle)
        assert graph.snapshot.node_kinds == live.node_kinds
        for vary in ("arguments", "grid", "kernel"):
            assert _core.sign(graph.snapshot, vary)[1] == _core.sign(live, vary)[1]
    table = json.loads(recorded.read_bytes(paths[-1]))
    assert table["meta"]["what"] == "a test"
    assert table["meta"]["graphdedup"] == graphdedup.__version__


def test_the_same_graphs_give_the_same_bytes(
    driver: graphdedup.Driver, build: Callable[[str], int], tmp_path: Path
) -> None:
    graphs = {"one": build(NAMES[0])}
    first, second = (record.record(tmp_path / name, graphs, driver=driver) for name in ("a", "b"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


@pytest.mark.parametrize("name", ["", "functions", "a/b", "..", ".hidden", "with space"])
def test_names_that_cannot_be(
    name: str, driver: graphdedup.Driver, build: Callable[[str], int], tmp_path: Path
) -> None:
    with pytest.raises(graphdedup.InvalidArgumentError):
        record.record(tmp_path, {name: build(NAMES[0])}, driver=driver)


def test_a_null_graph(driver: graphdedup.Driver, tmp_path: Path) -> None:
    with pytest.raises(graphdedup.InvalidGraphError):
        record.record(tmp_path, {"one": 0}, driver=driver)


def test_a_script_is_run_and_its_captures_recorded(
    driver: graphdedup.Driver,
    build: Callable[[str], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    torch = pytest.importorskip("torch")
    from graphdedup.torch import recorder

    class Graph:
        """Stands for ``torch.cuda.CUDAGraph``."""

        kept: bool
        handles = iter([build(NAMES[0]), build(NAMES[1])])

        def __new__(cls, keep_graph: bool = False) -> Any:
            graph = super().__new__(cls)
            graph.kept = keep_graph
            return graph

        def __init__(self, keep_graph: bool = False) -> None:  # noqa: ARG002
            self.instantiated = False

        def capture_end(self) -> None:
            self.raw = next(self.handles) if self.kept else 0

        def instantiate(self) -> None:
            self.instantiated = True

        def raw_cuda_graph(self) -> int:
            return self.raw

    for place in (torch.cuda, torch.cuda.graphs):
        monkeypatch.setattr(place, "CUDAGraph", Graph)
    monkeypatch.setattr(recorder, "PythonGraph", Graph)
    monkeypatch.setattr(torch._C, "_CUDAGraph", Graph)
    # By what is loaded: the package's attribute may be of a module that another test made.
    monkeypatch.setattr(importlib.import_module("graphdedup.torch.raw_graph"), "RawGraph", Graph)
    script = tmp_path / "captures.py"
    script.write_text(
        textwrap.dedent("""
            import sys, torch
            assert __name__ == "__main__" and sys.argv[1:] == ["--size", "3"]
            plain = torch.cuda.CUDAGraph()
            plain.capture_end()
            kept = torch.cuda.graphs.CUDAGraph(keep_graph=True)
            kept.capture_end()
            print(plain.instantiated, kept.instantiated)
            sys.exit(3)
        """)
    )
    recording = record.Recording(tmp_path / "out", driver=driver)
    assert recorder.run_script(recording, str(script), ["--size", "3"]) == 3
    (tmp_path / "fails.py").write_text("raise OSError('of the script')")
    assert recorder.run_script(recording, str(tmp_path / "fails.py"), []) == 1
    recording.finish()
    assert torch.cuda.CUDAGraph is Graph
    said = capsys.readouterr()
    assert said.out == "True False\n"
    assert "OSError: of the script" in said.err
    names = [graph.name for graph in recorded.load(sorted((tmp_path / "out").iterdir()))]
    assert names == ["graph_0000", "graph_0001"]


@pytest.mark.parametrize("meta", [{"a": object()}, {"a": float("nan")}, {"a": "\udc80"}, {(1, 2): 1}, 5], ids=str)
def test_notes_that_json_cannot_hold_write_nothing(
    meta: Any, driver: graphdedup.Driver, build: Callable[[str], int], tmp_path: Path
) -> None:
    with pytest.raises(graphdedup.InvalidArgumentError, match="record: meta"):
        record.record(tmp_path / "out", {"one": build(NAMES[0])}, driver=driver, meta=meta)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("option", [{"directory": "a\0b"}, {"directory": 5}, {"driver": 5}], ids=str)
def test_options_that_cannot_be(option: dict[str, Any], driver: graphdedup.Driver, tmp_path: Path) -> None:
    with pytest.raises(graphdedup.InvalidArgumentError, match=next(iter(option))):
        record.Recording(**{"directory": tmp_path / "out", "driver": driver, **option})
    assert list(tmp_path.iterdir()) == []
