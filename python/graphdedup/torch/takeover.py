"""What a torch graph answers after its nodes have moved to a registry.

torch's object would now silently replay nothing, so each method that speaks of the graph is replaced on the instance.
The object keeps its `SharedGraph`, and with that the registry, for as long as it could be replayed; the registry keeps
the object. Python's garbage collection sees that cycle, and closing or removing ends it.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from graphdedup import _core
from graphdedup._arguments import checked_path
from graphdedup.errors import InvalidGraphError, RegistryClosedError
from graphdedup.torch.raw_graph import describe, raw_graph

if TYPE_CHECKING:
    from graphdedup.shared_graph import SharedGraph

_STATE = "_graphdedup_state"
_REPLACED = ("replay", "debug_dump", "raw_cuda_graph", "reset")


class TakenOver:
    """State of a torch graph that was registered, kept on the instance; its methods stand in for torch's."""

    def __init__(self, graph: Any, driver: _core.Driver, clone: int) -> None:
        self._graph = weakref.ref(graph)
        self._what = describe(graph)
        self._driver = driver
        self._clone = clone
        self._shared: SharedGraph | None = None

    def install(self, graph: Any, shared: SharedGraph) -> None:
        """Put the replacements on the instance."""
        self._shared = shared
        self._replace_methods(graph)

    def install_retired(self, graph: Any) -> None:
        """Let each use of the graph raise: its nodes are gone, and could not be put back."""
        self._replace_methods(graph)

    def _replace_methods(self, graph: Any) -> None:
        setattr(graph, _STATE, self)
        for name in _REPLACED:
            setattr(graph, name, getattr(self, name))

    def retire(self) -> None:
        """The graph was removed or its registry closed: from now on each use raises."""
        self._shared = None

    def replay(self) -> None:
        """As ``torch.cuda.CUDAGraph.replay``: the shared replay."""
        self._live("replay").replay()

    def debug_dump(self, debug_path: str, *, verbose: bool = True) -> None:
        """As ``torch.cuda.CUDAGraph.debug_dump``: the graph as it was captured."""
        path = checked_path("CUDAGraph.debug_dump", "debug_path", debug_path)
        self._live("debug_dump")._member.debug_dump(str(path), 1 if verbose else 0)

    def walk(self) -> _core.Snapshot:
        """Read the graph as it was captured."""
        return self._live("walk")._member.walk()

    def raw_cuda_graph(self) -> int:
        """As ``torch.cuda.CUDAGraph.raw_cuda_graph``: the copy that the registry shares from. Not to be changed."""
        self._live("raw_cuda_graph")
        return self._clone

    def reset(self) -> None:
        """As ``torch.cuda.CUDAGraph.reset``: removes the graph from its registry; the object may capture again."""
        if self._shared is not None:
            self._shared.remove()
        graph = self._graph()
        if graph is None:
            return
        for name in (*_REPLACED, _STATE):
            graph.__dict__.pop(name, None)
        graph.reset()

    def _live(self, method: str) -> SharedGraph:
        shared = self._shared
        if shared is None:
            operation = f"CUDAGraph.{method}"
            raise RegistryClosedError(
                f"{operation}: {self._what}: its nodes went to a registry that is closed, or that it was removed from",
                operation=operation,
                object=self._what,
            )
        return shared


def captured_snapshot(driver: _core.Driver, graph: Any, operation: str) -> _core.Snapshot:
    """Read what was captured: of a registered graph the registry's copy, while no replay reads it."""
    state = getattr(graph, _STATE, None)
    if isinstance(state, TakenOver):
        return state.walk()
    return _core.walk(driver, raw_graph(graph, operation))


def require_untouched(graph: Any, operation: str) -> None:
    """Raise InvalidGraphError for a graph that a registry has, or had."""
    state = getattr(graph, _STATE, None)
    if state is None or (isinstance(state, weakref.ref) and state() is None):
        return
    lost = isinstance(state, TakenOver) and state._shared is None
    why = "its nodes were handed to a registry before; capture it anew" if lost else "it is registered already"
    what = describe(graph)
    raise InvalidGraphError(f"{operation}: {what}: {why}", operation=operation, object=what)


def mark_delegated(graph: Any, shared: SharedGraph) -> None:
    """Note that a registry counts this graph, which stays torch's: as long as that registry lives."""
    setattr(graph, _STATE, weakref.ref(shared))


def unmark_delegated(graph: Any) -> None:
    """Undo `mark_delegated`."""
    graph.__dict__.pop(_STATE, None)
