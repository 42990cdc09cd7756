"""The demo on the simulated driver, and its decoder on the CPU."""

from __future__ import annotations

from typing import Any

import graphdedup
import pytest
from graphdedup import demo, sim
from graphdedup.demo import simulated


@pytest.mark.parametrize("profile", sim.profiles())
def test_nothing_is_wrong_on_any_simulated_driver(profile: str) -> None:
    result = simulated.run(replays=150, profile=profile)
    assert (result.replays, result.wrong) == (150, 0)
    assert (result.switches > 0) == (result.executables < result.graphs)
    assert profile in result.driver


def test_the_same_seed_gives_the_same_order() -> None:
    assert simulated.run(replays=100, seed=3) == simulated.run(replays=100, seed=3)


def test_shipped_graphs_are_small_and_many() -> None:
    graphs = simulated.shipped_graphs()
    assert len(graphs) >= 12
    assert len({graph.name for graph in graphs}) == len(graphs)
    assert sum(graph.path.stat().st_size for graph in graphs) < 200 * 1024


def test_no_replays() -> None:
    assert demo.run("simulated", replays=0).replays == 0


def test_a_negative_count() -> None:
    with pytest.raises(graphdedup.InvalidArgumentError, match="replays"):
        demo.run("simulated", replays=-1)


def test_the_decoder_is_repeatable_and_depends_on_its_input_alone() -> None:
    torch = pytest.importorskip("torch")
    from graphdedup.demo.decoder import DecoderConfig, make_decoder

    config = DecoderConfig(
        layers=2, hidden=64, heads=4, kv_heads=2, head_size=16, feed_forward=96, vocabulary=50, max_batch=4
    )
    model = make_decoder(config, "cpu", seed=1)
    positions = torch.tensor([3, 0, 7, 5])
    inputs = [torch.tensor([1, 2, 3, 4]), torch.tensor([9, 8, 7, 6])]
    with torch.no_grad():
        first = [model(ids, positions) for ids in inputs]
        again = [model(ids, positions) for ids in reversed(inputs)][::-1]
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first[0], first[1])
    assert all(logits.isfinite().all() for logits in first)


@pytest.mark.parametrize("option", [{"replays": "5"}, {"replays": True}, {"seed": "x"}, {"where": "x"}], ids=str)
def test_options_that_cannot_be(option: dict[str, Any]) -> None:
    with pytest.raises(graphdedup.InvalidArgumentError, match=next(iter(option))):
        demo.run(**{"where": "simulated", "replays": 1, **option})


def test_without_a_repeatable_output_nothing_is_said_to_be_right(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from graphdedup.demo import gpu

    class Steps:
        def __init__(self, *_: object) -> None:
            self.count = 0

        def replay(self, *_: object) -> Any:
            self.count += 1
            return torch.tensor(self.count)

    monkeypatch.setattr(gpu, "_CapturedSteps", Steps)
    with pytest.raises(graphdedup.GraphDedupError, match="nothing to compare with"):
        gpu.run(replays=5, batch_sizes=[1, 2])
