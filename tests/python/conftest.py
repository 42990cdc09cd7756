"""What the tests without a GPU share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from graphdedup import recorded, sim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import graphdedup

DATA = Path(__file__).parents[1] / "data" / "h200"


@pytest.fixture(name="data")
def data_directory() -> Path:
    return DATA


@pytest.fixture(name="driver")
def simulated_driver() -> Iterator[graphdedup.Driver]:
    """A fresh simulation, in which nothing was misused in the end."""
    driver = sim.driver()
    yield driver
    assert sim.misuse() == ""


@pytest.fixture(name="build")
def build_function(driver: graphdedup.Driver) -> Callable[[str], int]:
    """Builds a recorded graph on the simulated driver: ``build("piecewise/layer0_b001")``."""

    def build(name: str) -> int:
        return sim.build(recorded.load_graph(DATA / f"{name}.json.gz").snapshot)

    return build
