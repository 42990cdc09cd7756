"""Does a captured graph use torch's random numbers?

torch's ``replay()`` first lets each generator that the capture used fill a seed and an offset tensor on the device,
then moves the generator's offset, then launches (``CUDAGraph::replay`` and ``replay_prologue`` in ATen/cuda; the same
order in the sources from 2.8 to 2.13). A generator that the capture did not use does nothing. The trial here runs
``replay()`` of a graph whose nodes are gone, under a dispatch mode that raises at the first operation. With random
numbers it ends at the first ``fill_``, before any offset has moved; without, it launches an empty graph. Either way
nothing has changed, for any generator.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from graphdedup.torch.interface import RawGraph


class _FirstOperation(Exception):  # noqa: N818 - no error: it carries control out of torch's C++
    """Raised in place of the first operation."""


class _StopAtFirstOperation(TorchDispatchMode):  # type: ignore[misc, unused-ignore]
    def __init__(self) -> None:
        super().__init__()
        self.reached = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.reached = True
        raise _FirstOperation


def uses_random_numbers(emptied: Any) -> bool:
    """Tell it of a graph whose nodes have been destroyed and that was instantiated anew.

    An offset of a default generator that moved meanwhile counts as a yes. It is not put back: another thread may have
    drawn, and would then draw the same numbers again.
    """
    before = _default_offsets()
    mode = _StopAtFirstOperation()
    try:
        with mode:
            RawGraph.replay(emptied)
    except BaseException:
        # What comes out is our exception, or the RuntimeError that a binding made of it.
        if not mode.reached:
            raise
    return mode.reached or _default_offsets() != before


def _default_offsets() -> dict[int, int]:
    return {index: generator.get_offset() for index, generator in enumerate(torch.cuda.default_generators)}
