"""The raw graph of a ``torch.cuda.CUDAGraph``, or why there is none."""

from __future__ import annotations

from typing import Any

from graphdedup.errors import InvalidGraphError
from graphdedup.torch.interface import RawGraph, release


def raw_graph(graph: Any, operation: str) -> int:
    """Return the ``CUgraph`` value that torch holds.

    Raises:
        InvalidGraphError: torch is older than 2.8, or the graph was not captured, not kept, or reset.
    """
    if not hasattr(RawGraph, "raw_cuda_graph"):
        raise _error(
            operation,
            graph,
            f"torch {'.'.join(map(str, release()))} does not give out its graph; it takes 2.8 or newer",
        )
    try:
        handle: int = RawGraph.raw_cuda_graph(graph)
    except RuntimeError as error:
        if "keep_graph" in str(error) or _was_instantiated(graph):
            why = "it was made with keep_graph=False, so that torch destroyed the graph at the end of its capture"
        else:
            why = "it has not been captured, or was reset"
        raise _error(operation, graph, why) from error
    if handle == 0:
        raise _error(operation, graph, "its capture gave no graph")
    return handle


def _was_instantiated(graph: Any) -> bool:
    """Torch 2.14 gives one message for all three causes; only a graph that was not kept has an executable here."""
    try:
        return bool(RawGraph.raw_cuda_graph_exec(graph))
    except (AttributeError, RuntimeError):
        return False


def describe(graph: Any) -> str:
    """Name the object for messages."""
    return f"{type(graph).__module__}.{type(graph).__qualname__} at {id(graph):#x}"


def _error(operation: str, graph: Any, why: str) -> InvalidGraphError:
    return InvalidGraphError(f"{operation}: {describe(graph)}: {why}", operation=operation, object=describe(graph))
