"""The demo without a GPU: recorded graphs on the simulated driver, compared by what each replay would run."""

from __future__ import annotations

import random
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphdedup import recorded, sim
from graphdedup.demo import DemoResult
from graphdedup.registry import Registry

if TYPE_CHECKING:
    from graphdedup._core import Driver
    from graphdedup.registry import Vary

_STREAM = 0
SETS = ("piecewise", "decode")


def shipped_graphs() -> list[recorded.RecordedGraph]:
    """Load the recorded graphs that come with the package: layers, and whole decode steps, of a decoder on an H200."""
    with resources.as_file(resources.files("graphdedup.demo") / "data") as directory:
        return recorded.load(path for name in SETS for path in sorted(Path(directory, name).glob("*.json.gz")))


def run(*, replays: int = 1000, seed: int = 0, vary: Vary = "kernel", profile: str = sim.DEFAULT_PROFILE) -> DemoResult:
    """Build the shipped graphs, note what each runs with an executable of its own, share, and compare.

    Args:
        replays: How many shared replays to compare.
        seed: Of the random order.
        vary: As for `Registry`.
        profile: The driver to simulate.
    """
    graphs = shipped_graphs()
    driver = sim.driver(profile)
    handles = [sim.build(graph.snapshot) for graph in graphs]
    plain = [_plain_run(driver, handle) for handle in handles]
    with Registry(vary=vary, driver=driver) as registry:
        shared = [registry.register(handle, name=graph.name) for handle, graph in zip(handles, graphs, strict=True)]
        order = random.Random(seed)
        wrong = 0
        for _ in range(replays):
            index = order.randrange(len(shared))
            sim.clear_launches()
            shared[index].replay(_STREAM)
            wrong += sim.effects() != plain[index]
        stats = registry.stats()
    sim.clear_launches()
    return DemoResult(
        driver=f"simulated driver, profile {profile}",
        simulated=True,
        what=f"built {len(graphs)} graphs recorded on an H200 on the simulated driver, replayed them shared in random "
        "order, and compared what each replay runs (kernels, grids, blocks, shared memory, clusters, arguments, "
        "copies) with an executable of its own",
        graphs=stats.graphs,
        groups=stats.groups,
        executables=stats.executables,
        replays=stats.replays,
        switches=stats.switches,
        refusals=stats.refusals,
        wrong=wrong,
    )


def _plain_run(driver: Driver, handle: int) -> list[dict[str, Any]]:
    """Return what a graph runs with an executable that was instantiated from it."""
    with Registry(driver=driver) as alone:
        graph = alone.register(handle)
        sim.clear_launches()  # the first registration on a device may try out what the device does
        graph.replay(_STREAM)
    return sim.effects()
