"""The GPU suite: skipped only where there is no NVIDIA driver or no device. Anything else missing is a failure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import graphdedup
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent


def why_no_device() -> str:
    try:
        driver = graphdedup.Driver.open()
    except graphdedup.DriverNotFoundError as error:
        return f"no driver: {error}"
    return "" if driver.device_count() > 0 else "no device"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    mine = [item for item in items if HERE in item.path.parents]
    why = why_no_device() if mine else ""
    for item in mine:
        item.add_marker(pytest.mark.gpu)
        if why:
            item.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(name="torch")
def torch_module() -> Any:
    import torch

    torch.cuda.set_device(0)
    torch.cuda.init()
    return torch


@pytest.fixture(name="registry")
def open_registry() -> Iterator[graphdedup.Registry]:
    with graphdedup.Registry() as registry:
        yield registry


@pytest.fixture(name="capture")
def capture_function(torch: Any) -> Callable[..., Any]:
    """Captures a function's work after a run of it, as torch's documentation asks."""

    def capture(work: Callable[[], object], prepare: Callable[[Any], None] | None = None) -> Any:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            work()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph(keep_graph=True)
        if prepare is not None:
            prepare(graph)
        with torch.cuda.graph(graph):
            work()
        return graph

    return capture


class Doubler:
    """One element-wise kernel: what comes in, doubled."""

    def __init__(self, torch: Any, capture: Callable[..., Any], elements: int) -> None:
        self.input = torch.zeros(elements, device="cuda")
        self.output = torch.zeros(elements, device="cuda")
        self.graph = capture(lambda: torch.mul(self.input, 2, out=self.output))

    def check(self, replay: Callable[[], None], value: float) -> None:
        """Replay with an input and look at every element."""
        self.input.fill_(value)
        self.output.fill_(-1)
        replay()
        assert self.output.eq(2 * value).all().item()


@pytest.fixture(name="make_doubler")
def doubler_function(torch: Any, capture: Callable[..., Any]) -> Callable[[int], Doubler]:
    return lambda elements: Doubler(torch, capture, elements)
