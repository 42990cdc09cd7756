"""Hypothesis strategies for recorded graphs, as plain data of the recorded form, and for changes of one field."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphdedup import _core
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Graph = dict[str, Any]
Node = dict[str, Any]
Draw = Any  # hypothesis.strategies.DrawFn, whose type parameters say nothing here

LEVELS = ("arguments", "grid", "kernel")
ALWAYS = frozenset(LEVELS)
UNLESS_GRIDS_VARY = frozenset({"arguments"})
UNLESS_KERNELS_VARY = frozenset({"arguments", "grid"})
NEVER: frozenset[str] = frozenset()

# ---- functions: several of one name

_FACTS = {
    "num_regs": 32,
    "max_dynamic_shared_bytes": 49152,
    "preferred_shared_memory_carveout": -1,
    "cluster_size_must_be_set": 0,
    "required_cluster_width": 0,
    "required_cluster_height": 0,
    "required_cluster_depth": 0,
    "non_portable_cluster_size_allowed": 0,
    "cluster_scheduling_policy": 0,
}


def _function(number: int, name: str, layout: list[list[int]] | None, cluster: tuple[int, int, int] = (0, 0, 0)) -> Any:
    width, height, depth = cluster
    shape = {"required_cluster_width": width, "required_cluster_height": height, "required_cluster_depth": depth}
    return {"id": number, "name": name, "param_layout": layout, "attributes": {**_FACTS, **shape}}


_TWO = [[0, 8], [8, 4]]
_PADDED = [[0, 8], [16, 4], [24, 24]]
FUNCTIONS = [
    _function(0, "gemm", _TWO),
    _function(1, "gemm", _TWO),
    _function(2, "gemm", _PADDED),
    _function(3, "softmax", _PADDED),
    _function(4, "no_arguments", []),
    _function(5, "unknown_layout", None),
    _function(6, "tiled", _TWO, (2, 1, 1)),
    _function(7, "tiled", _TWO, (2, 1, 1)),
    _function(8, "tiled", _TWO, (1, 2, 1)),
    _function(9, "tiled", _TWO, (1, 1, 2)),
]
_SAME_FACTS = {0: 1, 1: 0, 2: 3, 3: 2, 6: 7, 7: 6}
_OTHER_CLUSTER = {0: 6, 1: 8, 6: 8, 7: 9, 8: 9, 9: 0}
TABLE = _core.read_function_table(json.dumps({"functions": FUNCTIONS}).encode(), "functions")

# ---- launch attributes: the value of a fresh node, and others

_WINDOW = {"base_ptr": 0, "num_bytes": 0, "hit_ratio": 0.0, "hit_property": 0, "miss_property": 0}
ATTRIBUTES: dict[str, tuple[int, Any, list[Any]]] = {
    "access_policy_window": (1, _WINDOW, [{**_WINDOW, "num_bytes": 4096}, {**_WINDOW, "hit_ratio": 0.5}]),
    "cooperative": (2, 0, [1]),
    "cluster_dimension": (4, [0, 0, 0], [[2, 1, 1], [4, 1, 1], [1, 2, 1], [1, 1, 2]]),
    "cluster_scheduling_policy": (5, 1, [0, 2]),
    "priority": (8, 0, [-1, -5, 3]),
    "mem_sync_domain_map": (9, [0, 1], [[1, 0], [1, 1]]),
    "mem_sync_domain": (10, 0, [1]),
    "preferred_cluster_dimension": (11, [0, 0, 0], [[4, 1, 1], [2, 2, 1]]),
    "device_updatable": (13, 0, [1]),
    "shared_memory_carveout": (14, 0, [25, 50]),
    "nvlink_util_centric_scheduling": (16, 0, [1]),
    "portable_cluster_size_mode": (17, 0, [1]),
    "shared_memory_mode": (18, 0, [1]),
    "attribute_25": (25, "00" * 64, ["01" + "00" * 63, "00" * 63 + "01"]),
}
EVERY_ATTRIBUTE = sum(1 << number for number, _, _ in ATTRIBUTES.values())
READABLE_BY_580 = sum(1 << number for number in (1, 2, 4, 5, 8, 9, 10, 13, 14))
_COMMON = [name for name in ATTRIBUTES if name != "device_updatable"]

# ---- nodes

_ADDRESSES = st.sampled_from([0x1000, 0x2000, 0x3000, 0x4000])


def _argument_size_bytes(function: int) -> int:
    layout = FUNCTIONS[function]["param_layout"]
    return layout[-1][0] + layout[-1][1] if layout else 0


@st.composite
def _attributes(draw: Draw) -> dict[str, Any]:
    values = {name: value for name, (_, value, _) in ATTRIBUTES.items()}
    special = draw(st.sampled_from([None] * 6 + ["cluster_dimension"] * 3 + _COMMON + ["device_updatable"]))
    if special is not None:
        values[special] = draw(st.sampled_from(ATTRIBUTES[special][2]))
    if special == "cluster_dimension" and draw(st.booleans()):
        values["preferred_cluster_dimension"] = [4, 2, 1]
    return values


@st.composite
def _kernels(draw: Draw) -> Node:
    function = draw(st.sampled_from([0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9]))
    size_bytes = _argument_size_bytes(function)
    source = draw(st.sampled_from(["kernel_params", "extra"])) if size_bytes else "none"
    node = {
        "type": "kernel",
        "function": function,
        "grid": draw(st.sampled_from([[4, 1, 1], [16, 2, 1], [8, 8, 8]])),
        "block": draw(st.sampled_from([[128, 1, 1], [32, 4, 1], [8, 8, 4]])),
        "shared_memory_bytes": draw(st.sampled_from([0, 1024])),
        "attributes": draw(_attributes()),
        "arguments": source,
    }
    if size_bytes:
        node["argument_bytes"] = draw(st.binary(min_size=size_bytes, max_size=size_bytes)).hex()
    return node


# Small enough for the memory that the simulation stands in with at the first mention of an address.
@st.composite
def _memcpys(draw: Draw) -> Node:
    height, depth = draw(st.sampled_from([(1, 1), (1, 1), (4, 1), (2, 2)]))
    pitch_bytes = 24 if height > 1 or depth > 1 else 0
    operand = {"pitch_bytes": pitch_bytes, "height": height if depth > 1 else 0}
    return {
        "type": "memcpy",
        "src_type": 2,
        "dst_type": 2,
        "width_bytes": draw(st.sampled_from([4, 16])),
        "height": height,
        "depth": depth,
        "src": {"address": draw(_ADDRESSES), **operand},
        "dst": {"address": draw(_ADDRESSES), **operand},
    }


@st.composite
def _memsets(draw: Draw) -> Node:
    height = draw(st.sampled_from([1, 1, 4]))
    return {
        "type": "memset",
        "element_bytes": draw(st.sampled_from([1, 2, 4])),
        "width": draw(st.sampled_from([4, 8])),
        "height": height,
        "value": draw(st.integers(0, 255)),
        "destination": draw(_ADDRESSES),
        "pitch_bytes": 32 if height > 1 else 0,
    }


_HOSTS = st.builds(
    lambda function, user_data: {"type": "host", "function": function, "user_data": user_data},
    st.sampled_from([0x100, 0x200]),
    st.sampled_from([0, 0x10, 0x20]),
)
_EVENTS = st.builds(
    lambda kind, event: {"type": kind, "event": event},
    st.sampled_from(["event_record", "wait_event"]),
    st.sampled_from([0x10, 0x20]),
)
_EMPTY = st.builds(lambda: {"type": "empty"})


@st.composite
def _nodes(draw: Draw, depth: int) -> Node:
    kinds = ["kernel"] * 5 + ["memcpy", "memset", "host", "event", "empty"] + ["graph"] * (depth < 2)
    kind = draw(st.sampled_from(kinds))
    if kind == "graph":
        return {"type": "graph", "child": draw(graphs(most_nodes=3, depth=depth + 1))}
    by_kind = {"kernel": _kernels(), "memcpy": _memcpys(), "memset": _memsets(), "host": _HOSTS, "event": _EVENTS}
    node: Node = draw(by_kind.get(kind, _EMPTY))
    return node


# ---- graphs

_PROGRAMMATIC = [(1, 0, 1), (2, 0, 1)]


@st.composite
def _edges_to(draw: Draw, nodes: list[Node], to: int) -> list[list[int]]:
    if to == 0:
        return []
    some = st.lists(st.integers(0, to - 1), max_size=3, unique=True)
    froms = [to - 1] if draw(st.integers(0, 2)) else draw(some)
    return [[start, to, *_edge_data(draw, nodes[start], nodes[to])] for start in froms]


def _edge_data(draw: Draw, start: Node, end: Node) -> tuple[int, int, int]:
    if start["type"] != "kernel" or end["type"] != "kernel":
        return (0, 0, 0)
    data: tuple[int, int, int] = draw(st.sampled_from([(0, 0, 0)] * 3 + _PROGRAMMATIC))
    return data


@st.composite
def graphs(draw: Draw, most_nodes: int = 40, depth: int = 0) -> Graph:
    """Graphs of every kind of node that can be built from a recording."""
    count = draw(st.integers(1, most_nodes))
    nodes = [draw(_nodes(depth)) for _ in range(count)]
    edges = [edge for to in range(len(nodes)) for edge in draw(_edges_to(nodes, to))]
    return {"nodes": nodes, "edges": edges}


@st.composite
def large_graphs(draw: Draw) -> Graph:
    """Graphs of more than 128 nodes with a fan-out and a fan-in of more than 16."""
    pattern = draw(st.lists(_nodes(2), min_size=1, max_size=5))
    count = draw(st.integers(130, 160))
    width = draw(st.integers(17, 40))
    nodes = [copy.deepcopy(pattern[i % len(pattern)]) for i in range(count)]
    chain = [[i - 1, i, 0, 0, 0] for i in range(1, count - width)]
    fork = count - width - 1
    last = count - 1
    spread = [[fork, i, 0, 0, 0] for i in range(fork + 1, last)]
    joined = [[i, last, 0, 0, 0] for i in draw(st.permutations(range(fork + 1, last)))]
    return {"nodes": nodes, "edges": chain[:fork] + spread + joined}


def snapshot(graph: Graph) -> _core.Snapshot:
    """Read a graph as a recording."""
    return _core.read_graph(json.dumps(graph).encode(), TABLE, "graph")


def as_read(graph: Graph, readable: int) -> Graph:
    """Return the graph as a driver shows it that lets only some attributes be read."""
    shown = copy.deepcopy(graph)
    for node in kernels_of(shown):
        for name, (number, _, _) in ATTRIBUTES.items():
            if readable >> number & 1:
                continue
            if name.startswith("attribute_"):
                del node["attributes"][name]
            else:
                node["attributes"][name] = None
    return shown


# ---- changes

Place = tuple[Graph, int]  # a graph or child graph, and a node of it


def places(graph: Graph) -> Iterator[Place]:
    """Yield every node of a graph and of its child graphs."""
    for index, node in enumerate(graph["nodes"]):
        yield graph, index
        if node["type"] == "graph":
            yield from places(node["child"])


def kernels_of(graph: Graph) -> Iterator[Node]:
    """Yield every kernel node of a graph and of its child graphs."""
    for inner, index in places(graph):
        if inner["nodes"][index]["type"] == "kernel":
            yield inner["nodes"][index]


def is_device_updatable(graph: Graph) -> bool:
    """True if a kernel can be changed from the device."""
    return any(node["attributes"]["device_updatable"] for node in kernels_of(graph))


@dataclass(frozen=True)
class Change:
    """A change of one field, at the places where it is possible.

    `seen`: the levels of `vary` whose signatures differ after it, written down by hand. `buildable`: the changed graph
    can still be built from a recording.
    """

    name: str
    seen: frozenset[str]
    fits: Callable[[Place], bool]
    apply: Callable[[Draw, Place], None]
    buildable: bool = True

    def __repr__(self) -> str:
        return f"<{self.name}>"


def _node(place: Place) -> Node:
    node: Node = place[0]["nodes"][place[1]]
    return node


def _edges_into(place: Place) -> list[list[int]]:
    return [edge for edge in place[0]["edges"] if edge[1] == place[1]]


def _of_kind(*kinds: str) -> Callable[[Place], bool]:
    return lambda place: _node(place)["type"] in kinds


def _another(draw: Draw, values: list[Any], old: Any) -> Any:
    return draw(st.sampled_from([value for value in values if value != old]))


def _set_member(name: str, values: list[Any]) -> Callable[[Draw, Place], None]:
    def apply(draw: Draw, place: Place) -> None:
        _node(place)[name] = _another(draw, values, _node(place)[name])

    return apply


def _set_inner(outer: str, name: str, values: list[Any]) -> Callable[[Draw, Place], None]:
    def apply(draw: Draw, place: Place) -> None:
        inner = _node(place)[outer]
        inner[name] = _another(draw, values, inner.get(name, 0))

    return apply


def _kernel_change(name: str, seen: frozenset[str], values: list[Any]) -> Change:
    return Change(f"kernel: {name}", seen, _of_kind("kernel"), _set_member(name, values))


def _attribute_change(name: str) -> Change:
    _, fresh, others = ATTRIBUTES[name]
    return Change(f"kernel: {name}", ALWAYS, _of_kind("kernel"), _set_inner("attributes", name, [fresh, *others]))


def _function_change(name: str, seen: frozenset[str], partner: dict[int, int]) -> Change:
    def fits(place: Place) -> bool:
        return _node(place)["type"] == "kernel" and _node(place)["function"] in partner

    def apply(draw: Draw, place: Place) -> None:
        _node(place)["function"] = partner[_node(place)["function"]]

    return Change(f"kernel: {name}", seen, fits, apply)


def _change_argument(draw: Draw, place: Place) -> None:
    before = bytes.fromhex(_node(place)["argument_bytes"])
    at = draw(st.integers(0, len(before) - 1))
    _node(place)["argument_bytes"] = (before[:at] + bytes([before[at] ^ 0x5A]) + before[at + 1 :]).hex()


def _is_linear(place: Place) -> bool:
    node = _node(place)
    return bool(node["height"] == 1 and node.get("depth", 1) == 1)


def _copies(linear: bool) -> Callable[[Place], bool]:
    return lambda place: _node(place)["type"] == "memcpy" and _is_linear(place) == linear


def _fills(linear: bool) -> Callable[[Place], bool]:
    return lambda place: _node(place)["type"] == "memset" and _is_linear(place) == linear


def _flip_event(draw: Draw, place: Place) -> None:
    _node(place)["type"] = "wait_event" if _node(place)["type"] == "event_record" else "event_record"


def _become_empty(draw: Draw, place: Place) -> None:
    place[0]["nodes"][place[1]] = {"type": "empty"}


def _no_typed_edge(place: Place) -> bool:
    return all(edge[2:] == [0, 0, 0] for edge in place[0]["edges"] if place[1] in edge[:2])


def _swap_edges(draw: Draw, place: Place) -> None:
    edges = place[0]["edges"]
    first, second = (edges.index(edge) for edge in _edges_into(place)[-2:])
    edges[first], edges[second] = edges[second], edges[first]


def _redirect_edge(draw: Draw, place: Place) -> None:
    edge = _edges_into(place)[-1]
    free = set(range(place[1])) - {other[0] for other in _edges_into(place)}
    edge[0] = draw(st.sampled_from(sorted(free)))
    edge[2:] = [0, 0, 0]


def _edge_between_kernels(place: Place) -> list[int] | None:
    if _node(place)["type"] != "kernel":
        return None
    found = (edge for edge in _edges_into(place) if place[0]["nodes"][edge[0]]["type"] == "kernel")
    return next(found, None)


def _change_edge_type(draw: Draw, place: Place) -> None:
    edge = _edge_between_kernels(place)
    assert edge is not None
    edge[2:] = [1, 0, 1] if edge[4] == 0 else [0, 0, 0]


def _has_programmatic_edge(place: Place) -> bool:
    edge = _edge_between_kernels(place)
    return edge is not None and edge[4] == 1


def _change_port(draw: Draw, place: Place) -> None:
    edge = _edge_between_kernels(place)
    assert edge is not None
    edge[2] = 3 - edge[2]


def _add_edge(draw: Draw, place: Place) -> None:
    free = set(range(place[1])) - {edge[0] for edge in _edges_into(place)}
    place[0]["edges"].append([draw(st.sampled_from(sorted(free))), place[1], 0, 0, 0])


def _has_free_source(place: Place) -> bool:
    return len(_edges_into(place)) < place[1]


def _add_node(draw: Draw, place: Place) -> None:
    place[0]["nodes"].append({"type": "empty"})


CHANGES = [
    Change(
        "kernel: arguments",
        NEVER,
        lambda place: _node(place)["type"] == "kernel" and "argument_bytes" in _node(place),
        _change_argument,
    ),
    Change(
        "kernel: form of arguments",
        NEVER,
        lambda place: _node(place)["type"] == "kernel" and "argument_bytes" in _node(place),
        _set_member("arguments", ["kernel_params", "extra"]),
    ),
    _kernel_change("grid", UNLESS_GRIDS_VARY, [[4, 1, 1], [5, 1, 1], [4, 2, 1], [4, 1, 2], [16, 2, 1]]),
    _function_change("function", UNLESS_KERNELS_VARY, _SAME_FACTS),
    _kernel_change("block", UNLESS_KERNELS_VARY, [[64, 1, 1], [64, 2, 1], [64, 1, 2]]),
    _kernel_change("shared_memory_bytes", UNLESS_KERNELS_VARY, [0, 512, 1024]),
    _function_change("cluster shape of the function", ALWAYS, _OTHER_CLUSTER),
    *(_attribute_change(name) for name in ATTRIBUTES),
    Change("memcpy: source", NEVER, _of_kind("memcpy"), _set_inner("src", "address", [0x1000, 0x2000, 0x5000])),
    Change("memcpy: destination", NEVER, _of_kind("memcpy"), _set_inner("dst", "address", [0x1000, 0x2000, 0x5000])),
    Change("memcpy: 1D size", NEVER, _copies(linear=True), _set_member("width_bytes", [4, 8, 16])),
    Change("memcpy: source type", ALWAYS, _of_kind("memcpy"), _set_member("src_type", [1, 2]), buildable=False),
    Change("memcpy: destination type", ALWAYS, _of_kind("memcpy"), _set_member("dst_type", [1, 2]), buildable=False),
    Change("memcpy: 2D width", ALWAYS, _copies(linear=False), _set_member("width_bytes", [4, 8, 16])),
    Change("memcpy: 2D height", ALWAYS, _copies(linear=False), _set_member("height", [2, 3, 4])),
    Change("memcpy: 2D depth", ALWAYS, _copies(linear=False), _set_member("depth", [1, 2])),
    Change("memcpy: 2D pitch", ALWAYS, _copies(linear=False), _set_inner("src", "pitch_bytes", [16, 24])),
    Change("memcpy: 2D offset", ALWAYS, _copies(linear=False), _set_inner("dst", "x_bytes", [0, 4, 8])),
    Change("memset: address", NEVER, _of_kind("memset"), _set_member("destination", [0x1000, 0x2000, 0x5000])),
    Change("memset: value", NEVER, _of_kind("memset"), _set_member("value", [1, 2, 3])),
    Change("memset: 1D width", NEVER, _fills(linear=True), _set_member("width", [2, 4, 8])),
    Change("memset: element size", ALWAYS, _of_kind("memset"), _set_member("element_bytes", [1, 2, 4])),
    Change("memset: 2D width", ALWAYS, _fills(linear=False), _set_member("width", [2, 4, 8])),
    Change("memset: 2D height", ALWAYS, _fills(linear=False), _set_member("height", [2, 3, 4])),
    Change("memset: 2D pitch", ALWAYS, _fills(linear=False), _set_member("pitch_bytes", [32, 64])),
    Change("host: function", UNLESS_KERNELS_VARY, _of_kind("host"), _set_member("function", [0x100, 0x200])),
    Change("host: user data", NEVER, _of_kind("host"), _set_member("user_data", [0, 0x10, 0x20])),
    Change("event: event", ALWAYS, _of_kind("event_record", "wait_event"), _set_member("event", [0x10, 0x20, 0x30])),
    Change("node: event kind", ALWAYS, _of_kind("event_record", "wait_event"), _flip_event),
    Change(
        "node: kind",
        ALWAYS,
        lambda place: _node(place)["type"] not in {"empty", "graph"} and _no_typed_edge(place),
        _become_empty,
    ),
    Change("edge: order", ALWAYS, lambda place: len(_edges_into(place)) > 1, _swap_edges),
    Change(
        "edge: from",
        ALWAYS,
        lambda place: bool(_edges_into(place)) and _has_free_source(place),
        _redirect_edge,
    ),
    Change("edge: type", ALWAYS, lambda place: _edge_between_kernels(place) is not None, _change_edge_type),
    Change("edge: port", ALWAYS, _has_programmatic_edge, _change_port),
    Change("edge: one more", ALWAYS, _has_free_source, _add_edge),
    Change("node: one more", ALWAYS, bool, _add_node),
]


@st.composite
def changed(draw: Draw, graph: Graph, changes: list[Change] | None = None) -> tuple[Graph, Change]:
    """Draw a copy of the graph with one field changed, somewhere, and what was changed."""
    result = copy.deepcopy(graph)
    everywhere = list(places(result))
    possible = [change for change in changes or CHANGES if any(map(change.fits, everywhere))]
    change = draw(st.sampled_from(possible))
    place = draw(st.sampled_from([place for place in everywhere if change.fits(place)]))
    change.apply(draw, place)
    return result, change


_BUILDABLE = [change for change in CHANGES if change.buildable]
_FREE = [change for change in _BUILDABLE if change.seen != ALWAYS]


@st.composite
def families(draw: Draw, most_nodes: int = 40, most_members: int = 6) -> list[Graph]:
    """Draw a graph and others that differ little from it, most of them in what may differ."""
    base = draw(large_graphs() if draw(st.integers(0, 9)) == 9 else graphs(most_nodes))
    members = [base]
    for _ in range(draw(st.integers(1, most_members - 1))):
        member = draw(st.sampled_from(members))
        for _ in range(draw(st.integers(0, 2))):
            free = any(any(map(change.fits, places(member))) for change in _FREE)
            some = _FREE if free and draw(st.integers(0, 3)) else _BUILDABLE
            member, _ = draw(changed(member, some))
        members.append(copy.deepcopy(member))
    return members


@st.composite
def graphs_with(draw: Draw, change: Change) -> Graph:
    """Draw a graph in which this change is possible."""
    graph: Graph = draw(graphs(most_nodes=8))
    if not any(map(change.fits, places(graph))):
        graph = {"nodes": [*graph["nodes"], *copy.deepcopy(_ONE_OF_EACH["nodes"])], "edges": graph["edges"]}
        offset = len(graph["nodes"]) - len(_ONE_OF_EACH["nodes"])
        for start, end, *data in _ONE_OF_EACH["edges"]:
            graph["edges"].append([start + offset, end + offset, *data])
    return graph


def _kernel(function: int) -> Node:
    return {
        "type": "kernel",
        "function": function,
        "grid": [4, 1, 1],
        "block": [128, 1, 1],
        "shared_memory_bytes": 0,
        "attributes": {name: value for name, (_, value, _) in ATTRIBUTES.items()},
        "arguments": "kernel_params",
        "argument_bytes": "00" * _argument_size_bytes(function),
    }


def _copy(height: int, pitch_bytes: int) -> Node:
    operand = {"address": 0x1000, "pitch_bytes": pitch_bytes}
    shape = {"width_bytes": 16, "height": height, "depth": 1}
    return {"type": "memcpy", "src_type": 2, "dst_type": 2, **shape, "src": operand, "dst": dict(operand)}


def _fill(height: int, pitch_bytes: int) -> Node:
    shape = {"width": 8, "height": height, "pitch_bytes": pitch_bytes}
    return {"type": "memset", "element_bytes": 1, "value": 0, "destination": 0x1000, **shape}


# What every change fits somewhere.
_ONE_OF_EACH: Graph = {
    "nodes": [
        _kernel(0),
        _kernel(0),
        _kernel(0),
        _copy(1, 0),
        _copy(4, 24),
        _fill(1, 0),
        _fill(4, 32),
        {"type": "host", "function": 0x100, "user_data": 0},
        {"type": "event_record", "event": 0x10},
        {"type": "empty"},
    ],
    "edges": [[0, 1, 1, 0, 1], [1, 2, 0, 0, 0], [0, 2, 0, 0, 0], [0, 8, 0, 0, 0]],
}
