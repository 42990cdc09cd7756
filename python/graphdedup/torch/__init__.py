"""The torch side of graphdedup. Imported only once torch is, and never by ``import graphdedup``."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name == "CUDAGraph":
        from graphdedup.torch.cuda_graph import CUDAGraph  # noqa: PLC0415 - needs torch

        return CUDAGraph
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
