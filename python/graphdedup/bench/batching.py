"""Which batch sizes a server decodes, step by step: a real trace through a model of continuous batching."""

from __future__ import annotations

import csv
import datetime
import gzip
import io
from collections import Counter
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from graphdedup._arguments import invalid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_BATCH = 256
BUCKETS = (1, 2, 4, *range(8, 257, 8))
"""The 35 sizes that runners capture by default, to which they pad."""

_FILES = {"azure": "azure_llm_2023_conv.csv.gz", "mooncake": "mooncake_conversation.csv.gz"}
TRACES = tuple(_FILES)


class Request(NamedTuple):
    """One request of a trace: when it arrived, and how many tokens were generated for it."""

    arrival_ms: float
    tokens: int


def load_trace(name: str) -> list[Request]:
    """Read a trace, in order of arrival.

    Raises:
        InvalidArgumentError: There is no such trace.
    """
    if name not in _FILES:
        raise invalid("bench", "trace", f"must be one of {', '.join(TRACES)}, not {name!r}")
    data = (resources.files("graphdedup.bench") / "data" / _FILES[name]).read_bytes()
    with io.TextIOWrapper(gzip.GzipFile(fileobj=io.BytesIO(data)), encoding="utf-8") as text:
        rows = csv.DictReader(text)
        requests = list(_azure(rows) if name == "azure" else _mooncake(rows))
    return sorted(requests)


def step_ms(batch_size: int) -> float:
    """Duration of one decode step in the model: 2.2 ms for one sequence, 9.4 ms for 256, linear between."""
    return 2.2 + 7.2 * batch_size / MAX_BATCH


def batch_sizes(requests: Sequence[Request], *, rate: float = 1, steps: int, max_batch: int = MAX_BATCH) -> list[int]:
    """Say how many sequences are decoded at each step.

    A request joins the batch at the first step after it has arrived at which there is room, and leaves it after its
    last token. Prefill takes no time.

    Args:
        requests: In order of arrival.
        rate: How many times faster than in the trace they arrive.
        steps: End after so many; there may be fewer.
        max_batch: Most sequences that are decoded together.
    """
    sizes: list[int] = []
    leaving: Counter[int] = Counter()
    now = 0.0
    next_request = running = 0
    first = requests[0].arrival_ms if requests else 0.0
    while len(sizes) < steps:
        step = len(sizes)
        running -= leaving.pop(step, 0)
        while next_request < len(requests) and running < max_batch:
            arrival, tokens = requests[next_request]
            if (arrival - first) / rate > now:
                break
            next_request += 1
            if tokens > 0:
                running += 1
                leaving[step + tokens] += 1
        if running:
            sizes.append(running)
            now += step_ms(running)
        elif next_request < len(requests):
            now = max(now, (requests[next_request].arrival_ms - first) / rate)
        else:
            break
    return sizes


def padded(size: int, buckets: Sequence[int] = BUCKETS) -> int:
    """Return the smallest bucket, of a rising list, that holds a batch of this size."""
    return next(bucket for bucket in buckets if bucket >= size)


def _azure(rows: csv.DictReader[str]) -> Iterator[Request]:
    for row in rows:
        arrived = datetime.datetime.fromisoformat(row["TIMESTAMP"][:26]).replace(tzinfo=datetime.timezone.utc)
        yield Request(arrived.timestamp() * 1e3, int(row["GeneratedTokens"]))


def _mooncake(rows: csv.DictReader[str]) -> Iterator[Request]:
    for row in rows:
        yield Request(float(row["timestamp_ms"]), int(row["output_tokens"]))
