"""Sharing as published in Python on cuda.bindings, written anew: what the library is compared with.

A graph is walked through the driver API. Its signature is a hash over the topology and, for each kernel node, the
function handle, the block dimensions, the dynamic shared memory and five launch attributes. Graphs of one signature
share an executable, which is updated when another one of them is replayed.
"""

from __future__ import annotations

import hashlib
from typing import Any

from graphdedup._arguments import invalid

ATTRIBUTES = (
    "CU_LAUNCH_ATTRIBUTE_COOPERATIVE",
    "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION",
    "CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE",
    "CU_LAUNCH_ATTRIBUTE_PRIORITY",
    "CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN",
)


def why_missing() -> str:
    """Say why the reference cannot run here; empty if it can."""
    try:
        from cuda.bindings import driver  # noqa: F401, PLC0415 - not needed elsewhere
    except ImportError as error:
        return f"cuda.bindings cannot be imported: {error}"
    return ""


class PythonReference:
    """Executables by signature."""

    def __init__(self) -> None:
        from cuda.bindings import driver  # noqa: PLC0415

        self._driver: Any = driver
        self._attributes = [getattr(driver.CUlaunchAttributeID, name) for name in ATTRIBUTES]
        self._executables: dict[bytes, Any] = {}
        self._loaded: dict[bytes, int] = {}
        self._signatures: dict[int, bytes] = {}

    def register(self, graph: int) -> bytes:
        """Sign a graph, and instantiate if it is the first of its signature."""
        signature = self.sign(graph)
        self._signatures[graph] = signature
        if signature not in self._executables:
            (self._executables[signature],) = self._checked(
                self._driver.cuGraphInstantiateWithFlags(self._driver.CUgraph(graph), 0)
            )
            self._loaded[signature] = graph
        return signature

    def replay(self, graph: int, stream: int) -> None:
        """Update the executable if another graph is loaded, and launch."""
        signature = self._signatures[graph]
        executable = self._executables[signature]
        if self._loaded[signature] != graph:
            self._checked(self._driver.cuGraphExecUpdate(executable, self._driver.CUgraph(graph)))
            self._loaded[signature] = graph
        self._checked(self._driver.cuGraphLaunch(executable, self._driver.CUstream(stream)))

    def sign(self, graph: int) -> bytes:
        """Walk and hash."""
        driver, handle = self._driver, self._driver.CUgraph(graph)
        count = self._checked(driver.cuGraphGetNodes(handle, 0))[-1]
        nodes = self._checked(driver.cuGraphGetNodes(handle, count))[0][:count]
        index = {int(node): number for number, node in enumerate(nodes)}
        digest = hashlib.sha256()
        for node in nodes:
            (kind,) = self._checked(driver.cuGraphNodeGetType(node))
            digest.update(repr(int(kind)).encode())
            if kind == driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL:
                digest.update(repr(self._kernel(node)).encode())
        edge_count = self._checked(driver.cuGraphGetEdges(handle, 0))[-1]
        edges = self._checked(driver.cuGraphGetEdges(handle, edge_count))
        pairs = [(index[int(a)], index[int(b)]) for a, b in zip(edges[0], edges[1], strict=True)]
        digest.update(repr(sorted(pairs)).encode())
        return digest.digest()

    def _kernel(self, node: Any) -> tuple[object, ...]:
        (parameters,) = self._checked(self._driver.cuGraphKernelNodeGetParams(node))
        shape = (parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ, parameters.sharedMemBytes)
        return int(parameters.func), shape, *(self._attribute(node, attribute) for attribute in self._attributes)

    def _attribute(self, node: Any, attribute: Any) -> object:
        status, value = self._driver.cuGraphKernelNodeGetAttribute(node, attribute)
        if int(status):
            return None
        if attribute == self._driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            return value.clusterDim.x, value.clusterDim.y, value.clusterDim.z
        if attribute == self._driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
            return int(value.cooperative)
        if attribute == self._driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PRIORITY:
            return int(value.priority)
        if attribute == self._driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
            return int(value.memSyncDomain)
        return int(value.clusterSchedulingPolicyPreference)

    @staticmethod
    def _checked(answer: tuple[Any, ...]) -> tuple[Any, ...]:
        if int(answer[0]):
            raise invalid("bench", "python reference", f"a driver call returned {answer[0]}")
        return answer[1:]
