"""The demo, and what walking and signing costs."""

from __future__ import annotations

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

    config = DecoderConfig(layers=16)
    model = make_decoder(config, "cuda", seed=0)
    ids = torch.zeros(8, dtype=torch.long, device="cuda")
    with torch.no_grad():
        graphs = [capture(lambda: model(ids, ids)) for _ in range(8)]
        with graphdedup.Registry() as registry:
            shared = [registry.register(graph) for graph in graphs]
            stats = registry.stats()
            nodes = sum(graph.node_count for graph in shared)
    assert stats.sign_ns > 0
    with capsys.disabled():
        print(f"\nwalk and signature: {stats.sign_ns / nodes / 1000:.3f} us a node ({nodes // 8} nodes a graph)")
