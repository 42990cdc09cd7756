"""The drop-in class in torch's place: the same outputs as plain torch, with fewer executables."""

from __future__ import annotations

import gc
from functools import partial
from typing import TYPE_CHECKING, Any

import graphdedup
import pytest
from graphdedup.dropin import state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(name="dropin")
def dropin_registry(torch: Any) -> Iterator[graphdedup.Registry]:
    with graphdedup.Registry(device=0) as registry:
        with graphdedup.dedup(registry):
            yield registry
        gc.collect()
        torch.cuda.synchronize()


def _scaled(tensor: Any, factor: int, offset: int) -> Any:
    return tensor * factor + offset


def _capture(torch: Any, work: Callable[[], Any]) -> tuple[Any, Any]:
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        output = work()
    return graph, output


def test_torch_cuda_graph(torch: Any, dropin: graphdedup.Registry) -> None:
    inputs = [torch.zeros(size, device="cuda") for size in (1024, 2048, 4096)]
    graphs = [_capture(torch, partial(_scaled, tensor, 2, 1)) for tensor in inputs]
    for value in (3.0, 7.0):
        for tensor, (graph, output) in zip(inputs, graphs, strict=True):
            tensor.fill_(value)
            graph.replay()
            assert bool((output == 2 * value + 1).all())
    stats = dropin.stats()
    assert (stats.graphs, stats.executables, stats.replays) == (3, 1, 6)


def test_reset_and_collection_while_others_live(torch: Any, dropin: graphdedup.Registry) -> None:
    inputs = [torch.zeros(size, device="cuda") for size in (1024, 2048, 4096)]
    graphs = [_capture(torch, partial(_scaled, tensor, 2, 0)) for tensor in inputs]
    graphs[0][0].reset()
    graphs[0] = _capture(torch, partial(_scaled, inputs[0], 3, 0))
    del graphs[1]
    gc.collect()
    state.drain()
    assert dropin.stats().graphs == 2
    for index, factor in ((0, 3), (2, 2), (0, 3)):
        inputs[index].fill_(5)
        graph, output = graphs[min(index, 1)]
        graph.replay()
        assert bool((output == 5 * factor).all())


def test_dropout_repeats_with_the_seed(torch: Any) -> None:
    data = [torch.ones(size, device="cuda") for size in (1000, 3000)]

    def noisy(tensor: Any) -> Any:
        return torch.nn.functional.dropout(tensor, 0.5) + torch.rand_like(tensor)

    def run() -> list[Any]:
        graphs = [_capture(torch, partial(noisy, tensor)) for tensor in data]
        torch.cuda.manual_seed(11)
        results = []
        for graph, output in (graphs[0], graphs[1], graphs[0]):
            graph.replay()
            results.append(output.clone())
        return results

    plain = run()
    with graphdedup.Registry(device=0) as registry, graphdedup.dedup(registry):
        shared = run()
        assert all(torch.equal(a, b) for a, b in zip(plain, shared, strict=True))


def test_graphed_callables_forward_and_backward(torch: Any, dropin: graphdedup.Registry) -> None:
    def train(graphed: bool) -> list[Any]:
        torch.manual_seed(3)
        layers = [torch.nn.Linear(64, 64, device="cuda") for _ in range(3)]
        sample = torch.randn(32, 64, device="cuda", requires_grad=True)
        if graphed:
            layers = list(torch.cuda.make_graphed_callables(tuple(layers), tuple((sample,) for _ in layers)))
        results = []
        torch.manual_seed(4)
        for _ in range(3):
            value = torch.randn(32, 64, device="cuda", requires_grad=True)
            out = value
            for layer in layers:
                out = layer(out)
            out.square().sum().backward()
            results += [out.detach().clone(), value.grad.clone()]
        return results

    plain, shared = train(False), train(True)
    assert all(torch.allclose(a, b) for a, b in zip(plain, shared, strict=True))
    stats = dropin.stats()
    assert stats.graphs == 6
    assert stats.executables < stats.graphs
    assert stats.replays == 18


def test_compile_reduce_overhead(torch: Any, dropin: graphdedup.Registry) -> None:
    torch._dynamo.reset()

    def function(tensor: Any) -> Any:
        return torch.nn.functional.silu(tensor * 2) + tensor.sum(dim=-1, keepdim=True)

    compiled = torch.compile(function, mode="reduce-overhead", dynamic=False)
    with torch.no_grad():
        for _ in range(4):
            for size in (16, 32):
                tensor = torch.randn(size, 256, device="cuda")
                torch.compiler.cudagraph_mark_step_begin()
                assert torch.allclose(compiled(tensor), function(tensor), atol=1e-5)
    assert dropin.stats().graphs >= 2
    assert dropin.stats().replays > 0
    torch._dynamo.reset()


def test_uninstall_restores_torch(torch: Any) -> None:
    before = (torch.cuda.CUDAGraph, torch.cuda.graphs.CUDAGraph)
    with graphdedup.dedup():
        assert torch.cuda.CUDAGraph is not before[0]
    assert (torch.cuda.CUDAGraph, torch.cuda.graphs.CUDAGraph) == before
