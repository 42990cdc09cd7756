"""
The C++ core of graphdedup. Not a public interface: use the package.
"""

from __future__ import annotations
import collections.abc
import typing
from . import testing
from . import sim

__all__: list[str] = [
    "DoctorFinding",
    "DoctorReport",
    "Driver",
    "FunctionTable",
    "MemberInfo",
    "Recorder",
    "Registry",
    "SharedGraph",
    "SharingExplanation",
    "Snapshot",
    "Stats",
    "clone_graph",
    "debug_dump",
    "destroy_graph",
    "empty_graph",
    "examine",
    "explain",
    "graph_node_kinds",
    "group",
    "is_dot",
    "is_function_table",
    "prevent_driver_calls",
    "private_causes",
    "private_reason",
    "read_dot",
    "read_function_table",
    "read_graph",
    "restore_graph",
    "set_log_sink",
    "sharing_rules",
    "sign",
    "sim",
    "testing",
    "walk",
]

class Driver:
    """
    A loaded CUDA driver library.
    """
    @staticmethod
    def open(path: str = "") -> Driver:
        """
        Open the driver at `path`; empty: GRAPHDEDUP_DRIVER, else libcuda.so.1. Raises DriverNotFoundError.
        """
    def device_count(self) -> int:
        """
        Number of devices; calls cuInit.
        """
    def device_name(self, ordinal: typing.SupportsInt | typing.SupportsIndex) -> str:
        """
        Name of a device; calls cuInit.
        """
    @property
    def path(self) -> str:
        """
        The library's path.
        """
    @property
    def version(self) -> int:
        """
        1000 * major + 10 * minor of the newest CUDA supported.
        """

class Snapshot:
    """
    A captured graph as plain data.
    """
    @property
    def exact(self) -> bool:
        """
        False if the source left out what the sharing rules look at (a DOT dump).
        """
    @property
    def node_count(self) -> int:
        """
        Nodes, those of child graphs not counted.
        """
    @property
    def node_kinds(self) -> list[str]:
        """
        Kind of each node, in order.
        """

class FunctionTable:
    """
    The functions of a recorded set.
    """
    @property
    def meta(self) -> str:
        """
        What the recording says of itself, as JSON text; may be empty.
        """

class Recorder:
    """
    Writes graphs of one set in the recorded form.
    """
    def __init__(self) -> None: ...
    def write_function_table(self, meta: str = "") -> str:
        """
        JSON text of the functions of all graphs written so far.
        """
    def write_graph(self, snapshot: Snapshot) -> str:
        """
        JSON text of one graph.
        """

class MemberInfo:
    """
    What is known of one registered graph.
    """
    @property
    def group(self) -> int: ...
    @property
    def id(self) -> int: ...
    @property
    def loaded(self) -> bool: ...
    @property
    def name(self) -> str: ...
    @property
    def node_count(self) -> int: ...
    @property
    def private_reason(self) -> str: ...

class Stats:
    """
    Counts and host times of a registry.
    """
    @property
    def bytes_per_node(self) -> int: ...
    @property
    def executable_bytes(self) -> int: ...
    @property
    def executable_count(self) -> int: ...
    @property
    def fallback_count(self) -> int: ...
    @property
    def first_load_count(self) -> int: ...
    @property
    def graph_count(self) -> int: ...
    @property
    def group_count(self) -> int: ...
    @property
    def hit_count(self) -> int: ...
    @property
    def instantiate_ns(self) -> int: ...
    @property
    def instantiation_count(self) -> int: ...
    @property
    def prepare_count(self) -> int: ...
    @property
    def prepare_failure_count(self) -> int: ...
    @property
    def private_count(self) -> int: ...
    @property
    def refusal_count(self) -> int: ...
    @property
    def register_ns(self) -> int: ...
    @property
    def replay_count(self) -> int: ...
    @property
    def sign_ns(self) -> int: ...
    @property
    def switch_count(self) -> int: ...
    @property
    def update_ns(self) -> int: ...

