"""How many replays find their member not loaded, for a policy and a number of executables."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from executable_policies import Adaptive, LeastRecent, LongestReuse, MostRecent, NextUse, SecondLast

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from executable_policies import Policy

POLICIES: dict[str, Callable[[Sequence[Hashable]], Policy]] = {
    "LRU": lambda _: LeastRecent(),
    "MRU": lambda _: MostRecent(),
    "LRU-2": lambda _: SecondLast(),
    "reuse": lambda _: LongestReuse(),
    "adaptive": lambda _: Adaptive(),
    "Belady": NextUse,
}
CLOCKS = ("changes", "replays")
"""What time is counted in: replays of the group, or those of them that are of another member than the one before."""


@dataclass(frozen=True)
class Outcome:
    """What a run of replays cost.

    Attributes:
        instantiations: Replays that took a further executable.
        switches: Replays that updated an executable.
        moves: Replays that destroyed an executable of another group and instantiated one of their own.
    """

    instantiations: int
    switches: int
    moves: int = 0


def run(
    replays: Sequence[Hashable],
    group_of: Mapping[Any, Hashable],
    policy: str,
    *,
    per_group: int = 1 << 30,
    total: int = 1 << 30,
    move_after: int = 0,
    clock: str = "changes",
) -> Outcome:
    """Replay members in order.

    A group takes a further executable on a miss while it has less than `per_group` and all groups together less than
    `total`; its first it gets always.

    Args:
        replays: Members.
        group_of: The group of each member.
        policy: A key of `POLICIES`.
        per_group: Executables a group may own.
        total: Executables that all groups together may own.
        move_after: After so many misses since its last new executable, a group that may have no more takes one over
            from the group that has two or more and was replayed longest ago, if that was before those misses. 0: never.
        clock: One of `CLOCKS`. The victims of LRU, MRU and Belady do not depend on it.
    """
    sequences: dict[Hashable, list[Hashable]] = defaultdict(list)
    for member in replays:
        sequences[group_of[member]].append(member)
    groups = {group: _Group(POLICIES[policy](_changes(sequence)), clock) for group, sequence in sequences.items()}
    made = switches = moves = 0
    untouched = len(groups)  # groups that still have their first executable to come
    for now, member in enumerate(replays):
        group = groups[group_of[member]]
        hit = group.hit(member)
        group.replayed = now
        if hit:
            continue
        untouched -= not group.loaded
        if not group.loaded or (len(group.loaded) < per_group and made + untouched < total):
            made += 1
            group.missed.clear()
        elif move_after and len(group.loaded) < per_group and (giver := _giver(groups.values(), group, move_after)):
            giver.give_up()
            moves += 1
            group.missed.clear()
        else:
            group.give_up()
            group.missed.append(now)
            switches += 1
        group.load(member)
    return Outcome(made, switches, moves)


class _Group:
    """The executables of one group. Replays of one member in a row are one use where changes are the clock."""

    def __init__(self, policy: Policy, clock: str) -> None:
        self.loaded: set[Hashable] = set()
        self._policy = policy
        self._counts_repeats = clock == "replays" and not isinstance(policy, NextUse)
        self._current: Hashable = None
        self._now = -1
        self.replayed = -1
        self.missed: list[int] = []

    def hit(self, member: Hashable) -> bool:
        """Note a replay if its member is loaded."""
        if member == self._current and not self._counts_repeats:
            return True
        self._now += 1
        if member not in self.loaded:
            return False
        self._use(member)
        return True

    def give_up(self) -> None:
        self.loaded.remove(self._policy.victim(self.loaded, self._now))

    def load(self, member: Hashable) -> None:
        self.loaded.add(member)
        self._use(member)

    def _use(self, member: Hashable) -> None:
        self._policy.used(member, self._now)
        self._current = member


def _giver(groups: Iterable[_Group], taker: _Group, move_after: int) -> _Group | None:
    if len(taker.missed) < move_after:
        return None
    idle = (group for group in groups if len(group.loaded) > 1 and group.replayed < taker.missed[-move_after])
    return min(idle, key=lambda group: group.replayed, default=None)


def _changes(sequence: Sequence[Hashable]) -> list[Hashable]:
    return [member for index, member in enumerate(sequence) if not index or member != sequence[index - 1]]
