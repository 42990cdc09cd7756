"""What counts as a stream, and which one is meant when none is given."""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

from graphdedup.errors import InvalidArgumentError

StreamLike: TypeAlias = Any
"""An int handle, ``torch.cuda.Stream``, ``CUstream`` or ``cudaStream_t`` of cuda.bindings, ``cupy.cuda.Stream``, or an
object with ``__cuda_stream__() -> (version, handle)``, the protocol of cuda.core."""


def stream_handle(stream: StreamLike, operation: str) -> int:
    """Find the raw ``CUstream`` value.

    Raises:
        InvalidArgumentError: The object is no stream.
    """
    handle = _find(stream)
    if isinstance(handle, int) and not isinstance(handle, bool) and 0 <= handle < 1 << 64:
        return handle
    what = (
        f"{type(stream).__module__}.{type(stream).__qualname__} object" if not isinstance(stream, int) else repr(stream)
    )
    raise InvalidArgumentError(
        f"{operation}: takes an int, a torch.cuda.Stream, a cuda.bindings stream, or an object with __cuda_stream__, "
        f"cuda_stream or ptr as its stream, not {what}",
        operation=operation,
        object=f"stream {what}",
    )


def _find(stream: Any) -> object:
    if isinstance(stream, int):
        return stream
    if type(stream).__name__ in {"CUstream", "cudaStream_t"} and type(stream).__module__.split(".")[0] == "cuda":
        return int(stream)
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        answer = protocol() if callable(protocol) else protocol  # the first releases had a property
        return answer[1] if isinstance(answer, tuple) and len(answer) == 2 else None
    return getattr(stream, "cuda_stream", getattr(stream, "ptr", None))


class CurrentStream:
    """Calls give the stream that a replay runs on when none is named.

    That is torch's current stream of the device where torch is loaded and has started CUDA, and the legacy default
    stream (0) otherwise.
    """

    __slots__ = ("_device",)

    def __init__(self, device: int) -> None:
        self._device = device

    def __call__(self) -> int:
        """Return the stream's handle."""
        torch: Any = sys.modules.get("torch")
        if torch is None or not torch.cuda.is_initialized():
            return 0
        handle: int = torch._C._cuda_getCurrentRawStream(self._device)
        return handle
