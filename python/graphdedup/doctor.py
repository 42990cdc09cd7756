"""What this machine's driver and device do, tried out, and what follows for sharing.

Sharing leans on behaviour of ``cuGraphExecUpdate`` that CUDA does not document: that a refused update leaves the
executable as it was, and which fields an accepted one applies. `examine` runs small graphs of kernels that report how
they were launched, built at run time from PTX, so that no toolkit is needed.

Example:
    >>> from graphdedup import doctor
    >>> report = doctor.examine()
    >>> report.may_share
    True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphdedup import _core
from graphdedup._arguments import checked_int, open_driver

if TYPE_CHECKING:
    import os

    from graphdedup._core import Driver


@dataclass(frozen=True)
class Finding:
    """One thing that was tried.

    Attributes:
        name: What has to be true.
        needed: Sharing leans on it: a registry lets no two graphs share where it does not hold.
        holds: It was seen to be true.
        detail: What was seen instead, where it does not hold.
    """

    name: str
    needed: bool
    holds: bool
    detail: str


@dataclass(frozen=True)
class Report:
    """What was found on one device.

    Attributes:
        driver: Path of the driver library.
        driver_version: 1000 * major + 10 * minor of the newest CUDA that it supports.
        symbols: How many driver functions were found.
        missing_symbols: Optional ones that this driver does not have.
        device: Ordinal.
        device_name: As the driver says.
        compute_capability: ``(major, minor)``.
        findings: In the order in which they were tried.
        preferred_cluster_accepted: A launch may ask for a preferred cluster shape.
        preferred_cluster_honoured: It has an effect.
        preferred_cluster_readable: The driver tells that of a captured node.
        may_share: Everything that sharing needs holds.
        consequences: What follows, in words.
    """

    driver: str
    driver_version: int
    symbols: int
    missing_symbols: tuple[str, ...]
    device: int
    device_name: str
    compute_capability: tuple[int, int]
    findings: tuple[Finding, ...]
    preferred_cluster_accepted: bool
    preferred_cluster_honoured: bool
    preferred_cluster_readable: bool
    may_share: bool
    consequences: tuple[str, ...]


def examine(device: int = 0, driver: Driver | str | os.PathLike[str] | None = None) -> Report:
    """Try a device out, in its primary context. Takes some milliseconds and leaves nothing behind.

    Args:
        device: Ordinal.
        driver: As for `Registry`.

    Raises:
        InvalidArgumentError: An argument has a value that cannot be.
        DriverNotFoundError: There is no usable driver.
        DriverError: The device cannot be used, or there is none of this ordinal.
    """
    ordinal = checked_int("examine", "device", device)
    seen = _core.examine(open_driver("examine", driver), ordinal)
    return Report(
        driver=seen.driver_path,
        driver_version=seen.driver_version,
        symbols=seen.symbol_count,
        missing_symbols=tuple(seen.missing_symbols),
        device=seen.device,
        device_name=seen.device_name,
        compute_capability=divmod(seen.compute_capability, 10),
        findings=tuple(Finding(f.name, f.needed, f.holds, f.detail) for f in seen.findings),
        preferred_cluster_accepted=seen.preferred_cluster_accepted,
        preferred_cluster_honoured=seen.preferred_cluster_honoured,
        preferred_cluster_readable=seen.preferred_cluster_readable,
        may_share=seen.may_share,
        consequences=tuple(seen.consequences),
    )
