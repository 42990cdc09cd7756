"""What several measurements share, made once and only when one asks for it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch

from graphdedup.bench.captured import LARGE_DECODER, DecodeSteps
from graphdedup.registry import Registry

if TYPE_CHECKING:
    from graphdedup.demo.decoder import DecoderConfig
    from graphdedup.shared_graph import SharedGraph


class Workbench:
    """A model and its captured decode steps."""

    def __init__(self, config: DecoderConfig = LARGE_DECODER) -> None:
        self.config = config
        self.sizes = list(range(1, config.max_batch + 1))

    @cached_property
    def steps(self) -> DecodeSteps:
        """The model."""
        return DecodeSteps(self.config)

    @cached_property
    def decode(self) -> dict[int, Any]:
        """A torch graph for every batch size, which stays torch's own: registered by its raw handle only."""
        return self.steps.capture(self.sizes)

    @cached_property
    def stream(self) -> torch.cuda.Stream:
        """Where single kernels are captured."""
        return torch.cuda.Stream()

    @staticmethod
    def settle() -> None:
        """Wait for the device."""
        torch.cuda.synchronize()

    def registered(self, registry: Registry, sizes: list[int]) -> dict[int, SharedGraph]:
        """Register decode graphs by their raw handles."""
        graphs = self.decode
        return {
            size: registry.register(graphs[size].raw_cuda_graph(), name=f"decode {size}", keep_alive=graphs[size])
            for size in sizes
        }

    def sharing_pair(self) -> tuple[int, int]:
        """Return two batch sizes of the largest group, far apart."""
        with Registry(lazy=True) as registry:
            groups: dict[int, list[int]] = {}
            for size, graph in self.registered(registry, self.sizes).items():
                groups.setdefault(graph.group, []).append(size)
        largest = max(groups.values(), key=len)
        return largest[0], largest[-1]
