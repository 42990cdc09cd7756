"""Captured graphs of several kinds of models, with inputs to choose from and outputs to compare.

Arithmetic is exact wherever GEMMs are involved (small integers), so that a difference of one bit is a fault and not the
order of a sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import torch
from graphdedup.bench.captured import LARGE_DECODER
from graphdedup.demo.decoder import DecoderConfig, make_decoder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

INPUT_SETS = 3


class Workload(Protocol):
    """Graphs by key. `set_inputs` chooses what they read; `outputs` are what they write, all the same for each key."""

    graphs: dict[int, Any]
    outputs: list[Any]

    def set_inputs(self, inputs: int) -> None:
        """Choose one of `INPUT_SETS` inputs."""


def capture(work: Callable[[], object], pool: Any = None) -> Any:
    """Run once on a side stream, then capture into a pool."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        work()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.cuda.graph(graph, pool=pool, stream=stream):
        work()
    return graph


class DecodeSteps:
    """One decode step a batch size, eager: what runners capture."""

    def __init__(self, sizes: Sequence[int], config: DecoderConfig = LARGE_DECODER, seed: int = 0) -> None:
        device = torch.device("cuda", torch.cuda.current_device())
        self._model = make_decoder(config, device, seed)
        generator = torch.Generator(device=device).manual_seed(seed + 1)
        self._id_sets = torch.randint(
            config.vocabulary, (INPUT_SETS, config.max_batch), device=device, generator=generator
        )
        self._ids = self._id_sets[0].clone()
        self._positions = torch.randint(config.context, (config.max_batch,), device=device, generator=generator)
        self._logits = torch.zeros(config.max_batch, config.vocabulary, device=device, dtype=torch.bfloat16)
        self.outputs = [self._logits]
        pool = torch.cuda.graph_pool_handle()
        self.graphs = {size: capture(self._step(size), pool) for size in sorted(sizes, reverse=True)}

    def _step(self, size: int) -> Callable[[], object]:
        ids, positions, logits = self._ids[:size], self._positions[:size], self._logits[:size]
        return lambda: logits.copy_(self._model(ids, positions))

    def set_inputs(self, inputs: int) -> None:
        """As `Workload.set_inputs`."""
        self._ids.copy_(self._id_sets[inputs])


class _Exact(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """An MLP block over small integers, for the compiler to fuse."""

    def __init__(self, width: int, generator: torch.Generator) -> None:
        super().__init__()
        shape = (width, width)
        self.first = torch.randint(-1, 2, shape, device="cuda", generator=generator).float()
        self.second = torch.randint(-1, 2, shape, device="cuda", generator=generator).float()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = ((x @ self.first).relu() * 2 - 3).clamp(-8, 8)
        return ((hidden @ self.second) / 4).round().clamp(-8, 8)


class CompiledBlocks:
    """Inductor and Triton: one graph a batch size, each compiled for its own shape."""

    def __init__(self, sizes: Sequence[int] = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128), width: int = 512) -> None:
        generator = torch.Generator(device="cuda").manual_seed(5)
        block = _Exact(width, generator)
        compiled = torch.compile(lambda x: block(block(x)), dynamic=False)
        self._kept: list[Any] = [block]  # a graph reads by address: what it reads must stay
        torch._dynamo.config.cache_size_limit = 2 * len(sizes)
        largest = max(sizes)
        self._sets = torch.randint(-8, 9, (INPUT_SETS, largest, width), device="cuda", generator=generator).float()
        self._x = self._sets[0].clone()
        self._y = torch.zeros_like(self._x)
        self.outputs = [self._y]
        pool = torch.cuda.graph_pool_handle()
        self.graphs = {}
        for size in sizes:
            x, y = self._x[:size].clone(), self._y[:size]
            source = self._x[:size]

            def step(x: torch.Tensor = x, y: torch.Tensor = y, source: torch.Tensor = source) -> None:
                x.copy_(source)
                y.copy_(compiled(x))

            self._kept.append(x)
            step()  # compiles outside of any capture
            self.graphs[size] = capture(step, pool)

    def set_inputs(self, inputs: int) -> None:
        """As `Workload.set_inputs`."""
        self._x.copy_(self._sets[inputs])