class SharingExplanation:
    """
    Why two members share or do not.
    """
    @property
    def field(self) -> str: ...
    @property
    def first_kernel(self) -> str: ...
    @property
    def first_private(self) -> str: ...
    @property
    def first_value(self) -> str: ...
    @property
    def may_share(self) -> bool: ...
    @property
    def same_group(self) -> bool: ...
    @property
    def second_kernel(self) -> str: ...
    @property
    def second_private(self) -> str: ...
    @property
    def second_value(self) -> str: ...
    @property
    def shared_at(self) -> str: ...
    @property
    def where(self) -> str: ...

class SharedGraph:
    """
    One registered graph.
    """
    def debug_dump(self, path: str, flags: typing.SupportsInt | typing.SupportsIndex = 1) -> None:
        """
        Write a DOT file, while no replay reads the graph.
        """
    def info(self) -> MemberInfo:
        """
        What is known of this graph.
        """
    def prepare(self, stream: typing.SupportsInt | typing.SupportsIndex) -> None:
        """
        Load and upload on a CUstream value; see graphdedup.SharedGraph.
        """
    def prepare_in_background(self) -> None:
        """
        Load and upload in a thread of the registry's.
        """
    def remove(self) -> None:
        """
        Forget this graph. Idempotent.
        """
    def replay(self, stream: typing.SupportsInt | typing.SupportsIndex) -> None:
        """
        Run the graph on a CUstream value; see graphdedup.SharedGraph.
        """
    def set_prologue(self, prologue: typing.Any) -> None:
        """
        Call `prologue(stream)` before each launch; None ends that.
        """
    def walk(self) -> Snapshot:
        """
        The graph as plain data, read while no replay reads it.
        """
    @property
    def id(self) -> int:
        """
        Id of the member, never reused.
        """
    @property
    def loaded(self) -> bool:
        """
        True if an executable holds this graph now.
        """

class Registry:
    """
    Graphs that share executables.
    """
    def __init__(
        self,
        driver: Driver,
        *,
        vary: str = "kernel",
        execs_per_group: typing.SupportsInt | typing.SupportsIndex | None = None,
        memory_budget_bytes: typing.SupportsInt | typing.SupportsIndex = 0,
        lazy: bool = False,
        instantiate_flags: typing.SupportsInt | typing.SupportsIndex = 9,
        device: typing.SupportsInt | typing.SupportsIndex = -1,
    ) -> None: ...
    def add(
        self,
        graph: typing.SupportsInt | typing.SupportsIndex,
        *,
        name: str = "",
        keep_alive: typing.Any = None,
        prologue: typing.Any = None,
    ) -> SharedGraph:
        """
        Register a CUgraph value.
        """
    def cheapest(self, candidates: collections.abc.Sequence[SharedGraph]) -> int:
        """
        Index of the graph whose replay would cost least now.
        """
    def close(self) -> None:
        """
        Let go of everything. Idempotent.
        """
    def explain(self, first: SharedGraph, second: SharedGraph) -> SharingExplanation:
        """
        The first field that keeps two members apart.
        """
    def members(self) -> list[MemberInfo]:
        """
        All members by rising id.
        """
    def seal(self) -> None:
        """
        No more registrations. Idempotent.
        """
    def stats(self) -> Stats:
        """
        Counts and times.
        """
    @property
    def closed(self) -> bool: ...
    @property
    def device(self) -> int:
        """
        Ordinal of the device that the first graph bound; -1 before.
        """
    @property
    def sealed(self) -> bool: ...

class DoctorFinding:
    """
    One thing that was tried.
    """
    @property
    def detail(self) -> str: ...
    @property
    def holds(self) -> bool: ...
    @property
    def name(self) -> str: ...
    @property
    def needed(self) -> bool: ...

