"""Reading recorded graphs and DOT dumps."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from graphdedup import FormatError, InvalidArgumentError, _core, recorded

GRAPH = "layer0_b001.json.gz"


@pytest.fixture(name="piece")
def one_graph(data: Path, tmp_path: Path) -> Path:
    for name in ("functions.json.gz", GRAPH):
        shutil.copy(data / "piecewise" / name, tmp_path / name)
    return tmp_path


def unpack(path: Path) -> Path:
    plain = path.with_suffix("")
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    path.unlink()
    return plain


def test_every_recorded_graph_loads(data: Path) -> None:
    for path in sorted(data.glob("*/*.json.gz")):
        if path.name != "functions.json.gz":
            graph = recorded.load_graph(path)
            assert graph.snapshot.node_count > 0
            assert graph.snapshot.exact


def test_a_dump_tells_as_many_nodes_as_the_recording(data: Path) -> None:
    dumps = [path for path in sorted(data.glob("*/*.dot.gz")) if path.with_name(f"{path.name[:-7]}.json.gz").exists()]
    assert dumps
    for path in dumps:
        dump = recorded.load_graph(path)
        assert not dump.snapshot.exact
        whole = recorded.load_graph(path.with_name(f"{dump.name}.json.gz"))
        assert dump.snapshot.node_kinds.count("kernel") == whole.snapshot.node_kinds.count("kernel")
        assert dump.snapshot.node_count == whole.snapshot.node_count


def test_plain_files_load_like_gzipped_ones(piece: Path) -> None:
    packed = recorded.load_graph(piece / GRAPH).snapshot
    plain = recorded.load_graph(unpack(piece / GRAPH))
    assert plain.name == "layer0_b001"
    assert plain.snapshot.node_kinds == packed.node_kinds
    unpack(piece / "functions.json.gz")
    assert recorded.load_graph(piece / "layer0_b001.json").snapshot.node_kinds == packed.node_kinds


def test_a_function_table_among_the_files_is_no_graph(piece: Path) -> None:
    assert [g.name for g in recorded.load([piece / GRAPH, piece / "functions.json.gz"])] == ["layer0_b001"]
    with pytest.raises(FormatError, match="function table, not a graph"):
        recorded.load_graph(piece / "functions.json.gz")


def truncate_gzip(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def damage_gzip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))


def truncate_text(path: Path) -> None:
    text = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(text[: len(text) // 2]))


def put(content: bytes) -> object:
    return lambda path: path.write_bytes(content)


DAMAGE = {
    "truncated gzip": truncate_gzip,
    "damaged gzip": damage_gzip,
    "gzip header alone": put(b"\x1f\x8b"),
    "truncated text": truncate_text,
    "empty": put(b""),
    "blank": put(b"\n\n"),
    "json of something else": put(b'{"name": "value"}'),
    "json list": put(b"[1, 2, 3]"),
    "binary": put(bytes(range(256))),
    "dot of something else": put(b"digraph G { a -> b; }"),
    "html": put(b"<!DOCTYPE html><html></html>"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_what_is_no_recording_is_a_format_error(damage: object, piece: Path) -> None:
    damage(piece / GRAPH)  # type: ignore[operator]
    with pytest.raises(FormatError) as caught:
        recorded.load_graph(piece / GRAPH)
    assert GRAPH in str(caught.value)
    assert caught.value.object
    assert caught.value.operation


@pytest.mark.parametrize("damage", [truncate_gzip, truncate_text, put(b"[]")])
def test_a_damaged_function_table_is_a_format_error(damage: object, piece: Path) -> None:
    damage(piece / "functions.json.gz")  # type: ignore[operator]
    with pytest.raises(FormatError, match=r"functions\.json\.gz"):
        recorded.load_graph(piece / GRAPH)


def test_a_missing_function_table_is_a_format_error(piece: Path) -> None:
    (piece / "functions.json.gz").unlink()
    with pytest.raises(FormatError, match="function table is missing"):
        recorded.load_graph(piece / GRAPH)


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        recorded.load_graph(tmp_path / "none.json.gz")


def test_functions_of_two_sets_are_kept_apart(data: Path, tmp_path: Path) -> None:
    """Ids are unique in one set only: the same id in another set is another function."""
    paths = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name in ("functions.json.gz", "layer0_b001.json.gz"):
            (folder / name).write_bytes((data / "piecewise" / name).read_bytes())
        paths.append(folder / "layer0_b001.json.gz")
    first, second = recorded.load(paths)
    assert _core.group([first.snapshot, second.snapshot], "grid") == [[0], [1]]
    assert _core.group([first.snapshot, second.snapshot], "kernel") == [[0, 1]]


def test_one_table_by_several_names_is_one(data: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(data / "piecewise")
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "functions.json.gz").symlink_to(data / "piecewise" / "functions.json.gz")
    shutil.copy(data / "piecewise" / GRAPH, tmp_path / "table")
    relative = Path(os.path.relpath(data / "piecewise"))
    folders = [data / "piecewise", tmp_path / "link", tmp_path / "table", relative]
    graphs = recorded.load([folder / GRAPH for folder in folders])
    assert _core.group([graph.snapshot for graph in graphs], "grid") == [[0, 1, 2, 3]]


def test_one_path_is_one_graph(piece: Path) -> None:
    for path in (piece / GRAPH, str(piece / GRAPH)):
        assert [graph.name for graph in recorded.load(path)] == ["layer0_b001"]


@pytest.mark.parametrize("path", ["a\0b", 5, None, b"name"])
def test_what_is_no_path(path: Any) -> None:
    for use in (recorded.load_graph, lambda p: recorded.load([p])):
        with pytest.raises(InvalidArgumentError, match="load: path") as caught:
            use(path)
        assert caught.value.object
    with pytest.raises(InvalidArgumentError, match="load: paths"):
        recorded.load(path)
