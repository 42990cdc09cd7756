"""torch's own replay of an emptied graph, as what runs right before each shared launch."""

from __future__ import annotations

import weakref
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from graphdedup.torch.interface import PythonGraph, current_raw_stream

if TYPE_CHECKING:
    from collections.abc import Callable

# cuda.h: CU_STREAM_LEGACY, another name of the default stream that torch would take for a stream of its pool.
_LEGACY_STREAM = 1


def make_prologue(emptied: Any, device: int) -> Callable[[int], None]:
    """Return a callable that sets the state of the graph's generators on a stream and moves their offsets.

    It refers to the graph weakly, because the core holds it out of sight of Python's garbage collection; the registry
    holds the graph for as long as it can be replayed.
    """
    of_graph = weakref.ref(emptied)

    def prologue(stream: int) -> None:
        graph = of_graph()
        if graph is not None:  # None: while all of it is being collected
            run_on(stream, device, partial(PythonGraph.replay, graph))

    return prologue


def run_on(stream: int, device: int, replay: Callable[[], object]) -> None:
    """Call a ``replay()`` of torch's with the stream current."""
    wanted = 0 if stream == _LEGACY_STREAM else stream
    if current_raw_stream(device) == wanted:
        replay()
        return
    with torch.cuda.stream(torch.cuda.ExternalStream(wanted, device=device)):
        replay()