class DoctorReport:
    """
    What a driver and device do, and what follows.
    """
    @property
    def compute_capability(self) -> int: ...
    @property
    def consequences(self) -> list[str]: ...
    @property
    def device(self) -> int: ...
    @property
    def device_name(self) -> str: ...
    @property
    def driver_path(self) -> str: ...
    @property
    def driver_version(self) -> int: ...
    @property
    def findings(self) -> list[DoctorFinding]: ...
    @property
    def may_share(self) -> bool: ...
    @property
    def missing_symbols(self) -> list[str]: ...
    @property
    def preferred_cluster_accepted(self) -> bool: ...
    @property
    def preferred_cluster_honoured(self) -> bool: ...
    @property
    def preferred_cluster_readable(self) -> bool: ...
    @property
    def symbol_count(self) -> int: ...

def clone_graph(driver: Driver, graph: typing.SupportsInt | typing.SupportsIndex) -> int:
    """
    A copy of the graph (cuGraphClone).
    """

def debug_dump(
    driver: Driver,
    graph: typing.SupportsInt | typing.SupportsIndex,
    path: str,
    flags: typing.SupportsInt | typing.SupportsIndex = 1,
) -> None:
    """
    Write a DOT file; `flags` are CUgraphDebugDot_flags, 1 is verbose.
    """

def destroy_graph(driver: Driver, graph: typing.SupportsInt | typing.SupportsIndex) -> None:
    """
    Destroy the graph.
    """

def empty_graph(driver: Driver, graph: typing.SupportsInt | typing.SupportsIndex) -> None:
    """
    Destroy every node of the graph.
    """

def examine(driver: Driver, device: typing.SupportsInt | typing.SupportsIndex = 0) -> DoctorReport:
    """
    Try out what sharing leans on.
    """

def explain(first: Snapshot, second: Snapshot, vary: str) -> dict[str, str]:
    """
    What keeps two graphs apart, as texts by name.
    """

def graph_node_kinds(driver: Driver, graph: typing.SupportsInt | typing.SupportsIndex) -> list[str]:
    """
    Kind of each node, in order.
    """

def group(snapshots: collections.abc.Sequence[Snapshot], vary: str) -> list[list[int]]:
    """
    Indices of graphs that may share, in order of first appearance.
    """

def is_dot(text: bytes) -> bool:
    """
    True if the text starts like a DOT file.
    """

def is_function_table(text: bytes) -> bool:
    """
    True if the text looks like a function table rather than a graph.
    """

def prevent_driver_calls() -> None:
    """
    From now on no driver call is made: what is held is leaked. For the exit of the interpreter. Waits for a prepare that is under way.
    """

def private_causes() -> list[tuple[str, str]]:
    """
    What keeps a graph from sharing at all: reason, why.
    """

def private_reason(driver: Driver, graph: typing.SupportsInt | typing.SupportsIndex) -> tuple[str, int]:
    """
    Why a live graph shares with nobody, or '', and its number of nodes. `graph` is a CUgraph value.
    """

def read_dot(text: bytes, origin: str) -> Snapshot:
    """
    Read a verbose DOT dump of CUDA. Raises FormatError.
    """

def read_function_table(
    text: bytes, origin: str, set_number: typing.SupportsInt | typing.SupportsIndex = 0
) -> FunctionTable:
    """
    Read a function table. Raises FormatError.
    """

def read_graph(text: bytes, functions: FunctionTable, origin: str) -> Snapshot:
    """
    Read a recorded graph. Raises FormatError.
    """

def restore_graph(
    driver: Driver, graph: typing.SupportsInt | typing.SupportsIndex, clone: typing.SupportsInt | typing.SupportsIndex
) -> None:
    """
    Make an emptied graph do again what its clone does.
    """

def set_log_sink(sink: typing.Any) -> None:
    """
    Send the log to `sink(is_warning, message)`; None: warnings to stderr.
    """

def sharing_rules() -> list[tuple[str, str, str, str]]:
    """
    The table of rules: subject, field, treatment, why.
    """

def sign(snapshot: Snapshot, vary: str) -> tuple[bytes, str]:
    """
    128-bit digest, and why the graph is private or ''.
    """

def walk(driver: Driver, graph: typing.SupportsInt | typing.SupportsIndex) -> Snapshot:
    """
    Read a live graph, arguments and names too. `graph` is a CUgraph value.
    """

__version__: str = "0.1.0"
