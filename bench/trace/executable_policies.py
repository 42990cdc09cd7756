"""Which of a group's loaded members gives up its executable when another one is replayed."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

INFINITE = math.inf


class Policy(Protocol):
    """Sees the replays of one group, each with the time at which it comes; times rise."""

    def used(self, member: Hashable, now: int) -> None:
        """Note a replay."""

    def victim(self, loaded: Collection[Hashable], now: int) -> Hashable:
        """Choose among the loaded members, before `used` is called for the one that comes."""


class LeastRecent:
    """LRU: whose last use is longest ago."""

    def __init__(self) -> None:
        self._last: dict[Hashable, int] = {}

    def used(self, member: Hashable, now: int) -> None:
        """As `Policy.used`."""
        self._last[member] = now

    def victim(self, loaded: Collection[Hashable], now: int) -> Hashable:
        """As `Policy.victim`."""
        del now
        return min(loaded, key=self._last.__getitem__)


class MostRecent(LeastRecent):
    """MRU: the one used just before."""

    def victim(self, loaded: Collection[Hashable], now: int) -> Hashable:
        """As `Policy.victim`."""
        del now
        return max(loaded, key=self._last.__getitem__)


class SecondLast:
    """LRU-2: whose use before the last is longest ago; members used once come first, the least recent of them."""

    def __init__(self) -> None:
        self._uses: dict[Hashable, deque[int]] = defaultdict(lambda: deque([-1, -1], maxlen=2))

    def used(self, member: Hashable, now: int) -> None:
        """As `Policy.used`."""
        self._uses[member].append(now)

    def victim(self, loaded: Collection[Hashable], now: int) -> Hashable:
        """As `Policy.victim`."""
        del now
        return min(loaded, key=lambda member: tuple(self._uses[member]))


class LongestReuse:
    """The largest of last reuse distance and time since the last use, whichever is more; the most recent of equals.

    A member that has not come back yet counts as one that never does. So a cycle that is longer than the pool keeps what
    it can, and what is used once does not push out what is used again.
    """

    def __init__(self) -> None:
        self._last: dict[Hashable, int] = {}
        self._distance: dict[Hashable, float] = {}

    def used(self, member: Hashable, now: int) -> None:
        """As `Policy.used`."""
        self._distance[member] = now - self._last[member] if member in self._last else INFINITE
        self._last[member] = now

    def victim(self, loaded: Collection[Hashable], now: int) -> Hashable:
        """As `Policy.victim`."""
        return max(loaded, key=lambda member: (self._expected(member, now), self._last[member]))

    def _expected(self, member: Hashable, now: int) -> float:
        return max(self._distance[member], now - self._last[member])


class NextUse:
    """Belady: whose next use is furthest away. Knows the future; no policy does better."""

    def __init__(self, members: Sequence[Hashable]) -> None:
        """Take the members in the order of their uses, at times 0, 1, 2 and so on."""
        self._coming: dict[Hashable, deque[int]] = defaultdict(deque)
        for time, member in enumerate(members):
            self._coming[member].append(time)

    def used(self, member: Hashable, now: int) -> None:
        """As `Policy.used`."""
        del now
        self._coming[member].popleft()

    def victim(self, loaded: Collection[Hashable], now: int) -> Hashable:
        """As `Policy.victim`."""
        del now
        return max(loaded, key=lambda member: self._coming[member][0] if self._coming[member] else INFINITE)
