"""Why two graphs share an executable, or do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphdedup import _core
from graphdedup._arguments import checked_vary

if TYPE_CHECKING:
    from graphdedup.registry import Vary


@dataclass(frozen=True)
class Explanation:
    """What keeps two graphs apart. Texts are empty where there is nothing to say.

    Attributes:
        may_share: The two have one signature, and neither is private.
        same_group: Both are registered and share their executables. False although they may share: the driver refused
            an update between them. None for graphs that are not registered.
        first_private: Why the first graph shares with nobody.
        second_private: Why the second graph shares with nobody.
        where: The first node, in order of creation, at which a field differs: ``"node 12"``, in a child graph
            ``"node 3, child node 12"``, or ``"graph"``.
        field: The field: ``"kernel: grid"``.
        first: Its value in the first graph.
        second: Its value in the second graph.
        first_kernel: Name of the first graph's kernel at that node.
        second_kernel: Name of the second graph's kernel at that node.
        shared_at: The strictest ``vary`` under which the two have one signature; empty if there is none.
        exact: False if one of the two comes from a DOT dump, which leaves out cluster shapes, edge types and most
            attributes: graphs that may share by it may still be kept apart.
    """

    may_share: bool
    same_group: bool | None
    first_private: str
    second_private: str
    where: str
    field: str
    first: str
    second: str
    first_kernel: str
    second_kernel: str
    shared_at: str
    exact: bool = True

    def __str__(self) -> str:
        lines = [
            f"the {which} graph shares with no other: {reason}"
            for which, reason in (("first", self.first_private), ("second", self.second_private))
            if reason
        ]
        if self.where:
            lines.append(f"{self.where}, {self.field}: {self.first} in the first, {self.second} in the second")
            kernels = (("first", self.first_kernel), ("second", self.second_kernel))
            lines += [f"  kernel of the {which}: {kernel}" for which, kernel in kernels if kernel]
        if self.may_share:
            refused = self.same_group is False
            lines.append("they may share, but the driver refused an update" if refused else "they may share")
        elif self.shared_at:
            lines.append(f"they would share with vary={self.shared_at!r}")
        elif self.where:
            lines.append("no vary would let them share")
        if not self.exact:
            lines.append("a DOT dump leaves out cluster shapes and edge types: what may share by it is an upper bound")
        return "\n".join(lines)


def explain_snapshots(first: _core.Snapshot, second: _core.Snapshot, vary: Vary) -> Explanation:
    """Explain two graphs as plain data, such as recorded ones.

    Raises:
        InvalidArgumentError: There is no such ``vary``.
    """
    said = _core.explain(first, second, checked_vary(vary))
    private = said["first_private"] or said["second_private"]
    return Explanation(
        may_share=not private and not said["where"],
        same_group=None,
        exact=first.exact and second.exact,
        **said,
    )


def explain_private(first_reason: str, second_reason: str) -> Explanation:
    """Explain two graphs of which one at least is private, by the reasons alone."""
    return Explanation(
        may_share=False,
        same_group=False,
        first_private=first_reason,
        second_private=second_reason,
        where="",
        field="",
        first="",
        second="",
        first_kernel="",
        second_kernel="",
        shared_at="",
    )


def explain_members(registry: _core.Registry, first: _core.SharedGraph, second: _core.SharedGraph) -> Explanation:
    """Explain two registered graphs; reads both again."""
    said = registry.explain(first, second)
    return Explanation(
        may_share=said.may_share,
        same_group=said.same_group,
        first_private=said.first_private,
        second_private=said.second_private,
        where=said.where,
        field=said.field,
        first=said.first_value,
        second=said.second_value,
        first_kernel=said.first_kernel,
        second_kernel=said.second_kernel,
        shared_at=said.shared_at,
    )
