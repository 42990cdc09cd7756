"""Graphs to measure: decode steps of a large model, and chains of tiny kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from graphdedup.demo.decoder import DecoderConfig, make_decoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LARGE_DECODER = DecoderConfig(
    layers=28,
    hidden=2048,
    heads=16,
    kv_heads=8,
    head_size=128,
    feed_forward=6144,
    vocabulary=32000,
    context=1024,
    max_batch=256,
)


class DecodeSteps:
    """A decoder and its captured steps, all in one memory pool."""

    def __init__(self, config: DecoderConfig = LARGE_DECODER) -> None:
        device = torch.device("cuda", torch.cuda.current_device())
        self.config = config
        self._model = make_decoder(config, device, 0)
        self._ids = torch.zeros(config.max_batch, dtype=torch.long, device=device)
        self._positions = torch.full_like(self._ids, config.context // 2)
        self._logits = torch.zeros(config.max_batch, config.vocabulary, device=device, dtype=torch.bfloat16)
        self._stream = torch.cuda.Stream()
        self._pool = torch.cuda.graph_pool_handle()
        self._warm: set[int] = set()

    def capture(self, sizes: Iterable[int]) -> dict[int, Any]:
        """Capture a step of each size, the largest first, so that the pool of the first fits all others."""
        with torch.no_grad():
            return {size: self._capture(size) for size in sorted(sizes, reverse=True)}

    def _capture(self, size: int) -> Any:
        ids, positions, logits = self._ids[:size], self._positions[:size], self._logits[:size]

        def step() -> None:
            logits.copy_(self._model(ids, positions))

        if size not in self._warm:  # what libraries set up at the first call must not be captured
            self._warm.add(size)
            warm_up(step, self._stream)
        return captured(step, self._stream, self._pool)


def chain(buffers: list[torch.Tensor], stream: torch.cuda.Stream) -> Any:
    """Capture one tiny kernel on each buffer in turn."""

    def step() -> None:
        for buffer in buffers:
            buffer.add_(1)

    warm_up(buffers[0].add_, stream, 1)
    return captured(step, stream)


def warm_up(step: Callable[..., object], stream: torch.cuda.Stream, *arguments: object) -> None:
    """Run once on a stream."""
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        step(*arguments)
    torch.cuda.current_stream().wait_stream(stream)


def captured(step: Callable[[], object], stream: torch.cuda.Stream, pool: Any = None) -> Any:
    """Capture with torch, keeping the graph."""
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.cuda.graph(graph, pool=pool, stream=stream):
        step()
    return graph
