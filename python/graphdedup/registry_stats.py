"""What a registry says about itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphdedup import _core


@dataclass(frozen=True)
class RegistryStats:
    """Counts since the registry was made, sizes now, and host times in nanoseconds.

    Attributes:
        graphs: Graphs now registered, those left to torch included.
        groups: Groups with graphs. A graph left to torch counts as a group of its own.
        executables: Executables now alive, torch's own for graphs left to it included.
        private: Graphs that share with nobody by rule; `MemberInfo.private_reason` says why.
        private_graphs: Name and reason of each of these.
        instantiations: Executables made so far by graphdedup.
        replays: Replays so far: hits + switches + first_loads + fallbacks.
        hits: Replays of a graph that was loaded: a plain launch.
        switches: Replays that updated an executable first.
        first_loads: Replays that had to instantiate first: `lazy`, or a further executable of a group.
        fallbacks: Replays whose update was refused and that went on with an executable of their own.
        prepares: Calls of `SharedGraph.prepare` that had to load; no replays.
        prepare_failures: Prepares in the background that could not load or upload; the replays that follow do it.
        refusals: Updates that the driver refused, at registration or at replay.
        bytes_per_node: Device memory that a node of an executable takes, as measured on the device; 0 without a
            memory budget.
        executable_bytes: Device memory of graphdedup's executables now alive, at that price.
        register_ns: Spent in registration inside the core.
        sign_ns: Of that, in walking and signing graphs.
        instantiate_ns: Spent in instantiation.
        update_ns: Spent in updates.
    """

    graphs: int
    groups: int
    executables: int
    private: int
    private_graphs: tuple[tuple[str, str], ...]
    instantiations: int
    replays: int
    hits: int
    switches: int
    first_loads: int
    fallbacks: int
    prepares: int
    prepare_failures: int
    refusals: int
    bytes_per_node: int
    executable_bytes: int
    register_ns: int
    sign_ns: int
    instantiate_ns: int
    update_ns: int


@dataclass(frozen=True)
class MemberInfo:
    """What is known of one registered graph.

    Attributes:
        id: As `SharedGraph.id`.
        name: As `SharedGraph.name`.
        group: As `SharedGraph.group`.
        node_count: Nodes, those of child graphs included.
        loaded: An executable holds it now.
        private_reason: Why it shares with nobody by rule; empty if it may share.
    """

    id: int
    name: str
    group: int
    node_count: int
    loaded: bool
    private_reason: str


def stats_from_core(
    core: _core.Stats, *, delegated: int, delegated_replays: int, private_graphs: tuple[tuple[str, str], ...]
) -> RegistryStats:
    """Add to the core's numbers those of graphs that are left to torch: each is a hit on an executable of its own."""
    return RegistryStats(
        graphs=core.graph_count + delegated,
        groups=core.group_count + delegated,
        executables=core.executable_count + delegated,
        private=core.private_count + delegated,
        private_graphs=private_graphs,
        instantiations=core.instantiation_count,
        replays=core.replay_count + delegated_replays,
        hits=core.hit_count + delegated_replays,
        switches=core.switch_count,
        first_loads=core.first_load_count,
        fallbacks=core.fallback_count,
        prepares=core.prepare_count,
        prepare_failures=core.prepare_failure_count,
        refusals=core.refusal_count,
        bytes_per_node=core.bytes_per_node,
        executable_bytes=core.executable_bytes,
        register_ns=core.register_ns,
        sign_ns=core.sign_ns,
        instantiate_ns=core.instantiate_ns,
        update_ns=core.update_ns,
    )


def member_from_core(core: _core.MemberInfo) -> MemberInfo:
    """Copy what the core says of a graph."""
    return MemberInfo(core.id, core.name, core.group, core.node_count, core.loaded, core.private_reason)
