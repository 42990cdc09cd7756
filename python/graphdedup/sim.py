"""The simulated driver: a look-alike of libcuda for machines without a GPU.

It is a library that graphdedup loads as it would load libcuda. It keeps graphs and executables, and a launch notes what
a real driver would run, mistakes of real drivers included; `profiles` names the drivers that it can be. There is one
simulation in a process, and `driver` starts it anew: handles of before are stale then, and registries of before must be
closed.

Example:
    >>> from graphdedup import Registry, recorded, sim
    >>> driver = sim.driver()
    >>> graph = sim.build(recorded.load_graph("layer0_b001.json.gz").snapshot)
    >>> with Registry(driver=driver) as registry:
    ...     registry.register(graph).replay()
    >>> sim.launches()[0].kind
    'kernel'
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphdedup import _core
from graphdedup._arguments import checked_int, checked_text

if TYPE_CHECKING:
    from graphdedup._core import Driver, Snapshot

DEFAULT_PROFILE = "driver580-h200"
# Fields of a launch that two runs of one graph differ in.
_CIRCUMSTANCES = ("launch_index", "exec_id", "stream", "after_upload")
UNKNOWN_ERROR = 999
"""``CUDA_ERROR_UNKNOWN``"""


@dataclass(frozen=True)
class Launch:
    """One node that ran, with what it really ran. What does not belong to its kind is zero.

    Attributes:
        launch_index: Number of the launch that it was part of, from 0.
        exec_id: Of the executable, never used again.
        stream: Handle of the stream.
        device: Ordinal of the stream's device.
        depth: 0, or how deep in child graphs.
        kind: Kind of node: ``"kernel"``, ``"memcpy"``, ``"memset"``, ``"host"``, ...
        node_index: In its graph, in the order of creation.
        after_upload: The executable had been uploaded since it was made or last changed.
        function_name: Name of the kernel function.
        function: Handle of the kernel function.
        grid: Blocks, x, y, z.
        block: Threads of a block, x, y, z.
        shared_memory_bytes: Dynamic shared memory.
        cluster: The shape in effect, which need not be the one captured: drivers leave it as it was in an update. All 0
            without one.
        cluster_scheduling_policy: As in effect.
        cooperative: As in effect.
        priority: As in effect.
        arguments: The parameter buffer.
        source: Address that a copy reads.
        destination: Address that a copy or a fill writes.
        source_memory_type: ``CUmemorytype``.
        destination_memory_type: ``CUmemorytype``.
        value: What a fill writes.
        element_size_bytes: Of a fill.
        pitch_bytes: Of a fill.
        width: Of a copy in bytes, of a fill in elements.
        height: Rows.
        depth_count: Slices of a copy.
        host_function: Of a host node.
        user_data: Of a host node.
        event: Of an event node.
    """

    launch_index: int
    exec_id: int
    stream: int
    device: int
    depth: int
    kind: str
    node_index: int
    after_upload: bool
    function_name: str
    function: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_memory_bytes: int
    cluster: tuple[int, int, int]
    cluster_scheduling_policy: int
    cooperative: bool
    priority: int
    arguments: bytes
    source: int
    destination: int
    source_memory_type: int
    destination_memory_type: int
    value: int
    element_size_bytes: int
    pitch_bytes: int
    width: int
    height: int
    depth_count: int
    host_function: int
    user_data: int
    event: int

    def effect(self) -> Launch:
        """Return what ran, without by which executable, in which launch and on which stream: equal for equal work."""
        return dataclasses.replace(self, launch_index=0, exec_id=0, stream=0, after_upload=False)


def profiles() -> list[str]:
    """Return the drivers that the simulation can be."""
    return _core.sim.profiles()


def driver(profile: str = DEFAULT_PROFILE) -> Driver:
    """Start the simulation anew and return its driver, for `Registry(driver=...)`.

    Args:
        profile: One of `profiles`: how the driver behaves.

    Raises:
        InvalidArgumentError: There is no such profile.
        DriverNotFoundError: The package was built without the simulated driver.
    """
    return _core.sim.open(profile)


def build(snapshot: Snapshot) -> int:
    """Build a graph in the simulation from a recorded or walked one, and return its ``CUgraph`` value."""
    return _core.sim.build(snapshot)


def launches() -> list[Launch]:
    """Return what ran since the simulation was started or the log cleared, in order."""
    return [Launch(**record) for record in _core.sim.launch_log()]


def effects() -> list[dict[str, Any]]:
    """Return what `Launch.effect` says of each node that ran, by name: for comparing long logs, which is faster so."""
    records = _core.sim.launch_log()
    for record in records:
        for name in _CIRCUMSTANCES:
            del record[name]
    return records


def clear_launches() -> None:
    """Forget what ran."""
    _core.sim.clear_log()


def fail(symbol: str, *, nth: int = 1, status: int = UNKNOWN_ERROR, count: int = 1) -> None:
    """Make calls of a driver function fail.

    Args:
        symbol: The function without a version suffix, such as ``"cuGraphLaunch"``.
        nth: The first call to fail; 1 is the next one.
        status: The ``CUresult`` to return.
        count: How many calls fail; 0 means all from then on.

    Raises:
        InvalidArgumentError: There is no such function.
    """
    operation = "sim.fail"
    _core.sim.fail(
        checked_text(operation, "symbol", symbol),
        nth=_count(operation, "nth", nth),
        status=checked_int(operation, "status", status),
        count=_count(operation, "count", count),
    )


def clear_faults() -> None:
    """End all faults that `fail`, `refuse_every` and the behaviour ``"sticky_error"`` asked for."""
    _core.sim.clear_faults()


def refuse_every(nth: int, *, reason: int = 5) -> None:
    """Refuse every nth update from now on; 0 refuses none.

    Args:
        nth: How often.
        reason: The ``CUgraphExecUpdateResult`` to give; 5 is "parameters changed".
    """
    operation = "sim.refuse_every"
    _core.sim.refuse_every(_count(operation, "nth", nth), checked_int(operation, "reason", reason))


def set_memory_limit(size_bytes: int) -> None:
    """Set the size of each device's memory, which executables and allocations share."""
    _core.sim.set_memory_limit(_count("sim.set_memory_limit", "size_bytes", size_bytes))


