"""What a run of the benchmarks found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Ratios:
    """Each is ours over what it is compared with, unless it says otherwise; None where it was not measured.

    Attributes:
        signature_speedup: Python reference over ours, a node.
        signature_us_per_node: Walk and signature of a node, in microseconds.
        register_over_plain: Registering 256 raw graphs over instantiating and first launching each with torch.
        register_torch_over_plain: The same with torch graphs, which are taken over.
        memory_over_plain: Device memory of 256 shared decode graphs over that of 256 executables.
        hit_over_torch: Replay of a loaded member over torch's own replay.
        prepared_over_hit: Replay after `SharedGraph.prepare` over replay of a member that was loaded all along.
        switch_over_bare: Replay that updates over update and launch of the same graphs through the driver.
        delta_over_bare: The same where the arguments of a tenth of the nodes differ.
        trace35_over_plain: Total time of a trace window, 35 buckets, no preparation, half of the plain memory.
        trace256_over_plain: Every size, prepared a step ahead, a tenth of the plain memory.
        members_scaling: Replay with 10,000 members over replay with 10.
    """

    signature_speedup: float | None = None
    signature_us_per_node: float | None = None
    register_over_plain: float | None = None
    register_torch_over_plain: float | None = None
    memory_over_plain: float | None = None
    hit_over_torch: float | None = None
    prepared_over_hit: float | None = None
    switch_over_bare: float | None = None
    delta_over_bare: float | None = None
    trace35_over_plain: float | None = None
    trace256_over_plain: float | None = None
    members_scaling: float | None = None


@dataclass
class Report:
    """A run.

    Attributes:
        machine: Device, driver and versions.
        ratios: The figures to compare.
        why_not: Why a ratio is None although it was asked for, by its name.
        raw: What the ratios were made of and all else that was measured, by measurement.
        seconds: What each measurement took.
    """

    machine: dict[str, Any] = field(default_factory=dict)
    ratios: Ratios = field(default_factory=Ratios)
    why_not: dict[str, str] = field(default_factory=dict)
    raw: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
