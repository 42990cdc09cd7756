"""A torch graph that is left to torch: it may not share, and torch replays it as always."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphdedup.errors import RegistryClosedError
from graphdedup.shared_graph import SharedGraph
from graphdedup.streams import stream_handle
from graphdedup.torch.prologue import run_on
from graphdedup.torch.takeover import mark_delegated, unmark_delegated

if TYPE_CHECKING:
    from graphdedup.registry import Registry
    from graphdedup.streams import StreamLike


class DelegatedGraph(SharedGraph):
    """Counts with its registry; runs by torch's own ``replay()``, with torch's executable and random numbers."""

    __slots__ = ("_device", "_id", "_name", "_node_count", "_reason", "_torch_graph")

    def __init__(
        self,
        registry: Registry,
        graph: Any,
        *,
        device: int,
        name: str,
        node_count: int,
        reason: str,
    ) -> None:
        self._registry = registry
        self._torch_graph = graph
        self._device = device
        self._id = registry._next_delegated_id()
        self._name = name or f"torch graph {-self._id}"
        self._node_count = node_count
        self._reason = reason
        mark_delegated(graph, self)

    def replay(self, stream: StreamLike = None) -> None:
        """As `SharedGraph.replay`."""
        graph = self._live("SharedGraph.replay")
        if stream is None:
            graph.replay()
        else:
            run_on(stream_handle(stream, "SharedGraph.replay"), self._device, graph.replay)
        self._registry._count_delegated_replay()

    def prepare(self, stream: StreamLike = None, *, wait: bool = True) -> None:  # noqa: ARG002 - nothing to do
        """As `SharedGraph.prepare`. torch has no upload; its executable holds this graph anyway."""
        self._live("SharedGraph.prepare")
        if stream is not None:
            stream_handle(stream, "SharedGraph.prepare")

    @property
    def id(self) -> int:
        """As `SharedGraph.id`; negative."""
        return self._id

    @property
    def name(self) -> str:
        """As `SharedGraph.name`."""
        return self._name

    @property
    def group(self) -> int:
        """Its id: it is alone."""
        return self._id

    @property
    def node_count(self) -> int:
        """As `SharedGraph.node_count`, those of child graphs not counted."""
        return self._node_count

    @property
    def loaded(self) -> bool:
        """True until it is removed or the registry closed."""
        return self._torch_graph is not None

    @property
    def private_reason(self) -> str:
        """As `SharedGraph.private_reason`; never empty."""
        return self._reason

    def _release(self) -> None:
        graph, self._torch_graph = self._torch_graph, None
        if graph is not None:
            unmark_delegated(graph)

    def _registry_closed(self) -> None:
        self._release()

    def _live(self, operation: str) -> Any:
        graph = self._torch_graph
        if graph is None:
            what = f"member {self._id} ({self._name})"
            raise RegistryClosedError(
                f"{operation}: {what}: the registry is closed, or the graph was removed from it",
                operation=operation,
                object=what,
            )
        return graph
