"""What the core has to say goes to the logger ``graphdedup``."""

from __future__ import annotations

import logging

from graphdedup import _core

logger = logging.getLogger("graphdedup")


def install() -> None:
    """Send the core's log to the logger: refused updates as warnings, private graphs as information."""
    _core.set_log_sink(_write)


def _write(is_warning: bool, message: str) -> None:
    logger.log(logging.WARNING if is_warning else logging.INFO, "%s", message)
