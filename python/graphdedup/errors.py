"""Typed errors. Each says which operation failed and which object it was about."""

from __future__ import annotations

from typing import Any, ClassVar


class GraphDedupError(Exception):
    """Base of everything that graphdedup raises.

    Attributes:
        operation: What was asked for, such as ``"Registry.register"``.
        object: What it was asked of, such as ``"graph 0x55d0c8a1b2f0"`` or ``"member 12"``.
    """

    _keywords: ClassVar[tuple[str, ...]] = ("operation", "object")

    def __init__(self, message: str, *, operation: str = "", object: str = "") -> None:  # noqa: A002
        super().__init__(message)
        self.operation = operation
        self.object = object

    def __reduce__(self) -> tuple[Any, ...]:
        # Exception would call the class with the message alone; attributes must survive a trip to another process.
        return _rebuild, (
            type(self),
            str(self),
            {name: getattr(self, name) for name in self._keywords},
            dict(self.__dict__),
        )


def _rebuild(
    cls: type[GraphDedupError], message: str, keywords: dict[str, Any], attributes: dict[str, Any]
) -> GraphDedupError:
    error = cls(message, **keywords)
    error.__dict__.update(attributes)
    return error


class InvalidArgumentError(GraphDedupError, ValueError):
    """An argument has a type or a value that the operation does not take."""


class InvalidGraphError(GraphDedupError):
    """The graph cannot be used: null, not captured yet, already destroyed, registered before."""


class WrongDeviceError(GraphDedupError):
    """The graph, or the current context, belongs to another device or context than the registry."""


class RegistrySealedError(GraphDedupError):
    """The registry takes no more graphs: ``seal()`` was called."""


class RegistryClosedError(GraphDedupError):
    """The registry is closed, or the graph was removed from it."""


class FormatError(GraphDedupError, ValueError):
    """A file is not what it should be: truncated, of another format, or contradicting itself."""


class DriverNotFoundError(GraphDedupError):
    """No usable CUDA driver: the library was not found, or lacks a symbol that is needed."""


class DriverError(GraphDedupError):
    """A driver call returned an error.

    Attributes:
        call: The driver function, such as ``"cuGraphInstantiateWithParams"``.
        status: The ``CUresult``.
        status_name: Its name, such as ``"CUDA_ERROR_INVALID_VALUE"``.
    """

    _keywords = ("operation", "object", "call", "status", "status_name")

    def __init__(
        self,
        message: str,
        *,
        operation: str = "",
        object: str = "",  # noqa: A002
        call: str = "",
        status: int = 0,
        status_name: str = "",
    ) -> None:
        super().__init__(message, operation=operation, object=object)
        self.call = call
        self.status = status
        self.status_name = status_name


class OutOfDeviceMemoryError(DriverError, MemoryError):
    """The device had no memory for an executable, after idle ones had been dropped and the call repeated once."""