def set_behaviour(name: str, value: int) -> None:
    """Change one behaviour of the driver that runs now.

    Args:
        name: ``"stale_attributes"``, ``"readable_attributes"`` (masks of attribute ids), ``"stale_static_cluster"``,
            ``"honours_preferred_cluster"``, ``"refusal_is_partial"``, ``"handle_reuse"``, ``"address_checks"``,
            ``"launches_held"``, ``"log_enabled"`` (0 or 1), ``"memory_limit_bytes"``, ``"call_delay_us"``, or
            ``"sticky_error"`` (a ``CUresult`` that every call returns; 0 ends it).
        value: What to set it to.

    Raises:
        InvalidArgumentError: There is no such behaviour.
    """
    operation = "sim.set_behaviour"
    _core.sim.set_behaviour(checked_text(operation, "name", name), _count(operation, "value", value))


def hide_symbol(symbol: str, hidden: bool = True) -> None:
    """Make a driver function impossible to find, as on an older driver, or possible again."""
    _core.sim.hide_symbol(symbol, hidden)


def call_count(symbol: str) -> int:
    """Return how often a driver function was called since the simulation was started, failed calls included."""
    return _core.sim.call_count(symbol)


def counters() -> dict[str, int]:
    """Return what the simulation counts: live objects, calls, bytes. Names end in their unit."""
    return _core.sim.counters()


def misuse() -> str:
    """Describe the last use of the driver that a real one answers with undefined behaviour; empty if there was none."""
    return _core.sim.misuse()


def _count(operation: str, what: str, value: int) -> int:
    return checked_int(operation, what, value, least=0, most=(1 << 64) - 1)
