"""The demo, and what walking and signing costs."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

import graphdedup

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


def test_demo_is_right(torch: Any) -> None:
    from graphdedup import demo

    result = demo.run("gpu", replays=600)
    assert not result.simulated
    assert result.graphs == 64
    assert result.executables < result.graphs
    assert result.switches > 0
    assert (result.replays, result.refusals, result.wrong, result.unrepeatable) == (600, 0, 0, 0)
    assert torch.cuda.get_device_name() in result.driver


def test_walk_and_signature_of_a_decoder(
    torch: Any, capture: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    from graphdedup.demo.decoder import DecoderConfig, make_decoder

    model = make_decoder(DecoderConfig(layers=18), "cuda", seed=0)
    ids = torch.zeros(8, dtype=torch.long, device="cuda")
    with torch.no_grad():
        graph = capture(lambda: model(ids, ids))
    costs_us = []
    with graphdedup.Registry() as registry:
        for _ in range(51):
            before_ns = registry.stats().sign_ns
            shared = registry.register(graph.raw_cuda_graph())
            nodes = shared.node_count
            costs_us.append((registry.stats().sign_ns - before_ns) / nodes / 1000)
            shared.remove()
    assert min(costs_us) > 0
    with capsys.disabled():
        print(
            f"\nwalk and signature: {statistics.median(costs_us):.3f} us a node "
            f"({nodes} nodes; median of 51 registrations, first {costs_us[0]:.3f})"
        )
