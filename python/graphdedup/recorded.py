"""Recorded graphs: JSON walks and DOT dumps, plain or gzipped.

A recorded graph names kernel functions by id; the table of a set, ``functions.json`` or ``functions.json.gz``, lies
beside it. A DOT dump is what ``cudaGraphDebugDotPrint`` or ``torch.cuda.CUDAGraph.debug_dump`` writes with the verbose
flag.
"""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphdedup import _core
from graphdedup.errors import FormatError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

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


def load(paths: Iterable[str | os.PathLike[str]]) -> list[RecordedGraph]:
    """Read graphs, in the order given. A function table among the paths is used, and is no graph.

    Raises:
        FormatError: A file is truncated, or not one of ours; a function table is missing.
        OSError: A file cannot be read.
    """
    loader = _Loader()
    loaded = (loader.load(Path(path)) for path in paths)
    return [graph for graph in loaded if graph is not None]


def load_graph(path: str | os.PathLike[str]) -> RecordedGraph:
    """Read one graph.

    Raises:
        FormatError: The file is truncated, or no graph; its function table is missing.
        OSError: The file cannot be read.
    """
    graphs = load([path])
    if not graphs:
        raise _error(Path(path), "is a function table, not a graph")
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


class _Loader:
    """Keeps the function table of each directory: a set of graphs shares one."""

    def __init__(self) -> None:
        # Ids of functions are unique in one set: each table is numbered, so that graphs of two sets are kept apart.
        self._tables: dict[Path, _core.FunctionTable] = {}

    def load(self, path: Path) -> RecordedGraph | None:
        text = read_bytes(path)
        if not text.strip():
            raise _error(path, "is empty")
        if _core.is_dot(text):
            return RecordedGraph(_name(path), path, _core.read_dot(text, _origin(path)))
        if _core.is_function_table(text):
            self._tables.setdefault(path.parent, _core.read_function_table(text, _origin(path), len(self._tables)))
            return None
        return RecordedGraph(_name(path), path, _core.read_graph(text, self._table_beside(path), _origin(path)))

    def _table_beside(self, path: Path) -> _core.FunctionTable:
        directory = path.parent
        if directory not in self._tables:
            found = next((directory / name for name in TABLE_NAMES if (directory / name).is_file()), None)
            if found is None:
                raise _error(path, f"its function table is missing: no {' or '.join(TABLE_NAMES)} beside it")
            self._tables[directory] = _core.read_function_table(read_bytes(found), _origin(found), len(self._tables))
        return self._tables[directory]


def _origin(path: Path) -> str:
    """Name a file in messages: what UTF-8 cannot hold is escaped."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def _name(path: Path) -> str:
    name = path.name
    for ending in (".gz", ".json", ".dot"):
        name = name.removesuffix(ending)
    return name


def _error(path: Path, why: str) -> FormatError:
    return FormatError(f"load: {path}: {why}", operation="load", object=str(path))
