"""What counts as a captured graph, and its raw ``CUgraph`` value.

Objects of other packages are recognised by the names of their types: none of those packages is imported here, and none
needs to be installed. Where their releases differ, each way to the handle is tried, newest first.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, NamedTuple

from graphdedup.errors import InvalidArgumentError, InvalidGraphError

ACCEPTED = (
    "a torch.cuda.CUDAGraph(keep_graph=True), an int, a cuda.bindings CUgraph or cudaGraph_t, "
    "a cuda.core GraphDefinition or GraphBuilder, or a cupy.cuda.Graph"
)


class GraphHandle(NamedTuple):
    """A ``CUgraph`` value and the object that must live as long as it is used, if any."""

    value: int
    owner: object


def is_torch_graph(graph: object) -> bool:
    """Tell whether this is a ``torch.cuda.CUDAGraph`` or an instance of a subclass. Does not import torch."""
    torch = sys.modules.get("torch")
    base = getattr(getattr(torch, "_C", None), "_CUDAGraph", None)
    return isinstance(base, type) and isinstance(graph, base)


def graph_handle(graph: object, operation: str) -> GraphHandle:
    """Find the raw handle of a graph that is not torch's.

    Raises:
        InvalidArgumentError: The object is no graph, or an executable one.
        InvalidGraphError: It is a graph without a usable handle: null, not built yet, not kept.
    """
    if isinstance(graph, int) and not isinstance(graph, bool):
        found: Any = graph
        owner: object = None
    else:
        found, owner = _foreign_handle(graph, operation), graph
    value = 0 if found is None else int(found)
    if value <= 0 or value >= 1 << 64:
        raise InvalidGraphError(
            f"{operation}: {describe(graph)}: the handle is null"
            if value == 0
            else f"{operation}: {describe(graph)}: {value} is no pointer",
            operation=operation,
            object=describe(graph),
        )
    return GraphHandle(value, owner)


def describe(graph: object) -> str:
    """Name a graph for messages."""
    if isinstance(graph, int) and not isinstance(graph, bool):
        return f"graph {graph:#x}"
    return f"{type(graph).__module__}.{type(graph).__qualname__} object"


def _foreign_handle(graph: object, operation: str) -> Any:
    module, name = type(graph).__module__, type(graph).__name__
    if name in {"CUgraphExec", "cudaGraphExec_t"} or (module.startswith("cuda.core") and name == "Graph"):
        raise InvalidArgumentError(
            f"{operation}: {describe(graph)} is an executable; pass the graph that it was instantiated from",
            operation=operation,
            object=describe(graph),
        )
    if name in {"CUgraph", "cudaGraph_t"} and module.split(".")[0] == "cuda":
        return graph
    if isinstance(graph, ctypes.c_void_p):
        return graph.value
    if module.startswith("cuda.core"):
        return _cuda_core_handle(graph, operation)
    if module.startswith("cupy"):
        return _cupy_handle(graph, operation)
    raise InvalidArgumentError(
        f"{operation}: takes {ACCEPTED}, not {describe(graph)}", operation=operation, object=describe(graph)
    )


def _cuda_core_handle(graph: Any, operation: str) -> Any:
    """Read a ``GraphDefinition`` (1.x), a ``GraphDef`` (0.7), or a ``GraphBuilder`` whose building has ended."""
    try:
        if hasattr(graph, "graph_definition"):  # builder, from 1.1 on
            return graph.graph_definition.handle
        if type(graph).__name__ in {"GraphDefinition", "GraphDef"}:
            return graph.handle
        handle = graph._mnff.graph  # builder of the releases before: the only way in
    except Exception as error:
        # Builders raise plain errors of their own while they are still being built.
        raise InvalidGraphError(
            f"{operation}: {describe(graph)} gives no graph handle ({error}); end its building first, "
            "or pass a GraphDefinition or the CUgraph",
            operation=operation,
            object=describe(graph),
        ) from error
    if handle is None:
        raise InvalidGraphError(
            f"{operation}: {describe(graph)} has not ended building", operation=operation, object=describe(graph)
        )
    return handle


def _cupy_handle(graph: Any, operation: str) -> Any:
    """Read a ``cupy.cuda.Graph``; releases that destroy the graph once it is instantiated show null."""
    handle = getattr(graph, "graph", None)
    if not isinstance(handle, int):
        raise InvalidArgumentError(
            f"{operation}: takes {ACCEPTED}, not {describe(graph)}", operation=operation, object=describe(graph)
        )
    if handle == 0:
        raise InvalidGraphError(
            f"{operation}: {describe(graph)} holds only an executable: this release of CuPy destroys the graph after "
            "it has instantiated it",
            operation=operation,
            object=describe(graph),
        )
    return handle
