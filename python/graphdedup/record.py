"""Write live graphs in the recorded form, to be analysed or simulated elsewhere."""

from __future__ import annotations

import gzip
import json
import platform
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphdedup import _core
from graphdedup._arguments import checked_path, invalid, open_driver
from graphdedup.errors import InvalidArgumentError
from graphdedup.handles import graph_handle, is_torch_graph

if TYPE_CHECKING:
    import os
    from pathlib import Path

_OPERATION = "record"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")


class Recording:
    """A set of graphs in a directory, written one by one; `finish` writes the function table that all of them need.

    Args:
        directory: Made if it is missing.
        driver: As for `Registry`.
        compress: Write ``.json.gz`` instead of ``.json``.
    """

    def __init__(
        self, directory: str | os.PathLike[str], *, driver: _core.Driver | str | None = None, compress: bool = True
    ) -> None:
        self._directory = checked_path(_OPERATION, "directory", directory)
        self._driver = open_driver(_OPERATION, driver)
        self._compress = compress
        self._recorder = _core.Recorder()
        self._names: set[str] = set()
        self._directory.mkdir(parents=True, exist_ok=True)

    @property
    def names(self) -> list[str]:
        """Names of the graphs written so far."""
        return sorted(self._names)

    def add(self, name: str, graph: object) -> Path:
        """Write one graph, which is only read.

        Args:
            name: The file's name without endings: letters, digits and ``_.+-``.
            graph: As for `Registry.register`.

        Raises:
            InvalidArgumentError: The name cannot be one, or was used.
            InvalidGraphError, DriverError: As `Registry.register`.
        """
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name == "functions" or name in self._names:
            why = "was used before" if name in self._names else "cannot be the name of a recorded graph"
            raise InvalidArgumentError(f"{_OPERATION}: {name!r} {why}", operation=_OPERATION, object=str(name))
        path = self._write(name, self._recorder.write_graph(_snapshot(self._driver, graph)))
        self._names.add(name)
        return path

    def finish(self, meta: Mapping[str, Any] | None = None) -> Path:
        """Write the function table.

        Args:
            meta: What to note about the set beside device, driver and versions; JSON values.

        Raises:
            InvalidArgumentError: JSON cannot hold `meta`.
        """
        noted = _json({**_circumstances(self._driver), **_checked_meta(meta)})
        return self._write("functions", self._recorder.write_function_table(noted))

    def _write(self, name: str, text: str) -> Path:
        data = text.encode()
        path = self._directory / (f"{name}.json.gz" if self._compress else f"{name}.json")
        # The time is left out, so that the same graphs give the same bytes.
        path.write_bytes(gzip.compress(data, 9, mtime=0) if self._compress else data)
        return path


def record(
    directory: str | os.PathLike[str],
    graphs: Mapping[str, object],
    *,
    driver: _core.Driver | str | None = None,
    compress: bool = True,
    meta: Mapping[str, Any] | None = None,
) -> list[Path]:
    """Write live graphs and their function table into a directory. Graphs are only read, not changed.

    Args:
        directory: Made if it is missing.
        graphs: By the name that each gets; graphs as for `Registry.register`.
        driver: As for `Registry`.
        compress: Write ``.json.gz`` instead of ``.json``.
        meta: What to note about the set, as JSON values.

    Returns:
        The paths written, the function table last.

    Raises:
        InvalidArgumentError, InvalidGraphError, DriverNotFoundError, DriverError, OSError.

    Example:
        >>> record("decode", {f"b{size:03}": graph for size, graph in graphs.items()})
    """
    noted = _checked_meta(meta)  # before anything is written
    recording = Recording(directory, driver=driver, compress=compress)
    paths = [recording.add(name, graph) for name, graph in graphs.items()]
    return [*paths, recording.finish(noted)]


def _snapshot(driver: _core.Driver, graph: object) -> _core.Snapshot:
    if is_torch_graph(graph):
        from graphdedup.torch.takeover import captured_snapshot  # noqa: PLC0415 - needs torch, which is loaded here

        return captured_snapshot(driver, graph, _OPERATION)
    return _core.walk(driver, graph_handle(graph, _OPERATION).value)


def _checked_meta(meta: object) -> dict[str, Any]:
    noted = {} if meta is None else meta
    if not isinstance(noted, Mapping):
        raise invalid(_OPERATION, "meta", f"must be a mapping, not {meta!r}")
    _json(dict(noted))
    return dict(noted)


def _json(value: dict[str, Any]) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise invalid(_OPERATION, "meta", f"JSON cannot hold it: {error}") from error
    return text


def _circumstances(driver: _core.Driver) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "graphdedup": _core.__version__,
        "cuda_driver_api": driver.version,
        "machine": platform.machine(),
    }
    if driver.device_count() > 0:
        facts["gpu"] = driver.device_name(0)
    torch = sys.modules.get("torch")
    if torch is not None:
        facts["torch"] = str(torch.__version__)
    return facts
