"""Fills a folder with seeds for fuzz_readers: small recordings of tests/data, and texts that hold what those lack."""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data" / "h200"
# Large seeds make each run slow and teach the fuzzer nothing that a small one does not.
MAX_SEED_BYTES = 12_000

KERNEL = {
    "type": "kernel",
    "function": 0,
    "grid": [1, 2, 3],
    "block": [32, 1, 1],
    "shared_memory_bytes": 0,
    "attributes": {
        "access_policy_window": {
            "base_ptr": 1,
            "num_bytes": 2,
            "hit_ratio": 0.5,
            "hit_property": 1,
            "miss_property": 2,
        },
        "cooperative": 1,
        "cluster_dimension": [4, 1, 1],
        "priority": -3,
        "mem_sync_domain_map": [0, 1],
        "preferred_cluster_dimension": None,
        "attribute_30": "00" * 64,
    },
    "arguments": "extra",
    "argument_bytes": "00112233445566778899aabbccddeeff",
}
OPERAND = {"address": 2**64 - 1, "pitch_bytes": 1, "height": 2, "x_bytes": 3, "y": 4, "z": 5, "lod": 6}
NODES = [
    KERNEL,
    {
        "type": "memcpy",
        "src_type": 1,
        "dst_type": 2,
        "width_bytes": 8,
        "height": 1,
        "depth": 1,
        "src": OPERAND,
        "dst": OPERAND,
    },
    {"type": "memset", "element_bytes": 4, "width": 5, "height": 1, "value": 7, "destination": 4096, "pitch_bytes": 64},
    {"type": "host", "function": 1, "user_data": 2},
    {"type": "wait_event", "event": 3},
    {"type": "event_record", "event": 3},
    *({"type": kind} for kind in ("empty", "ext_semas_signal", "mem_alloc", "mem_free", "conditional", "type_27")),
]
EDGES = [[0, 1, 0, 0, 0], [0, 2, 1, 0, 1], [1, 3, 0, 0, 0], [2, 3, 0, 0, 0]]
INNER = {"nodes": NODES, "edges": EDGES}
GRAPHS = {
    "all_kinds": {**INNER, "exact": False},
    "child": {"nodes": [{"type": "graph", "child": INNER}], "edges": []},
    "empty": {"nodes": [], "edges": []},
}


def seeds() -> dict[str, bytes]:
    found = {f"{name}.json": json.dumps(graph, separators=(",", ":")).encode() for name, graph in GRAPHS.items()}
    for path in sorted(DATA.rglob("*.gz")):
        text = gzip.decompress(path.read_bytes())
        if len(text) <= MAX_SEED_BYTES:
            found[f"{path.parent.name}-{path.stem}"] = text
    for path in sorted(DATA.rglob("*.dot")):
        found[f"{path.parent.name}-{path.name}"] = path.read_bytes()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the seeds go; made if it is not there")
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in seeds().items():
        (folder / name).write_bytes(text)


if __name__ == "__main__":
    main()
