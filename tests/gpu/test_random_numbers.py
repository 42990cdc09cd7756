"""Random numbers of shared graphs are torch's own, bit for bit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    import graphdedup

SEED = 7
STEPS = 6


class Sampler:
    """A graph that draws from a generator into its own output."""

    def __init__(self, torch: Any, capture: Callable[..., Any], kind: str, generator: Any = None) -> None:
        self.input = ones = torch.ones(4096, device="cuda")  # kept: a graph reads it by address
        self.output = torch.zeros_like(ones)

        def draw() -> None:
            if kind == "rand":
                self.output.copy_(torch.rand(4096, device="cuda", generator=generator))
            else:
                self.output.copy_(torch.nn.functional.dropout(ones, 0.5) + torch.rand_like(ones))

        prepare = None if generator is None else (lambda graph: graph.register_generator_state(generator))
        self.graph = capture(draw, prepare)


@pytest.mark.parametrize("kind", ["rand", "dropout"])
def test_shared_graphs_draw_what_torch_draws(
    kind: str, torch: Any, registry: graphdedup.Registry, capture: Callable[..., Any]
) -> None:
    plain = Sampler(torch, capture, kind)
    torch.manual_seed(SEED)
    expected = []
    for _ in range(STEPS):
        plain.graph.replay()
        expected.append(plain.output.clone())
    expected_offset = torch.cuda.default_generators[0].get_offset()
    assert not torch.equal(expected[0], expected[1])

    samplers = [Sampler(torch, capture, kind) for _ in range(2)]
    torch.manual_seed(SEED)
    before = torch.cuda.default_generators[0].get_offset()
    shared = [registry.register(sampler.graph) for sampler in samplers]
    assert torch.cuda.default_generators[0].get_offset() == before, "registering moved the generator"
    assert registry.stats().executables == 1

    for step in range(STEPS):
        shared[step % 2].replay()
        assert torch.equal(samplers[step % 2].output, expected[step])
    assert torch.cuda.default_generators[0].get_offset() == expected_offset


def test_random_and_plain_graphs_on_another_stream(
    torch: Any, registry: graphdedup.Registry, capture: Callable[..., Any]
) -> None:
    plain = Sampler(torch, capture, "dropout")
    torch.manual_seed(SEED)
    plain.graph.replay()
    expected = plain.output.clone()

    sampler = Sampler(torch, capture, "dropout")
    shared = registry.register(sampler.graph)
    torch.manual_seed(SEED)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    shared.replay(stream)
    stream.synchronize()
    assert torch.equal(sampler.output, expected)


def test_a_generator_of_the_users_own(torch: Any, registry: graphdedup.Registry, capture: Callable[..., Any]) -> None:
    generator = torch.Generator(device="cuda")
    plain = Sampler(torch, capture, "rand", generator)
    generator.manual_seed(SEED)
    expected = []
    for _ in range(STEPS):
        plain.graph.replay()
        expected.append(plain.output.clone())
    expected_offset = generator.get_offset()

    samplers = [Sampler(torch, capture, "rand", generator) for _ in range(2)]
    generator.manual_seed(SEED)
    shared = [registry.register(sampler.graph) for sampler in samplers]
    assert generator.get_offset() == 0, "registering moved the generator"
    for step in range(STEPS):
        shared[step % 2].replay()
        assert torch.equal(samplers[step % 2].output, expected[step])
    assert generator.get_offset() == expected_offset


def test_eager_draws_in_between_keep_their_place(
    torch: Any, registry: graphdedup.Registry, capture: Callable[..., Any]
) -> None:
    def run(sampler: Sampler, replay: Callable[[], None]) -> list[Any]:
        torch.manual_seed(SEED)
        drawn = []
        for _ in range(3):
            replay()
            drawn += [sampler.output.clone(), torch.rand(16, device="cuda")]
        return drawn

    plain = Sampler(torch, capture, "rand")
    expected = run(plain, plain.graph.replay)
    sampler = Sampler(torch, capture, "rand")
    drawn = run(sampler, registry.register(sampler.graph).replay)
    assert all(torch.equal(a, b) for a, b in zip(drawn, expected, strict=True))


def test_no_pending_error_after_registration(
    torch: Any, registry: graphdedup.Registry, capture: Callable[..., Any]
) -> None:
    registry.register(Sampler(torch, capture, "rand").graph)
    torch.cuda.synchronize()
    assert torch.ones(8, device="cuda").sum().item() == 8
