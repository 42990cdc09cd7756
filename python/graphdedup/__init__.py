"""Let captured CUDA graphs share graph executables.

A runner captures many CUDA graphs that differ little, one a batch size or one a layer. Each executable costs device
memory and start-up time. graphdedup groups the graphs that may safely share one executable and updates it when another
of them is replayed.

Importing this package needs neither a GPU nor a driver nor torch, and imports none.

Example:
    >>> import graphdedup
    >>> registry = graphdedup.Registry()
    >>> shared = registry.register(graph)  # a torch.cuda.CUDAGraph(keep_graph=True), or a raw handle
    >>> shared.replay()
"""

from __future__ import annotations

import atexit

from graphdedup import _core, _logging
from graphdedup._core import Driver, __version__
from graphdedup.dropin.placing import dedup, install, uninstall
from graphdedup.errors import (
    DriverError,
    DriverNotFoundError,
    FormatError,
    GraphDedupError,
    InvalidArgumentError,
    InvalidGraphError,
    OutOfDeviceMemoryError,
    RegistryClosedError,
    RegistrySealedError,
    WrongDeviceError,
)
from graphdedup.explanation import Explanation
from graphdedup.registry import AUTO_FREE_ON_LAUNCH, USE_NODE_PRIORITY, Registry
from graphdedup.registry_stats import MemberInfo, RegistryStats
from graphdedup.shared_graph import SharedGraph

__all__ = [
    "AUTO_FREE_ON_LAUNCH",
    "USE_NODE_PRIORITY",
    "Driver",
    "DriverError",
    "DriverNotFoundError",
    "Explanation",
    "FormatError",
    "GraphDedupError",
    "InvalidArgumentError",
    "InvalidGraphError",
    "MemberInfo",
    "OutOfDeviceMemoryError",
    "Registry",
    "RegistryClosedError",
    "RegistrySealedError",
    "RegistryStats",
    "SharedGraph",
    "WrongDeviceError",
    "__version__",
    "dedup",
    "install",
    "uninstall",
]

_logging.install()

# At exit the driver may be gone before the last object is: what is held then is leaked rather than destroyed.
atexit.register(_core.prevent_driver_calls)
