"""What the tests without a GPU share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import graphdedup
import pytest
from graphdedup import recorded, sim
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# The first is the one in force; `--hypothesis-profile=search` takes the other.
_common = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
settings.register_profile("ci", _common, max_examples=60, derandomize=True, database=None)
settings.register_profile("search", _common, max_examples=3000)
settings.load_profile("ci")

DATA = Path(__file__).parents[1] / "data" / "h200"


@pytest.fixture(name="data")
def data_directory() -> Path:
    return DATA


@pytest.fixture(name="driver")
def simulated_driver() -> Iterator[graphdedup.Driver]:
    """A fresh simulation, in which nothing was misused in the end."""
    driver = sim.driver()
    # The first graphs that could share make a registry try out what the device does: not what the tests look at.
    with graphdedup.Registry(driver=driver) as registry:
        for name in ("layer0_b001", "layer1_b001"):
            registry.register(sim.build(recorded.load_graph(DATA / "piecewise" / f"{name}.json.gz").snapshot))
    sim.clear_launches()
    yield driver
    assert sim.misuse() == ""


@pytest.fixture(name="registry")
def open_registry(driver: graphdedup.Driver) -> Iterator[graphdedup.Registry]:
    with graphdedup.Registry(driver=driver) as registry:
        yield registry


@pytest.fixture(name="build")
def build_function(driver: graphdedup.Driver) -> Callable[[str], int]:
    """Builds a recorded graph on the simulated driver: ``build("piecewise/layer0_b001")``."""

    def build(name: str) -> int:
        return sim.build(recorded.load_graph(DATA / f"{name}.json.gz").snapshot)

    return build
