"""What the drop-in knows: its registries, the graphs that it left to torch, and removals that wait."""

from __future__ import annotations

import os
import threading
import weakref
from collections import Counter, deque
from typing import TYPE_CHECKING, Any

from graphdedup.registry import Registry

if TYPE_CHECKING:
    from graphdedup.shared_graph import SharedGraph

given: list[tuple[Registry | None, dict[str, Any]]] = []
"""Registry and options of each installation in force, the innermost last."""
registries: dict[int, Registry] = {}
"""Made by the drop-in, one a device."""
private: Counter[str] = Counter()
"""Graphs left to torch so far, by reason."""
_gone: deque[SharedGraph] = deque()
_making = threading.Lock()  # two threads must not make two registries for one device


def _renew_lock() -> None:
    """Follow a fork: a thread that is not in the child may have held the lock."""
    global _making  # noqa: PLW0603
    _making = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)


def registry() -> Registry:
    """Return the registry in force, which is made at the first use of a device where none was given."""
    import torch  # noqa: PLC0415 - loaded by whoever captures

    own, options = given[-1] if given else (None, {})
    if own is not None:
        return own
    device = torch.cuda.current_device()
    with _making:
        found = registries.get(device)
        if found is None or found.closed or found._forked:
            found = registries[device] = Registry(**{"device": device, **options})
        return found


def follow(graph: object, shared: SharedGraph) -> None:
    """Let the registry forget a graph after it was collected. The finalizer only notes it: a capture may be on."""
    weakref.finalize(graph, _gone.append, shared).atexit = False


def drain() -> None:
    """Remove the graphs that were collected. To be called outside captures."""
    while _gone:
        try:
            shared = _gone.popleft()
        except IndexError:  # another thread was faster
            return
        shared.remove()


def count_private(reason: str) -> None:
    """Note a graph that was left to torch."""
    private[reason] += 1
