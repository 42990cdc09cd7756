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

    A member that has not come back yet counts as one that never does. So a cycle that is longer than the pool keeps
    what it can, and what is used once does not push out what is used again.
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


class Adaptive:
    """LRU or `LongestReuse`, whichever would have had fewer misses lately; LRU while they are close.

    Two shadows of the pool, which hold names only, follow the replays, each with one of the two policies.
    """

    FORGETTING = 1 - 1 / 256
    """Of a miss remains, with each use: what came long ago no longer counts."""
    LEAD = 1.1
    """How many times the other's misses LRU must have had to be left."""

    def __init__(self) -> None:
        self._shadows = [_Shadow(LeastRecent()), _Shadow(LongestReuse())]

    def used(self, member: Hashable, now: int) -> None:
        """As `Policy.used`."""
        for shadow in self._shadows:
            shadow.used(member, now, self.FORGETTING)

    def victim(self, loaded: Collection[Hashable], now: int) -> Hashable:
        """As `Policy.victim`."""
        recent, reuse = self._shadows
        for shadow in self._shadows:
            shadow.size = len(loaded)
        better = reuse if recent.misses > self.LEAD * reuse.misses else recent
        return better.policy.victim(loaded, now)


class _Shadow:
    """What the pool would hold and miss under one policy. Grows with the pool."""

    def __init__(self, policy: LeastRecent | LongestReuse) -> None:
        self.policy = policy
        self.size = 1
        self.misses = 0.0
        self._held: set[Hashable] = set()

    def used(self, member: Hashable, now: int, forgetting: float) -> None:
        self.misses *= forgetting
        if member not in self._held:
            while len(self._held) >= self.size:
                self.misses += 1
                self._held.remove(self.policy.victim(self._held, now))
            self._held.add(member)
        self.policy.used(member, now)


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
