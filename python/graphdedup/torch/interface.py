"""The parts of torch that the adapter calls, read once.

The C++ class is called for what must not run Python hooks; the Python class of torch, below any subclass of a user's,
for what must. Both are taken at import, so that a class put in torch's place later does not change them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.cuda.graphs import CUDAGraph

RawGraph: Any = torch._C._CUDAGraph
PythonGraph: Any = CUDAGraph


def release() -> tuple[int, int]:
    """Return the installed torch's major and minor release."""
    major, minor = (int(part) for part in torch.__version__.split(".")[:2])
    return major, minor


def current_raw_stream(device: int) -> int:
    """Return the handle of torch's current stream of a device."""
    handle: int = torch._C._cuda_getCurrentRawStream(device)
    return handle


def has_replay_work_in_python(graph: Any) -> bool:
    """Tell whether torch's ``replay()`` does more for this graph than its C++ part does.

    That is the check of input liveness (torch 2.13) and the hooks around a replay and the record of replay streams
    (2.14).
    """
    module: Any = torch.cuda.graphs
    if getattr(graph, "_tracker", None) is not None:
        return True
    if getattr(graph, "_replay_start_hooks", None) or getattr(graph, "_replay_end_hooks", None):
        return True
    if getattr(module, "_global_replay_start_hooks", None) or getattr(module, "_global_replay_end_hooks", None):
        return True
    return bool(getattr(getattr(graph, "_retained", None), "sync_before_fire", False))
