"""The demo on a GPU: a decoder at many batch sizes, shared, and compared bit for bit with torch's own replays."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import torch

from graphdedup.demo import DemoResult
from graphdedup.demo.decoder import DecoderConfig, make_decoder
from graphdedup.errors import GraphDedupError
from graphdedup.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphdedup.registry import Vary

INPUT_SETS = 3


def run(
    *,
    replays: int = 1000,
    seed: int = 0,
    vary: Vary = "kernel",
    config: DecoderConfig | None = None,
    batch_sizes: Sequence[int] | None = None,
) -> DemoResult:
    """Capture, note what plain replays give, share, and compare.

    Args:
        replays: How many shared replays to compare.
        seed: Of weights, inputs and order.
        vary: As for `Registry`.
        config: Sizes of the decoder.
        batch_sizes: What to capture; all up to the decoder's largest by default.
    """
    config = config or DecoderConfig()
    sizes = list(batch_sizes or range(1, config.max_batch + 1))
    with torch.no_grad():
        step = _CapturedSteps(config, sizes, seed)
        plain = {(size, inputs): step.replay(size, inputs) for size in sizes for inputs in range(INPUT_SETS)}
        repeatable = [key for key, logits in plain.items() if torch.equal(logits, step.replay(*key))]
        if not repeatable:
            raise GraphDedupError(
                "demo: no plain replay equals its own repetition on this device: there is nothing to compare with",
                operation="demo",
                object="decoder",
            )
        with Registry(vary=vary) as registry:
            for size in sizes:
                registry.register(step.graphs[size], name=f"decode {size}")
            order = random.Random(seed)
            wrong = 0
            for _ in range(replays):
                key = order.choice(repeatable)
                wrong += not torch.equal(step.replay(*key), plain[key])
            stats = registry.stats()
            driver = registry.driver
            version = f"{driver.version // 1000}.{driver.version % 1000 // 10}"
    return DemoResult(
        driver=f"{driver.path} (CUDA {version}), {torch.cuda.get_device_name()}",
        simulated=False,
        what=f"captured {len(sizes)} batch sizes of a {config.layers}-layer decoder with torch {torch.__version__} on "
        "the GPU, replayed them shared in random order, and compared every output with torch's own replay, bit for bit",
        graphs=stats.graphs,
        groups=stats.groups,
        executables=stats.executables,
        replays=stats.replays,
        switches=stats.switches,
        refusals=stats.refusals,
        wrong=wrong,
        unrepeatable=len(plain) - len(repeatable),
    )


class _CapturedSteps:
    """One captured decode step a batch size, all in one memory pool, with inputs to choose from."""

    def __init__(self, config: DecoderConfig, sizes: Sequence[int], seed: int) -> None:
        device = torch.device("cuda", torch.cuda.current_device())
        self._model = make_decoder(config, device, seed)
        generator = torch.Generator(device=device).manual_seed(seed + 1)
        shape = (INPUT_SETS, config.max_batch)
        self._id_sets = torch.randint(config.vocabulary, shape, device=device, generator=generator)
        self._ids = self._id_sets[0].clone()
        # Positions stay as they are: each replay then writes the cache where all others do, and depends on its inputs
        # alone.
        self._positions = torch.randint(config.context, (config.max_batch,), device=device, generator=generator)
        self._logits = torch.zeros(config.max_batch, config.vocabulary, device=device, dtype=torch.bfloat16)
        self.graphs: dict[int, Any] = {}
        stream = torch.cuda.Stream()
        pool = torch.cuda.graph_pool_handle()
        # Largest first, so that the pool of the first fits all others.
        for size in sorted(sizes, reverse=True):
            self.graphs[size] = self._capture(size, stream, pool)

    def replay(self, size: int, inputs: int) -> torch.Tensor:
        """Replay a graph with one of the input sets and return a copy of its logits."""
        self._ids.copy_(self._id_sets[inputs])
        self._logits.fill_(float("nan"))  # so that a replay of nothing, or of another size, shows
        self.graphs[size].replay()
        return self._logits.clone()[: size + 1].nan_to_num(nan=12345.0)

    def _capture(self, size: int, stream: torch.cuda.Stream, pool: Any) -> Any:
        ids, positions, logits = self._ids[:size], self._positions[:size], self._logits[:size]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):  # what libraries set up at the first call must not be captured
            logits.copy_(self._model(ids, positions))
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph(keep_graph=True)
        with torch.cuda.graph(graph, pool=pool, stream=stream):
            logits.copy_(self._model(ids, positions))
        return graph
