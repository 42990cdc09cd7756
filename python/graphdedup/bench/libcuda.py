"""The few driver calls of the bare side of a comparison, through ctypes with arguments that are built once."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import TYPE_CHECKING

from graphdedup.errors import DriverError, DriverNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable


@lru_cache(maxsize=1)
def _library() -> ctypes.PyDLL:
    try:
        # A PyDLL keeps the interpreter's lock, so that a call costs as little as it can.
        return ctypes.PyDLL("libcuda.so.1")
    except OSError as error:
        raise DriverNotFoundError(f"bench: {error}", operation="bench", object="libcuda.so.1") from error


def _call(name: str, *arguments: object) -> None:
    _check(name, getattr(_library(), name)(*arguments))


def _check(name: str, status: int) -> None:
    if status:
        raise DriverError(
            f"bench: {name} returned {status}", operation="bench", object="", call=name, status=status, status_name=""
        )


def clone(graph: int) -> int:
    """Copy a graph."""
    made = ctypes.c_void_p()
    _call("cuGraphClone", ctypes.byref(made), ctypes.c_void_p(graph))
    return made.value or 0


def destroy_graph(graph: int) -> None:
    """Destroy a graph of `clone`."""
    _call("cuGraphDestroy", ctypes.c_void_p(graph))


def trivial_call() -> Callable[[], object]:
    """Return a call of the driver that does next to nothing: what ctypes itself adds."""
    function, version = _library().cuDriverGetVersion, ctypes.c_int()
    argument = ctypes.byref(version)
    return lambda: function(argument)


class Executable:
    """An executable that is updated and launched bare."""

    def __init__(self, graph: int, flags: int) -> None:
        """Instantiate.

        Args:
            graph: A ``CUgraph`` value.
            flags: Those of the side that this one is compared with.
        """
        self._exec = ctypes.c_void_p()
        _call(
            "cuGraphInstantiateWithFlags", ctypes.byref(self._exec), ctypes.c_void_p(graph), ctypes.c_ulonglong(flags)
        )

    def switcher(self, graph: int, stream: int) -> Callable[[], object]:
        """Return a call that updates to a graph and launches; a status that is not zero raises."""
        update, launch = _library().cuGraphExecUpdate_v2, _library().cuGraphLaunch
        executable, source, where = self._exec, ctypes.c_void_p(graph), ctypes.c_void_p(stream)
        result = ctypes.create_string_buffer(64)  # CUgraphExecUpdateResultInfo, which is smaller
        keep_result = ctypes.byref(result)

        def switch() -> None:
            status = update(executable, source, keep_result) or launch(executable, where)
            if status:
                _check("cuGraphExecUpdate or cuGraphLaunch", status)

        return switch

    def destroy(self) -> None:
        """Destroy it."""
        _call("cuGraphExecDestroy", self._exec)
