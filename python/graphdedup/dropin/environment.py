"""The drop-in by environment variables, for hosts that call plug-ins."""

from __future__ import annotations

import os
from typing import Any

from graphdedup._logging import logger
from graphdedup.dropin.placing import install

_NUMBERS = ("execs_per_group", "memory_budget_bytes", "instantiate_flags", "device")


def plugin() -> None:
    """Install where ``GRAPHDEDUP=1``, with the options of ``GRAPHDEDUP_OPTIONS``. Never raises."""
    if os.environ.get("GRAPHDEDUP") != "1":
        return
    try:
        install(**parsed_options(os.environ.get("GRAPHDEDUP_OPTIONS", "")))
    except Exception as error:  # the host has to start
        logger.warning("GRAPHDEDUP=1: graphdedup steps aside: %s", error)


def parsed_options(text: str) -> dict[str, Any]:
    """Read options such as ``vary=kernel,execs_per_group=2``."""
    options: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, _, value = part.partition("=")
        if name == "vary" and value in {"arguments", "grid", "kernel"}:
            options[name] = value
        elif name == "lazy" and value in {"0", "1"}:
            options[name] = value == "1"
        elif name in _NUMBERS:
            options[name] = int(value)
        else:
            raise ValueError(f"GRAPHDEDUP_OPTIONS: {part!r}")
    return options
