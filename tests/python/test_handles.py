"""Which objects are graphs and streams, and what is wrong with the others.

The classes here look like those of other packages: their names and modules are all that graphdedup goes by.
"""

from __future__ import annotations

import ctypes
from typing import Any

import pytest
from graphdedup import InvalidArgumentError, InvalidGraphError
from graphdedup.handles import graph_handle
from graphdedup.streams import stream_handle

OPERATION = "Registry.register"


def foreign(module: str, name: str, **attributes: Any) -> Any:
    return type(name, (), {"__module__": module, **attributes})()


def as_int(value: int) -> Any:
    return lambda _self: value


ACCEPTED = {
    "int": 0x7F00,
    "ctypes": ctypes.c_void_p(0x7F00),
    "cuda.bindings driver": foreign("cuda.bindings.driver", "CUgraph", __int__=as_int(0x7F00)),
    "cuda.bindings runtime": foreign("cuda.bindings.runtime", "cudaGraph_t", __int__=as_int(0x7F00)),
    "cuda-python 11": foreign("cuda.cuda", "CUgraph", __int__=as_int(0x7F00)),
    "cuda.core definition": foreign("cuda.core.graph._graph_definition", "GraphDefinition", handle=0x7F00),
    "cuda.core 0.7 definition": foreign("cuda.core._graph._graph_def", "GraphDef", handle=0x7F00),
    "cuda.core builder": foreign(
        "cuda.core.graph._graph_builder",
        "GraphBuilder",
        graph_definition=foreign("cuda.core.graph._graph_definition", "GraphDefinition", handle=0x7F00),
    ),
    "cuda.core 0.3 builder": foreign(
        "cuda.core.experimental._graph",
        "GraphBuilder",
        _mnff=foreign("cuda.core.experimental._graph", "_M", graph=0x7F00),
    ),
    "cupy": foreign("cupy.cuda.graph", "Graph", graph=0x7F00, graphExec=0x8000),
}


@pytest.mark.parametrize("graph", ACCEPTED.values(), ids=ACCEPTED)
def test_graphs(graph: Any) -> None:
    found = graph_handle(graph, OPERATION)
    assert found.value == 0x7F00
    assert found.owner is (None if isinstance(graph, int) else graph)


NO_GRAPHS = {
    "None": (None, InvalidArgumentError, "takes a torch.cuda.CUDAGraph"),
    "str": ("graph", InvalidArgumentError, "builtins.str"),
    "bool": (True, InvalidArgumentError, "builtins.bool"),
    "float": (1.5, InvalidArgumentError, "builtins.float"),
    "null": (0, InvalidGraphError, "null"),
    "negative": (-1, InvalidGraphError, "no pointer"),
    "too large": (1 << 64, InvalidGraphError, "no pointer"),
    "null ctypes": (ctypes.c_void_p(), InvalidGraphError, "null"),
    "null CUgraph": (foreign("cuda.bindings.driver", "CUgraph", __int__=as_int(0)), InvalidGraphError, "null"),
    "executable": (
        foreign("cuda.bindings.driver", "CUgraphExec", __int__=as_int(1)),
        InvalidArgumentError,
        "is an executable",
    ),
    "cuda.core executable": (
        foreign("cuda.core.graph._graph_builder", "Graph", handle=1),
        InvalidArgumentError,
        "is an executable",
    ),
    "cuda.core builder still building": (
        foreign("cuda.core.experimental._graph", "GraphBuilder", _mnff=foreign("cuda.core", "_M", graph=None)),
        InvalidGraphError,
        "has not ended building",
    ),
    "cuda.core object without a graph": (
        foreign("cuda.core._stream", "Stream", handle=1),
        InvalidGraphError,
        "gives no graph handle",
    ),
    "cupy that kept only the executable": (
        foreign("cupy.cuda.graph", "Graph", graph=0, graphExec=1),
        InvalidGraphError,
        "only an executable",
    ),
    "cupy array": (foreign("cupy", "ndarray"), InvalidArgumentError, "takes a torch.cuda.CUDAGraph"),
    "same name elsewhere": (foreign("mine", "CUgraph", __int__=as_int(1)), InvalidArgumentError, "mine.CUgraph"),
}


@pytest.mark.parametrize(("graph", "error", "says"), NO_GRAPHS.values(), ids=NO_GRAPHS)
def test_what_is_no_graph(graph: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        graph_handle(graph, OPERATION)
    assert caught.value.operation == OPERATION  # type: ignore[attr-defined]
    assert caught.value.object  # type: ignore[attr-defined]


STREAMS = {
    "int": 5,
    "torch": foreign("torch.cuda.streams", "Stream", cuda_stream=5),
    "cuda.bindings": foreign("cuda.bindings.driver", "CUstream", __int__=as_int(5)),
    "cuda.bindings runtime": foreign("cuda.bindings.runtime", "cudaStream_t", __int__=as_int(5)),
    "protocol": foreign("mine", "Stream", __cuda_stream__=lambda _self: (0, 5)),
    "protocol as a property": foreign("mine", "Stream", __cuda_stream__=(0, 5)),
    "cupy": foreign("cupy.cuda.stream", "Stream", ptr=5),
}


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_streams(stream: Any) -> None:
    assert stream_handle(stream, "SharedGraph.replay") == 5


@pytest.mark.parametrize("stream", ["0", 1.5, True, -1, 1 << 64, object(), foreign("mine", "S", __cuda_stream__=5)])
def test_what_is_no_stream(stream: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="as its stream") as caught:
        stream_handle(stream, "SharedGraph.replay")
    assert caught.value.operation == "SharedGraph.replay"
