"""
Back doors for tests.
"""

from __future__ import annotations
import graphdedup._core
import typing

__all__: list[str] = ["force_signature"]

def force_signature(registry: graphdedup._core.Registry, signature: bytes | None) -> None:
    """
    Every graph added from now on gets this signature, so that a clash can be seen; None restores the rules.
    """
