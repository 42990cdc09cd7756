"""A proof on the spot: share graphs, replay them in random order, compare each replay with the plain one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from graphdedup import _core
from graphdedup._arguments import checked_int, invalid
from graphdedup.errors import GraphDedupError

if TYPE_CHECKING:
    from graphdedup.registry import Vary

Where: TypeAlias = Literal["auto", "gpu", "simulated"]
_PLACES = ("auto", "gpu", "simulated")


@dataclass(frozen=True)
class DemoResult:
    """What a demo found.

    Attributes:
        driver: What ran the graphs: the driver library and the device, or the simulated driver and its profile.
        simulated: True without a GPU: recorded graphs on the simulated driver.
        what: One sentence on what was done.
        graphs: Graphs that shared.
        groups: Groups that they formed.
        executables: Executables that served them.
        replays: Shared replays that were compared.
        switches: Of these, those that updated an executable first.
        refusals: Updates that the driver refused.
        wrong: Replays that differed from the plain one.
        unrepeatable: Plain replays that differed from themselves, and were left out of the comparison.
    """

    driver: str
    simulated: bool
    what: str
    graphs: int
    groups: int
    executables: int
    replays: int
    switches: int
    refusals: int
    wrong: int
    unrepeatable: int = 0


def run(where: Where = "auto", *, replays: int = 1000, seed: int = 0, vary: Vary = "kernel") -> DemoResult:
    """Run the demo on a GPU with torch, or else on the simulated driver.

    Args:
        where: ``"gpu"``, ``"simulated"``, or ``"auto"``: a GPU if torch has one.
        replays: How many shared replays to compare.
        seed: Of the random order.
        vary: As for `Registry`.

    Raises:
        InvalidArgumentError: An argument has a value that cannot be, or ``"gpu"`` where torch has none.
        GraphDedupError: The driver failed.
    """
    if where not in _PLACES:
        raise invalid("demo", "where", f"must be one of {', '.join(_PLACES)}, not {where!r}")
    checked_int("demo", "replays", replays, least=0)
    checked_int("demo", "seed", seed)
    why_not = "" if where == "simulated" else why_no_gpu()
    if where == "gpu" and why_not:
        raise invalid("demo", "gpu", why_not)
    if where == "simulated" or why_not:
        from graphdedup.demo import simulated  # noqa: PLC0415 - only what is used is loaded

        return simulated.run(replays=replays, seed=seed, vary=vary)
    from graphdedup.demo import gpu  # noqa: PLC0415 - imports torch

    return gpu.run(replays=replays, seed=seed, vary=vary)


def why_no_gpu() -> str:
    """Say why the demo cannot run on a GPU here; empty if it can. Imports torch only where there is a device."""
    try:
        driver = _core.Driver.open()
        if driver.device_count() == 0:
            return "the CUDA driver finds no device"
    except GraphDedupError as error:
        return str(error)
    try:
        import torch  # noqa: PLC0415 - slow, and needed only now
    except ImportError:
        return "torch is not installed"
    if not torch.cuda.is_available():
        return f"torch {torch.__version__} finds no CUDA device"
    return "" if hasattr(torch.cuda.CUDAGraph, "raw_cuda_graph") else f"torch {torch.__version__} is older than 2.8"
