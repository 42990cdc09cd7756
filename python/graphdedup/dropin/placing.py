"""``install()``, ``uninstall()`` and ``dedup()``: the class in torch's place, and torch's back."""

from __future__ import annotations

import contextlib
import inspect
import sys
from typing import TYPE_CHECKING, Any

from graphdedup._logging import logger
from graphdedup.dropin import state
from graphdedup.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphdedup.registry import Registry

_before: list[tuple[Any, Any]] = []


def install(registry: Registry | None = None, **options: Any) -> None:
    """Put `graphdedup.torch.CUDAGraph` in the place of ``torch.cuda.CUDAGraph``. May be nested.

    Args:
        registry: Where graphs share. None: one a device, made at the first capture there.
        options: For the `Registry` made then.

    Raises:
        InvalidArgumentError: `Registry` has no such option.

    Example:
        >>> graphdedup.install(execs_per_group=2)
        >>> serve()  # whatever captures graphs with torch
        >>> graphdedup.uninstall()
    """
    _check_options(options)
    import torch  # noqa: PLC0415 - not needed before

    from graphdedup.torch.cuda_graph import CUDAGraph  # noqa: PLC0415

    graphs: Any = torch.cuda.graphs
    for name in escaped_names(graphs.CUDAGraph):
        logger.warning("install: %s was imported before and stays as it was", name)
    _before.append((torch.cuda.CUDAGraph, graphs.CUDAGraph))
    state.given.append((registry, options))
    graphs.CUDAGraph = torch.cuda.CUDAGraph = CUDAGraph  # type: ignore[misc, unused-ignore]


def _check_options(options: dict[str, Any]) -> None:
    """Refuse here what would otherwise show at the first capture only."""
    from graphdedup.registry import Registry  # noqa: PLC0415 - the package is still being imported above

    try:
        inspect.signature(Registry).bind(**options)
    except TypeError as error:
        raise InvalidArgumentError(f"install: options: {error}", operation="install", object="options") from error


def uninstall() -> None:
    """Undo the last `install`; nothing without one. Graphs that share go on sharing."""
    if not _before:
        return
    import torch  # noqa: PLC0415

    graphs: Any = torch.cuda.graphs
    torch.cuda.CUDAGraph, graphs.CUDAGraph = _before.pop()
    state.given.pop()


@contextlib.contextmanager
def dedup(registry: Registry | None = None, **options: Any) -> Iterator[None]:
    """`install` for a while."""
    install(registry, **options)
    try:
        yield
    finally:
        uninstall()


def escaped_names(original: object) -> list[str]:
    """Name the modules' attributes that hold torch's class under a name of their own."""
    return [
        f"{module_name}.{name}"
        for module_name, module in list(sys.modules.items())
        if not module_name.startswith(("torch.", "graphdedup.")) and module_name != "torch"
        for name, value in list(getattr(module, "__dict__", {}).items())
        if value is original
    ]
