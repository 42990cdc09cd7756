"""Registration of torch graphs.

A graph of torch's is copied, and its own nodes are destroyed. The copy is what executables are made of; torch's
``replay()`` of the empty graph is what keeps random numbers right, because it still does all that torch does before a
launch.
"""

from __future__ import annotations

import contextlib
import os
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from graphdedup import _core
from graphdedup.errors import GraphDedupError, InvalidGraphError
from graphdedup.shared_graph import SharedGraph
from graphdedup.torch.delegated import DelegatedGraph
from graphdedup.torch.interface import PythonGraph, RawGraph, has_replay_work_in_python
from graphdedup.torch.prologue import make_prologue
from graphdedup.torch.random_numbers import uses_random_numbers
from graphdedup.torch.raw_graph import describe, raw_graph
from graphdedup.torch.takeover import TakenOver, require_untouched

if TYPE_CHECKING:
    from graphdedup.registry import Registry

_OPERATION = "Registry.register"
# Over the check that a graph is untouched and its taking: two registries may be offered one graph at once.
_TAKING = threading.RLock()


def _renew_lock() -> None:
    """Follow a fork: a thread that is not in the child may have held the lock."""
    global _TAKING  # noqa: PLW0603
    _TAKING = threading.RLock()


os.register_at_fork(after_in_child=_renew_lock)


class _Clone:
    """Owns the copy. Held by the core, to live until no replay reads it; refers to nothing that refers back."""

    def __init__(self, driver: _core.Driver, clone: int) -> None:
        # Bound here: at exit modules may be gone before this is.
        self._destroy = partial(_core.destroy_graph, driver, clone)

    def __del__(self) -> None:
        # A driver that answers nothing but errors has nothing left to be destroyed, and nobody could catch this one.
        with contextlib.suppress(GraphDedupError):
            self._destroy()


class _TakenOverGraph(SharedGraph):
    """A `SharedGraph` whose torch graph follows it."""

    __slots__ = ("_taken_over",)

    def __init__(self, registry: Registry, member: _core.SharedGraph, device: int, taken_over: TakenOver) -> None:
        super().__init__(registry, member, partial(torch._C._cuda_getCurrentRawStream, device))
        self._taken_over = taken_over

    def _release(self) -> None:
        self._taken_over.retire()
        super()._release()

    def _registry_closed(self) -> None:
        self._taken_over.retire()


def register(registry: Registry, graph: Any, *, name: str, keep_alive: object) -> SharedGraph:
    """Do `Registry.register` for a ``torch.cuda.CUDAGraph``. Wants the registry's lock held."""
    with _TAKING:
        return _register(registry, graph, name=name, keep_alive=keep_alive)


def _register(registry: Registry, graph: Any, *, name: str, keep_alive: object) -> SharedGraph:
    require_untouched(graph, _OPERATION)
    raw = raw_graph(graph, _OPERATION)
    if torch.cuda.is_current_stream_capturing():
        raise InvalidGraphError(
            f"{_OPERATION}: {describe(graph)}: torch's current stream is capturing; register between captures",
            operation=_OPERATION,
            object=describe(graph),
        )
    device = torch.cuda.current_device() if registry._device is None else registry._device
    with torch.cuda.device(device):
        reason, node_count = _core.private_reason(registry._driver, raw)
        replay = type(graph).replay
        stands_in = getattr(replay, "stands_in_for_torch", False)
        if replay not in {PythonGraph.replay, torch.cuda.CUDAGraph.replay} and not stands_in:
            reason = f"its class {type(graph).__qualname__} replays in its own way"
        elif "replay" in vars(graph):
            reason = "it replays in its own way: its replay was replaced"
        if reason:
            shared: SharedGraph = DelegatedGraph(
                registry, graph, device=device, name=name, node_count=node_count, reason=reason
            )
        else:
            shared = _take_over(registry, graph, raw, device=device, name=name)
        # The torch graph too: the memory that its kernels use lives no longer than it does. One of the drop-in is only
        # replayed through itself, and is removed after it was collected.
        return registry._adopt(shared, (None if stands_in else graph, keep_alive))


def _put_back(graph: Any, driver: _core.Driver, raw: int, clone: int) -> None:
    """Make torch's graph do again what was captured, after its nodes were taken; else let each use of it raise."""
    try:
        _core.restore_graph(driver, raw, clone)
        RawGraph.instantiate(graph)  # in place of an executable that may have been made of the empty graph
    except (GraphDedupError, RuntimeError):
        TakenOver(graph, driver, clone).install_retired(graph)


def _take_over(registry: Registry, graph: Any, raw: int, *, device: int, name: str) -> SharedGraph:
    driver, core = registry._driver, registry._core
    clone = _core.clone_graph(driver, raw)
    owner = _Clone(driver, clone)
    # What may fail comes first, while torch's graph is still whole.
    member = core.add(clone, name=name, keep_alive=owner)
    try:
        _core.empty_graph(driver, raw)
        RawGraph.instantiate(graph)
        if uses_random_numbers(graph) or has_replay_work_in_python(graph):
            # Whether a prologue is needed shows only now.
            member.set_prologue(make_prologue(graph, device))
    except BaseException:
        _put_back(graph, driver, raw, clone)
        member.remove()
        raise
    taken_over = TakenOver(graph, driver, clone)
    shared = _TakenOverGraph(registry, member, device, taken_over)
    taken_over.install(graph, shared)
    return shared
