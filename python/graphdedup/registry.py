"""The registry: graphs that may safely share an executable share one."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from graphdedup import _core
from graphdedup._arguments import checked_int, checked_text, checked_vary, open_driver
from graphdedup.errors import InvalidArgumentError, RegistryClosedError, RegistrySealedError
from graphdedup.explanation import Explanation, explain_members, explain_private
from graphdedup.handles import describe, graph_handle, is_torch_graph
from graphdedup.registry_stats import MemberInfo, RegistryStats, member_from_core, stats_from_core
from graphdedup.shared_graph import SharedGraph
from graphdedup.streams import CurrentStream

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from typing_extensions import Self

Vary: TypeAlias = Literal["arguments", "grid", "kernel"]

AUTO_FREE_ON_LAUNCH = 1
"""``CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH``"""
USE_NODE_PRIORITY = 8
"""``CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY``"""


class Registry:
    """Owns the executables that registered graphs share. All methods may be called from any thread.

    A registry serves one device. Making one touches no device; the driver library is opened. A registry that is no
    longer referenced, by itself or by a `SharedGraph`, closes.

    Example:
        >>> registry = graphdedup.Registry()
        >>> graphs = {}
        >>> for batch_size in (1, 2, 4, 8):
        ...     graph = torch.cuda.CUDAGraph(keep_graph=True)
        ...     with torch.cuda.graph(graph, pool=pool):
        ...         outputs[batch_size] = model(inputs[:batch_size])
        ...     graphs[batch_size] = registry.register(graph, name=f"decode {batch_size}")
        >>> graphs[4].replay()
        >>> registry.stats().executables
        1

    Args:
        vary: What may differ between graphs that share an executable. ``"arguments"``: kernel arguments. ``"grid"``:
            also grid dimensions. ``"kernel"``: also the kernel function, block dimensions and dynamic shared memory.
        execs_per_group: How many executables a group may own, at least 1. With more, several graphs stay loaded; a
            further one is made only when a graph would otherwise lose its own. None: 1, or as many as
            ``memory_budget_bytes`` allows where that is given.
        memory_budget_bytes: Device memory that all executables of the registry may take together, in bytes; None for no
            limit. Counted in nodes, at a price a node that is measured once on the device, which takes some 20 ms
            (`RegistryStats.bytes_per_node`). The first executable of a group is made in any case.
        lazy: Instantiate at the first replay instead of at registration.
        instantiate_flags: Flags for ``cuGraphInstantiateWithParams``: any of `AUTO_FREE_ON_LAUNCH` and
            `USE_NODE_PRIORITY`. None: those that ``torch.cuda.CUDAGraph`` of the installed release passes
            (AUTO_FREE_ON_LAUNCH, and USE_NODE_PRIORITY from torch 2.10 on, by its sources); both without torch.
        device: Device ordinal or ``torch.device``. None: the one that is current when the first graph is registered.
        driver: A `Driver`, or the path of a driver library. None: the environment variable ``GRAPHDEDUP_DRIVER``, else
            ``libcuda.so.1``.

    Raises:
        InvalidArgumentError: An argument has a value that cannot be.
        DriverNotFoundError: There is no usable driver.
    """

    def __init__(  # noqa: PLR0917 - the options of the documented call
        self,
        vary: Vary = "kernel",
        execs_per_group: int | None = None,
        lazy: bool = False,
        instantiate_flags: int | None = None,
        device: Any = None,
        driver: _core.Driver | str | os.PathLike[str] | None = None,
        memory_budget_bytes: int | None = None,
    ) -> None:
        self._device = _ordinal(device)
        flags = default_instantiate_flags() if instantiate_flags is None else instantiate_flags
        self._driver = open_driver("Registry", driver)
        self._core = _core.Registry(
            self._driver,
            vary=checked_vary(vary),
            execs_per_group=_optional_int("execs_per_group", execs_per_group),
            memory_budget_bytes=_budget(memory_budget_bytes),
            lazy=bool(lazy),
            instantiate_flags=checked_int("Registry", "instantiate_flags", flags),
            device=-1 if self._device is None else self._device,
        )
        self._vary = vary
        self._lock = threading.RLock()  # over the two tables; taken before any lock of the core
        self._graphs: dict[int, SharedGraph] = {}
        self._delegated: dict[int, SharedGraph] = {}
        # What a graph needs alive, by its id: here, because Python's garbage collection cannot see into the core.
        self._kept: dict[int, object] = {}
        self._delegated_count = 0
        self._delegated_replays = 0
        self._forked = False
        _REGISTRIES.add(self)

    def register(self, graph: object, *, name: str = "", keep_alive: object = None) -> SharedGraph:
        """Register a captured graph.

        The first graph of its kind is instantiated. A further one updates the live executable, which is the driver's
        own check that the two may share, and is then loaded; if the driver refuses, the graph gets an executable of its
        own.

        A torch graph is taken over: its nodes move to a copy that graphdedup owns, and its own ``replay()`` from now on
        is the shared one; it keeps the registry alive. Random numbers stay those of torch. So do hooks around a replay
        if there is one when the graph is registered; hooks that are added to a graph without any do not run.
        ``torch.cuda.CUDAGraph.replay(graph)``, called on the class, would run an empty graph. A graph that may not
        share by rule, that cannot be copied (``cuGraphClone`` takes no memory and no conditional nodes), or that has
        a ``replay`` of its own or of its class's, is left to torch as it is and only counted.

        Any other graph must not be changed or destroyed before it is removed or the registry closes: an update reads
            it.

        Args:
            graph: ``torch.cuda.CUDAGraph(keep_graph=True)`` after its capture (torch 2.8 or newer), an int handle, a
                ``cuda.bindings`` ``CUgraph`` or ``cudaGraph_t``, a ``cuda.core`` graph definition or ended builder, or
                a ``cupy.cuda.Graph``.
            name: For messages and statistics; need not be unique.
            keep_alive: An object to hold until the graph is removed or the registry closes, such as the owner of the
                memory that its kernels use. The graph object itself is held anyway. Either may refer back to the
                registry or to what this returns.

        Raises:
            InvalidGraphError: Null, not captured yet, captured without ``keep_graph=True``, reset, registered before.
            InvalidArgumentError: Not a graph.
            WrongDeviceError: Of another device or context than the registry.
            RegistrySealedError, RegistryClosedError: No more graphs.
            OutOfDeviceMemoryError, DriverError: The driver failed. Nothing has changed then.
        """
        operation = "Registry.register"
        checked_text(operation, "name", name)
        with self._lock:
            self._require_open(describe(graph))
            if is_torch_graph(graph):
                from graphdedup.torch.adapter import register  # noqa: PLC0415 - needs torch, which is loaded here

                return register(self, graph, name=name, keep_alive=keep_alive)
            handle = graph_handle(graph, operation)
            member = self._core.add(handle.value, name=name)
            # The device that the first graph bound, whichever is current at a replay.
            shared = SharedGraph(self, member, CurrentStream(self._core.device))
            return self._adopt(shared, (handle.owner, keep_alive))

    def seal(self) -> None:
        """Take no more graphs. Idempotent."""
        self._core.seal()

    def close(self) -> None:
        """Destroy every executable and let go of every graph. Idempotent.

        Waits for calls that are under way in other threads, not for the device: an executable that runs is freed by the
            driver
        when it is done. Does nothing in a child made by ``fork()``, which has no CUDA context.
        """
        if self._forked:
            return
        with self._lock:
            graphs = [*self._graphs.values(), *self._delegated.values()]
            kept, self._kept = self._kept, {}
            self._graphs.clear()
            self._delegated.clear()
            for graph in graphs:
                graph._registry_closed()
        self._core.close()
        kept.clear()  # not before: a replay that was under way may have used it

    @property
    def sealed(self) -> bool:
        """True after `seal`."""
        return self._core.sealed

    @property
    def closed(self) -> bool:
        """True after `close`."""
        return self._core.closed

    @property
    def driver(self) -> _core.Driver:
        """The driver that this registry talks to."""
        return self._driver

    def stats(self) -> RegistryStats:
        """Return counts and times. Also after `close`."""
        with self._lock:
            return stats_from_core(
                self._core.stats(),
                delegated=len(self._delegated),
                delegated_replays=self._delegated_replays,
                private_graphs=tuple((m.name, m.private_reason) for m in self.members() if m.private_reason),
            )

    def members(self) -> list[MemberInfo]:
        """Return all registered graphs by rising id, those left to torch last."""
        with self._lock:
            left_to_torch = [
                MemberInfo(g.id, g.name, g.group, g.node_count, g.loaded, g.private_reason)
                for g in self._delegated.values()
            ]
        return [member_from_core(m) for m in self._core.members()] + left_to_torch

    def explain(self, first: SharedGraph, second: SharedGraph) -> Explanation:
        """Say what keeps two registered graphs apart: reads both again and names the first field that differs.

        Example:
            >>> print(registry.explain(graphs[1], graphs[16]))
            node 2, kernel: cluster dimension: (4, 1, 1) in the first, (2, 1, 1) in the second
            no vary would let them share

        Raises:
            RegistryClosedError: One of them is not registered here (any more).
            InvalidArgumentError: One of them is no `SharedGraph`.
            DriverError: A graph cannot be read.
        """
        self._require_mine("first", first)
        self._require_mine("second", second)
        if min(first.id, second.id) < 0:  # left to torch
            return explain_private(first.private_reason, second.private_reason)
        return explain_members(self._core, first._member, second._member)

    def cheapest(self, candidates: Iterable[SharedGraph]) -> SharedGraph:
        """Return the graph whose replay would cost least now: for runners that may choose what to pad to.

        One that is loaded comes first, then one that is being prepared, then the one with the fewest nodes to update;
        of equals the first. Another thread may change that at once.

        Example:
            >>> registry.cheapest([graphs[72], graphs[80]]).replay()

        Raises:
            InvalidArgumentError: There is no candidate, or one is no `SharedGraph`.
            RegistryClosedError: One of them is not registered here (any more).
        """
        graphs = list(candidates)
        for graph in graphs:
            self._require_mine("candidates", graph, "Registry.cheapest")
        own = [graph for graph in graphs if graph.id >= 0]
        if len(own) < len(graphs):  # an executable of torch's always holds its graph
            return next(graph for graph in graphs if graph.id < 0 or graph.loaded)
        return own[self._core.cheapest([graph._member for graph in own])]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        stats = self.stats()
        state = "closed" if self.closed else f"{stats.graphs} graphs, {stats.executables} executables"
        return f"<Registry {state}>"

    def _require_open(self, what: str) -> None:
        operation = "Registry.register"
        if self._forked:
            why = "the registry was made before this process was forked"
            raise RegistryClosedError(f"{operation}: {what}: {why}", operation=operation, object=what)
        if self._core.closed:
            raise RegistryClosedError(f"{operation}: {what}: the registry is closed", operation=operation, object=what)
        if self._core.sealed:
            raise RegistrySealedError(f"{operation}: {what}: the registry is sealed", operation=operation, object=what)

    def _require_mine(self, which: str, graph: object, operation: str = "Registry.explain") -> None:
        if not isinstance(graph, SharedGraph):
            what = f"{type(graph).__module__}.{type(graph).__qualname__} object"
            raise InvalidArgumentError(
                f"{operation}: {which}: takes a SharedGraph, not a {what}", operation=operation, object=which
            )
        with self._lock:
            mine = graph._registry is self and (graph.id in self._graphs or graph.id in self._delegated)
        if not mine:
            what = f"member {graph.id} ({graph.name})"
            raise RegistryClosedError(
                f"{operation}: {what}: it is not registered here: it is another registry's, was removed, or this "
                "registry is closed",
                operation=operation,
                object=what,
            )

    def _adopt(self, graph: SharedGraph, kept: object) -> SharedGraph:
        with self._lock:
            (self._graphs if graph.id >= 0 else self._delegated)[graph.id] = graph
            self._kept[graph.id] = kept
        return graph

    def _remove(self, graph: SharedGraph) -> None:
        if self._forked:
            return
        with self._lock:
            self._graphs.pop(graph.id, None)
            self._delegated.pop(graph.id, None)
            kept = self._kept.pop(graph.id, None)
        graph._release()
        del kept  # not before: a replay that was under way may have used it

    def _follow_fork(self) -> None:
        """Be of no more use, and wait for no lock: a thread that is not in the child may have held it."""
        self._lock = threading.RLock()
        self._forked = True

    def _next_delegated_id(self) -> int:
        with self._lock:
            self._delegated_count += 1
            return -self._delegated_count

    def _count_delegated_replay(self) -> None:
        with self._lock:
            self._delegated_replays += 1


_REGISTRIES: weakref.WeakSet[Registry] = weakref.WeakSet()


def _follow_fork() -> None:
    for registry in list(_REGISTRIES):
        registry._follow_fork()


os.register_at_fork(after_in_child=_follow_fork)


def default_instantiate_flags() -> int:
    """Return the flags that the installed torch's ``CUDAGraph`` instantiates with. Does not import torch."""
    torch = sys.modules.get("torch")
    version = getattr(torch, "__version__", None)
    if version is None:
        try:
            version = metadata.version("torch")
        except metadata.PackageNotFoundError:
            return AUTO_FREE_ON_LAUNCH | USE_NODE_PRIORITY
    major, minor = (int(part) for part in str(version).split(".")[:2])
    return AUTO_FREE_ON_LAUNCH | (USE_NODE_PRIORITY if (major, minor) >= (2, 10) else 0)


def _optional_int(name: str, value: object) -> int | None:
    return None if value is None else checked_int("Registry", name, value)


def _budget(value: object) -> int:
    """Check a memory budget; the core takes 0 for none."""
    if value is None:
        return 0
    return checked_int("Registry", "memory_budget_bytes", value, least=1, most=(1 << 63) - 1)


def _ordinal(device: Any) -> int | None:
    """Read a device ordinal, an object with an ``index`` such as ``torch.device``, or None."""
    index = device if device is None or isinstance(device, int) else getattr(device, "index", device)
    if device is None or (getattr(device, "type", None) == "cuda" and index is None):
        return None
    ordinal = checked_int("Registry", "device", index)
    if ordinal < 0 or getattr(device, "type", "cuda") != "cuda":
        raise InvalidArgumentError(
            f"Registry: device: must be the ordinal of a CUDA device, not {device!r}",
            operation="Registry",
            object="device",
        )
    return ordinal
