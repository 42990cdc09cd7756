"""Control of the simulated driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import graphdedup
import pytest
from graphdedup import Registry, sim

if TYPE_CHECKING:
    from collections.abc import Callable

PIECE = "piecewise/layer0_b001"


@pytest.mark.parametrize("profile", sim.profiles())
def test_every_profile_is_a_driver(profile: str) -> None:
    driver = sim.driver(profile)
    assert driver.version >= 12040
    assert driver.device_count() == 1
    assert profile in driver.device_name(0)


def test_starting_anew_forgets(driver: graphdedup.Driver, build: Callable[[str], int]) -> None:
    with Registry(driver=driver) as registry:
        registry.register(build(PIECE)).replay()
    assert sim.launches()
    sim.driver()
    assert sim.launches() == []
    assert sim.counters()["live_graph_count"] == 0


def test_what_there_is_not(driver: graphdedup.Driver) -> None:
    for ask in (
        lambda: sim.driver("driver1-abacus"),
        lambda: sim.fail("cuLaunchEverything"),
        lambda: sim.hide_symbol("cuLaunchEverything"),
        lambda: sim.set_behaviour("mood", 1),
    ):
        with pytest.raises(graphdedup.InvalidArgumentError):
            ask()
    assert driver.device_count() == 1


def test_a_fault_comes_at_its_turn_and_ends(driver: graphdedup.Driver, build: Callable[[str], int]) -> None:
    with Registry(driver=driver) as registry:
        shared = registry.register(build(PIECE))
        sim.fail("cuGraphLaunch", nth=2, status=719)
        calls = sim.call_count("cuGraphLaunch")
        shared.replay()
        with pytest.raises(graphdedup.DriverError) as caught:
            shared.replay()
        assert (caught.value.status, caught.value.call) == (719, "cuGraphLaunch")
        shared.replay()
        assert sim.call_count("cuGraphLaunch") == calls + 3
        sim.fail("cuGraphLaunch", count=0)
        sim.clear_faults()
        shared.replay()


def test_each_replay_runs_under_its_own_cluster_shape(build: Callable[[str], int]) -> None:
    """Though an update on the measured driver leaves the shape as it was: graphs of other shapes are kept apart."""
    names = ("piecewise/layer0_b001", "piecewise/layer0_b064", "piecewise/layer0_b256")
    with Registry(driver=sim.driver("driver580-h200")) as registry:
        shared = [registry.register(build(name)) for name in names]
        shapes = []
        for index in (0, 1, 2, 0, 1, 2):
            sim.clear_launches()
            shared[index].replay()
            shapes.append([launch.cluster for launch in sim.launches()])
    assert shapes[:3] == shapes[3:]
    assert any(shape != (0, 0, 0) for shape in shapes[0])


BAD_CALLS: list[Callable[[Any], object]] = [
    lambda value: sim.set_behaviour("log_enabled", value),
    sim.set_memory_limit,
    sim.refuse_every,
    lambda value: sim.fail("cuGraphLaunch", nth=value),
]


@pytest.mark.parametrize("call", BAD_CALLS)
@pytest.mark.parametrize("value", [-1, 1 << 64, "1", None])
def test_counts_that_cannot_be(call: Callable[[Any], object], value: Any) -> None:
    sim.driver()
    with pytest.raises(graphdedup.InvalidArgumentError):
        call(value)
