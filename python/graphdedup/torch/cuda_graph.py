"""A ``torch.cuda.CUDAGraph`` that shares its executable without being asked."""

from __future__ import annotations

from typing import Any

from graphdedup import _core
from graphdedup.dropin import state
from graphdedup.errors import GraphDedupError
from graphdedup.torch.interface import PythonGraph, RawGraph

_SHARED = "_graphdedup_state"


class CUDAGraph(PythonGraph):  # type: ignore[misc, unused-ignore]
    """torch's class with torch's interface; torch always keeps the raw graph underneath.

    With ``keep_graph=False`` a graph is shared at the end of its capture, with ``keep_graph=True`` at ``instantiate()``
    or the first ``replay()``; from then on its nodes must not be changed. What cannot be shared is instantiated by
    torch, and the reason is counted.

    Example:
        >>> graph = graphdedup.torch.CUDAGraph()
        >>> with torch.cuda.graph(graph):
        ...     output = model(inputs)
        >>> graph.replay()
    """

    def __new__(cls, keep_graph: bool = False, **options: Any) -> Any:
        """Make the object, which torch is always told to keep."""
        graph = super().__new__(cls, True, **options)
        graph._kept_by_caller = keep_graph
        graph._left_to_torch = False
        return graph

    def __init__(self, keep_graph: bool = False, **options: Any) -> None:  # noqa: ARG002 - as above
        super().__init__(True, **options)

    def capture_begin(self, *arguments: Any, **options: Any) -> None:
        """As torch's; lets go of collected graphs first, which must not happen during a capture."""
        state.drain()
        self._left_to_torch = False
        super().capture_begin(*arguments, **options)

    def capture_end(self) -> None:
        """As torch's, and share where torch would instantiate."""
        super().capture_end()
        state.drain()
        if not self._kept_by_caller:
            self._share()

    def instantiate(self) -> None:
        """As torch's, by sharing; a graph that is shared already stays so."""
        if _SHARED in vars(self):
            return
        if self._left_to_torch:
            super().instantiate()
        else:
            self._share()

    def replay(self) -> None:
        """As torch's. A shared graph has a replay of its own on the instance instead."""
        if self._kept_by_caller and not self._left_to_torch:
            self._share()
            self.replay()
        else:
            super().replay()

    replay.stands_in_for_torch = True  # type: ignore[attr-defined]

    def raw_cuda_graph(self) -> int:
        """As torch's: raises for a graph that the caller did not ask to keep."""
        if not self._kept_by_caller:
            raise RuntimeError(
                "You cannot access the raw cudaGraph_t instance unless CUDAGraph was initialized with keep_graph=true"
            )
        handle: int = super().raw_cuda_graph()
        return handle

    def reset(self) -> None:
        """As torch's; a shared graph leaves its registry first."""
        self._left_to_torch = False
        super().reset()

    def _share(self) -> None:
        raw = RawGraph.raw_cuda_graph(self)
        try:
            registry = state.registry()
            reason, nodes = _core.private_reason(registry.driver, raw)
            if not reason and nodes:
                shared = registry.register(self)
                state.follow(self, shared)
                if not self._kept_by_caller:
                    del self.__dict__["raw_cuda_graph"]
                return
            reason = reason or "it has no nodes"
        except (GraphDedupError, RuntimeError) as error:
            if _SHARED in vars(self):  # its nodes are gone: there is nothing that torch could run
                raise
            reason = f"{type(error).__name__}: {error}"
        self._left_to_torch = True
        state.count_private(reason)
        super().instantiate()
