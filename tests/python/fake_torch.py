"""A ``torch.cuda.CUDAGraph`` for machines without a GPU: torch's own sequence of steps, on the simulated driver.

torch must be installed, a build without CUDA is enough. Faked are the C++ class below ``torch.cuda.CUDAGraph`` and the
few functions of ``torch.cuda`` that the adapter calls; dispatch modes and tensors are torch's.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

from graphdedup import _core

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest


class FakeGenerator:
    """The offset of a generator, and the tensors that a replay fills."""

    def __init__(self, torch: Any) -> None:
        self.offset = 0
        self.seed_tensor = torch.zeros(1, dtype=torch.long)
        self.offset_tensor = torch.zeros(1, dtype=torch.long)

    def get_offset(self) -> int:
        return self.offset

    def set_offset(self, offset: int) -> None:
        self.offset = offset

    def replay_prologue(self, increment: int) -> None:
        self.seed_tensor.fill_(1)
        self.offset_tensor.fill_(self.offset)
        self.offset += increment


class FakeCuda:
    """The state that the fakes share."""

    def __init__(self, torch: Any, driver: _core.Driver) -> None:
        self.torch = torch
        self.driver = driver
        self.generators = [FakeGenerator(torch)]
        self.stream = 0
        self.capturing = False
        self.torch_replays: list[tuple[Any, int]] = []
        self.registries: list[_core.Registry] = []

    def close(self) -> None:
        """Destroy what the fakes instantiated, before the simulation is gone."""
        self.torch_replays.clear()
        for registry in self.registries:
            registry.close()

    @contextlib.contextmanager
    def stream_context(self, stream: int) -> Iterator[None]:
        before, self.stream = self.stream, stream
        try:
            yield
        finally:
            self.stream = before


def install(monkeypatch: pytest.MonkeyPatch, torch: Any, driver: _core.Driver) -> tuple[FakeCuda, Any]:
    """Put the fakes in torch's place and return the shared state and the graph class."""
    cuda = FakeCuda(torch, driver)

    class RawGraph:
        next_capture: tuple[int, dict[FakeGenerator, int]] = (0, {})

        def __new__(cls, keep_graph: bool = False) -> Any:  # noqa: ARG004 - as torch's
            return super().__new__(cls)

        def __init__(self, keep_graph: bool = False) -> None:
            self.keep_graph = keep_graph
            self.raw = 0
            self.increments: dict[FakeGenerator, int] = {}
            self.executable: Any = None

        def capture(self, raw: int, increments: dict[FakeGenerator, int] | None = None) -> Any:
            self.raw = raw
            self.increments = increments or {}
            return self

        def capture_begin(self) -> None:
            cuda.capturing = True

        def capture_end(self) -> None:
            cuda.capturing = False
            self.capture(*RawGraph.next_capture)

        def raw_cuda_graph(self) -> int:
            if not self.keep_graph:
                raise RuntimeError("You cannot access the raw cudaGraph_t instance unless ... keep_graph=true")
            if not self.raw:
                raise RuntimeError("You cannot access the raw cudaGraph_t instance until capture_end() has been called")
            return self.raw

        def raw_cuda_graph_exec(self) -> int:
            if self.executable is None:
                raise RuntimeError(
                    "You cannot access the raw cudaGraphExec_t instance until instantiate() has been called"
                )
            return 1

        def instantiate(self) -> None:
            registry = _core.Registry(driver)
            cuda.registries.append(registry)
            self.executable = registry.add(self.raw)

        def replay(self) -> None:
            if self.executable is None:
                self.instantiate()
            for generator, increment in self.increments.items():
                if increment:
                    generator.replay_prologue(increment)
            cuda.torch_replays.append((self, cuda.stream))
            self.executable.replay(cuda.stream)

        def reset(self) -> None:
            self.raw, self.executable, self.increments = 0, None, {}

    class CUDAGraph(RawGraph):
        def replay(self) -> None:
            super().replay()

        def instantiate(self) -> None:
            super().instantiate()

    for name in [name for name in sys.modules if name.startswith("graphdedup.torch")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(torch._C, "_CUDAGraph", RawGraph)
    monkeypatch.setattr(torch._C, "_cuda_getCurrentRawStream", lambda _device: cuda.stream, raising=False)
    for place in (torch.cuda, torch.cuda.graphs):
        monkeypatch.setattr(place, "CUDAGraph", CUDAGraph)
    monkeypatch.setattr(torch.cuda, "default_generators", tuple(cuda.generators))
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: cuda.capturing)
    monkeypatch.setattr(torch.cuda, "device", lambda _device: contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "ExternalStream", lambda handle, device: handle)  # noqa: ARG005
    monkeypatch.setattr(torch.cuda, "stream", cuda.stream_context)
    return cuda, CUDAGraph
