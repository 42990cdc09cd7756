"""
Control of the simulated driver.
"""

from __future__ import annotations
import graphdedup._core
import typing

__all__: list[str] = [
    "build",
    "call_count",
    "clear_faults",
    "clear_log",
    "counters",
    "fail",
    "hide_symbol",
    "launch_log",
    "library_path",
    "misuse",
    "open",
    "profiles",
    "refuse_every",
    "set_behaviour",
    "set_memory_limit",
]

def build(snapshot: graphdedup._core.Snapshot) -> int:
    """
    Build a graph; returns its CUgraph value.
    """

def call_count(symbol: str) -> int:
    """
    Calls of a driver function since the start, failed ones included.
    """

def clear_faults() -> None:
    """
    End all faults, refusals and the sticky error.
    """

def clear_log() -> None:
    """
    Forget what ran.
    """

def counters() -> dict[str, int]:
    """
    What the simulation counts.
    """

def fail(
    symbol: str,
    nth: typing.SupportsInt | typing.SupportsIndex,
    status: typing.SupportsInt | typing.SupportsIndex,
    count: typing.SupportsInt | typing.SupportsIndex,
) -> None:
    """
    Make calls of a driver function fail.
    """

def hide_symbol(symbol: str, hidden: bool) -> None:
    """
    Make a driver function impossible to find.
    """

def launch_log() -> list[dict[str, typing.Any]]:
    """
    What ran, a dictionary a node.
    """

def library_path() -> str:
    """
    Where the package keeps the simulated driver.
    """

def misuse() -> str:
    """
    The last misuse of the driver, or ''.
    """

def open(profile: str) -> graphdedup._core.Driver:
    """
    Start the simulation anew.
    """

def profiles() -> list[str]:
    """
    Drivers that the simulation can be.
    """

def refuse_every(
    nth: typing.SupportsInt | typing.SupportsIndex, reason: typing.SupportsInt | typing.SupportsIndex = 5
) -> None:
    """
    Refuse every nth update from now on; `reason` is a CUgraphExecUpdateResult.
    """

def set_behaviour(name: str, value: typing.SupportsInt | typing.SupportsIndex) -> None:
    """
    Change a behaviour by name.
    """

def set_memory_limit(size_bytes: typing.SupportsInt | typing.SupportsIndex) -> None:
    """
    Size of each device's memory.
    """
