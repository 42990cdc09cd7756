"""Recorded graphs: JSON walks and DOT dumps, plain or gzipped.

A recorded graph names kernel functions by id; the table of a set, ``functions.json`` or ``functions.json.gz``, lies
beside it. A DOT dump is what ``cudaGraphDebugDotPrint`` or ``torch.cuda.CUDAGraph.debug_dump`` writes with the verbose
flag.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphdedup import _core
from graphdedup._arguments import checked_path, escaped, invalid
from graphdedup.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

TABLE_NAMES = ("functions.json.gz", "functions.json")


@dataclass(frozen=True)
class RecordedGraph:
    """A graph read from a file.

    Attributes:
        name: The file's name without its endings.
        path: Where it was read from.
        snapshot: The graph as plain data. `Snapshot.exact` is False for a DOT dump, which says nothing of cluster
            shapes and edge types.
    """

    name: str
    path: Path
    snapshot: _core.Snapshot


def load(paths: Iterable[str | os.PathLike[str]] | str | os.PathLike[str]) -> list[RecordedGraph]:
    """Read graphs, in the order given, or a single one. A function table among the paths is used, and is no graph.

    Functions of one table are told apart and known again by their ids; those of two tables are always different ones.

    Raises:
        InvalidArgumentError: What is given is no path.
        FormatError: A file is truncated, or not one of ours; a function table is missing.
        OSError: A file cannot be read.
    """
    loader = _Loader()
    loaded = (loader.load(path) for path in _checked_paths(paths))
    return [graph for graph in loaded if graph is not None]


def load_graph(path: str | os.PathLike[str]) -> RecordedGraph:
    """Read one graph.

    Raises:
        InvalidArgumentError: What is given is no path.
        FormatError: The file is truncated, or no graph; its function table is missing.
        OSError: The file cannot be read.
    """
    one = checked_path("load", "path", path)
    graphs = load([one])
    if not graphs:
        raise _error(one, "is a function table, not a graph")
    return graphs[0]


def read_bytes(path: Path) -> bytes:
    """Read a file, unpacked if it is gzipped: by its first bytes, not by its name.

    Raises:
        FormatError: The gzip data is damaged or truncated.
    """
    data = path.read_bytes()
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise _error(path, f"its gzip data is damaged or truncated ({error})") from error


def _checked_paths(paths: object) -> list[Path]:
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    if not isinstance(paths, Iterable) or isinstance(paths, (bytes, bytearray)):
        raise invalid("load", "paths", f"must be paths, not {paths!r}")
    return [checked_path("load", "paths", path) for path in paths]


class _Loader:
    """Keeps the function tables: the graphs of a set share one."""

    def __init__(self) -> None:
        self._of_directory: dict[Path, _core.FunctionTable] = {}
        self._of_file: dict[Path, _core.FunctionTable] = {}

    def load(self, path: Path) -> RecordedGraph | None:
        text = read_bytes(path)
        if not text.strip():
            raise _error(path, "is empty")
        if _core.is_dot(text):
            return RecordedGraph(_name(path), path, _core.read_dot(text, escaped(str(path))))
        if _core.is_function_table(text):
            self._of_directory.setdefault(path.parent, self._table(path, text))
            return None
        return RecordedGraph(_name(path), path, _core.read_graph(text, self._table_beside(path), escaped(str(path))))

    def _table_beside(self, path: Path) -> _core.FunctionTable:
        directory = path.parent
        if directory not in self._of_directory:
            found = next((directory / name for name in TABLE_NAMES if (directory / name).is_file()), None)
            if found is None:
                raise _error(path, f"its function table is missing: no {' or '.join(TABLE_NAMES)} beside it")
            self._of_directory[directory] = self._table(found, None)
        return self._of_directory[directory]

    def _table(self, path: Path, text: bytes | None) -> _core.FunctionTable:
        """Read a table, once whatever it is called by.

        Ids of functions are unique in one set: each table is numbered, so that graphs of two sets are kept apart.
        """
        file = path.resolve()
        if file not in self._of_file:
            text = read_bytes(path) if text is None else text
            self._of_file[file] = _core.read_function_table(text, escaped(str(path)), len(self._of_file))
        return self._of_file[file]


def _name(path: Path) -> str:
    name = path.name
    for ending in (".gz", ".json", ".dot"):
        name = name.removesuffix(ending)
    return name


def _error(path: Path, why: str) -> FormatError:
    return FormatError(f"load: {path}: {why}", operation="load", object=str(path))