class StaticCacheModel:
    """A decoder of transformers with a static cache, random weights, float32. The cache is reset with the inputs."""

    def __init__(self, sizes: Sequence[int] = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)) -> None:
        import transformers  # noqa: PLC0415 - only this workload needs it

        torch.manual_seed(9)
        config = transformers.Qwen3Config(
            vocab_size=4096,
            hidden_size=512,
            intermediate_size=1408,
            num_hidden_layers=4,
            num_attention_heads=8,
            num_key_value_heads=4,
            head_dim=64,
            max_position_embeddings=256,
        )
        model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="sdpa")
        self._model = model.to("cuda").eval().requires_grad_(False)
        largest = max(sizes)
        self._sets = torch.randint(4096, (INPUT_SETS, largest, 1), device="cuda")
        self._ids = self._sets[0].clone()
        self._logits = torch.zeros(largest, 1, 4096, device="cuda")
        self.outputs = [self._logits]
        self._caches: list[Any] = []
        self._kept: list[Any] = []
        pool = torch.cuda.graph_pool_handle()
        self.graphs = {size: capture(self._step(size, config), pool) for size in sorted(sizes, reverse=True)}

    def _step(self, size: int, config: Any) -> Callable[[], object]:
        import transformers  # noqa: PLC0415

        cache = transformers.StaticCache(config=config, max_cache_len=64)
        positions = torch.full((size, 1), 5, device="cuda")
        ids, logits = self._ids[:size], self._logits[:size]
        self._caches.append(cache)
        self._kept.append(positions)

        def step() -> None:
            out = self._model(input_ids=ids, position_ids=positions, past_key_values=cache, use_cache=True)
            logits.copy_(out.logits)

        return step

    def set_inputs(self, inputs: int) -> None:
        """As `Workload.set_inputs`."""
        self._ids.copy_(self._sets[inputs])
        for cache in self._caches:
            cache.reset()


class ForkJoin:
    """Two streams that fork and join, with reductions, so that memsets and several incoming edges appear."""

    def __init__(self, sizes: Sequence[int] = (256, 512, 1024, 2048, 4096)) -> None:
        generator = torch.Generator(device="cuda").manual_seed(6)
        largest = max(sizes)
        shape = (INPUT_SETS, largest, 64)
        self._sets = torch.randint(-8, 9, shape, device="cuda", generator=generator).float()
        self._x = self._sets[0].clone()
        self._columns, self._total = torch.zeros(64, device="cuda"), torch.zeros((), device="cuda")
        self.outputs = [self._columns, self._total]
        self.graphs = {size: capture(self._step(size)) for size in sizes}

    def _step(self, size: int) -> Callable[[], object]:
        x = self._x[:size]

        def step() -> None:
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            self._total.copy_(x.sum())
            with torch.cuda.stream(side):
                self._columns.copy_((x * 2).amax(0))
            torch.cuda.current_stream().wait_stream(side)
            self._columns.add_(self._total)

        return step

    def set_inputs(self, inputs: int) -> None:
        """As `Workload.set_inputs`."""
        self._x.copy_(self._sets[inputs])


class Samplers:
    """Dropout and sampling from torch's default generator and from one of the user's own."""

    def __init__(self, sizes: Sequence[int] = (512, 1024, 4096, 16384)) -> None:
        self.own = torch.Generator(device="cuda")
        self._x = torch.ones(max(sizes), device="cuda")
        self._y = torch.zeros_like(self._x)
        self.outputs = [self._y]
        self.graphs = {}
        for key, size in enumerate(sizes):
            self.graphs[2 * key] = capture(self._default(size))
            self.graphs[2 * key + 1] = self._captured_with_own(size)

    def _default(self, size: int) -> Callable[[], object]:
        x, y = self._x[:size], self._y[:size]
        return lambda: y.copy_(torch.nn.functional.dropout(x, 0.5) + torch.rand_like(x))

    def _captured_with_own(self, size: int) -> Any:
        y = self._y[:size]
        graph = torch.cuda.CUDAGraph(keep_graph=True)
        graph.register_generator_state(self.own)
        with torch.cuda.graph(graph):
            y.uniform_(generator=self.own)
        return graph

    def set_inputs(self, inputs: int) -> None:
        """As `Workload.set_inputs`: what is drawn is the input."""
