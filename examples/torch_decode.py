"""Share the executables of a model that was captured at several batch sizes. Needs a GPU and torch."""

from __future__ import annotations

import graphdedup
import torch

SIZES = (1, 2, 4, 8, 16, 32)


def main() -> None:
    """Capture, share, replay, compare."""
    model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 256)).cuda()
    inputs = torch.randn(max(SIZES), 256, device="cuda")
    outputs = torch.empty_like(inputs)
    registry = graphdedup.Registry()
    graphs = {}
    with torch.no_grad():
        for size in SIZES:
            model(inputs[:size])  # let libraries set themselves up before the capture
            graph = torch.cuda.CUDAGraph(keep_graph=True)
            with torch.cuda.graph(graph):
                outputs[:size].copy_(model(inputs[:size]))
            graphs[size] = registry.register(graph, name=f"batch of {size}")
        registry.seal()

        for size in (4, 32, 1, 16):
            graphs[size].replay()
            torch.testing.assert_close(outputs[:size], model(inputs[:size]), rtol=1e-3, atol=1e-3)
    print(registry.stats())


if __name__ == "__main__":
    main()
