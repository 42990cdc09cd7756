"""Run a script and record each graph that it captures with torch."""

from __future__ import annotations

import contextlib
import runpy
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from graphdedup.torch.interface import PythonGraph

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graphdedup.record import Recording


def recording_class(recording: Recording) -> Any:
    """Make a class that can stand in for ``torch.cuda.CUDAGraph`` and writes each graph at the end of its capture.

    The graph is always kept by torch, so that there is something to read; what the caller asked for is otherwise
    unchanged.
    """

    class RecordingGraph(PythonGraph):  # type: ignore[misc, unused-ignore]
        """A ``torch.cuda.CUDAGraph`` that is written down when it has been captured."""

        def __new__(cls, keep_graph: bool = False) -> Any:
            graph = super().__new__(cls, True)
            graph._kept_by_caller = keep_graph
            return graph

        def __init__(self, keep_graph: bool = False) -> None:  # noqa: ARG002 - as above
            super().__init__(True)

        def capture_end(self) -> None:
            super().capture_end()
            recording.add(f"graph_{len(recording.names):04}", self)
            if not self._kept_by_caller:
                self.instantiate()  # torch does so at the end of such a capture

    return RecordingGraph


@contextlib.contextmanager
def recorded_captures(recording: Recording) -> Iterator[None]:
    """Put the recording class in torch's place for a while."""
    module: Any = torch.cuda.graphs
    before = module.CUDAGraph
    stand_in = recording_class(recording)
    module.CUDAGraph = torch.cuda.CUDAGraph = stand_in
    try:
        yield
    finally:
        module.CUDAGraph = torch.cuda.CUDAGraph = before


def run_script(recording: Recording, script: str, arguments: Sequence[str]) -> int:
    """Run a script as ``__main__`` and record its captures.

    Returns:
        Its exit status; 1, with a traceback on stderr, where an exception ended it.
    """
    argv, path = sys.argv, sys.path[:]
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(Path(script).resolve().parent))
    try:
        with recorded_captures(recording):
            runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        return _status(end.code)
    except Exception:
        traceback.print_exc()
        return 1
    finally:
        sys.argv, sys.path[:] = argv, path
    return 0


def _status(code: object) -> int:
    if code is None or isinstance(code, int):
        return code or 0
    print(code, file=sys.stderr)
    return 1
