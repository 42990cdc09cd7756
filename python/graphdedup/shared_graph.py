"""One registered graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphdedup.errors import InvalidArgumentError
from graphdedup.streams import stream_handle

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphdedup import _core
    from graphdedup.registry import Registry
    from graphdedup.streams import StreamLike


class SharedGraph:
    """A graph that may share its executable with others. Made by `Registry.register`.

    All methods may be called from any thread. A replay holds its group's lock while it updates and launches, because an
    executable may be used by one thread at a time only (CUDA Driver API, "Graph object thread safety").
    """

    __slots__ = ("__weakref__", "_current_stream", "_member", "_registry", "_run")

    def __init__(self, registry: Registry, member: _core.SharedGraph, current_stream: Callable[[], int]) -> None:
        """For `Registry.register`."""
        self._registry = registry
        self._member = member
        self._current_stream = current_stream
        self._run = member.replay  # bound once: replay is the hot path

    def replay(self, stream: StreamLike = None) -> None:
        """Run the graph. Returns when the launch is queued, as `torch.cuda.CUDAGraph.replay` does.

        If another graph is loaded in the executable, it is updated first; a refused update costs an executable more and
        raises nothing. Random-number generators that torch registered with the graph advance as in torch's own replay.

        Args:
            stream: Where to run. None: torch's current stream of the registry's device where torch has started CUDA,
                else the legacy default stream. An int handle, a ``torch.cuda.Stream``, a ``cuda.bindings`` stream, or
                an object with ``__cuda_stream__``, ``cuda_stream`` or ``ptr``.

        Raises:
            RegistryClosedError: The registry is closed, or the graph was removed.
            OutOfDeviceMemoryError: A needed executable did not fit.
            DriverError: The launch failed.
            InvalidArgumentError: The object given is no stream.
        """
        if stream is None:
            self._run(self._current_stream())
        else:
            plain = type(stream) is int and not stream >> 64  # a handle as it is; of a negative number a bit is left
            self._run(stream if plain else stream_handle(stream, "SharedGraph.replay"))

    def prepare(self, stream: StreamLike = None, *, wait: bool = True) -> None:
        """Bring an executable to this graph and upload it, so that the next replay only launches.

        Worth calling a step ahead, from any thread: the launch after an update otherwise pays for the upload
        (``cuGraphUpload``). Another graph of the group that is replayed in between may undo it where the group has one
        executable only.

        Example:
            >>> graphs[batch_size].replay()
            >>> graphs[next_batch_size].prepare(wait=False)  # while the GPU works

        Args:
            stream: Where the upload is ordered; as in `replay`. Not for ``wait=False``.
            wait: False: return at once and let a thread of the registry's do it, on a stream of its own. A replay that
                comes before it has begun loads by itself; one that comes while it runs waits for the rest of it. One
                that has not begun gives way to a newer one of the same group. A failure is counted in
                `RegistryStats.prepare_failures` and leaves the work to the replay.

        Raises:
            RegistryClosedError, OutOfDeviceMemoryError, DriverError, InvalidArgumentError: As `replay`.
        """
        if not wait:
            if stream is not None:
                raise InvalidArgumentError(
                    "SharedGraph.prepare: stream: wait=False uploads on a stream of the registry's",
                    operation="SharedGraph.prepare",
                    object="stream",
                )
            self._member.prepare_in_background()
            return
        handle = self._current_stream() if stream is None else stream_handle(stream, "SharedGraph.prepare")
        self._member.prepare(handle)

    def remove(self) -> None:
        """Forget this graph and let go of it; executables stay for the others of its group. Idempotent.

        A torch graph is empty afterwards and says so when it is replayed.
        """
        self._registry._remove(self)

    @property
    def id(self) -> int:
        """A number of its own in its registry, never used again. Negative for a graph that is left to torch."""
        return self._member.id

    @property
    def name(self) -> str:
        """The name given at registration, or one made of the id."""
        return self._member.info().name

    @property
    def group(self) -> int:
        """Index of its group; graphs of one group share executables. Negative for a graph that is left to torch."""
        return self._member.info().group

    @property
    def node_count(self) -> int:
        """Number of nodes, those of child graphs included."""
        return self._member.info().node_count

    @property
    def loaded(self) -> bool:
        """True if an executable holds this graph now: a replay needs no update. Others may change that at once."""
        return self._member.loaded

    @property
    def private_reason(self) -> str:
        """Why this graph shares with nobody by rule; empty if it may share."""
        return self._member.info().private_reason

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.name!r}>"

    def _release(self) -> None:
        """Let go, without the registry's bookkeeping."""
        self._member.remove()

    def _registry_closed(self) -> None:
        """Follow the registry, which has just been closed."""
