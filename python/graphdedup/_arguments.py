"""Checks of arguments before they reach the core: what it cannot hold is a typed error here."""

from __future__ import annotations

import os
from pathlib import Path

from graphdedup import _core
from graphdedup.errors import InvalidArgumentError


def invalid(operation: str, what: str, why: str) -> InvalidArgumentError:
    """Make the error."""
    return InvalidArgumentError(f"{operation}: {what}: {why}", operation=operation, object=what)


def checked_int(operation: str, what: str, value: object, *, least: int = -(1 << 31), most: int = (1 << 31) - 1) -> int:
    """Return an int in a range, that of C's int by default; a bool is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        if least <= value <= most:
            return value
        raise invalid(operation, what, f"must be from {least} to {most}, not {value}")
    raise invalid(operation, what, f"must be an int, not {value!r}")


def checked_text(operation: str, what: str, value: object) -> str:
    """Return a str without lone surrogates."""
    try:
        if isinstance(value, str) and value.encode() is not None:
            return value
    except UnicodeEncodeError:
        pass
    raise invalid(operation, what, f"must be a str that UTF-8 can hold, not {value!r}")


def checked_path(operation: str, what: str, value: object) -> Path:
    """Return the path that a str or an ``os.PathLike`` names."""
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if isinstance(path, str) and "\0" not in path:
        return Path(path)
    raise invalid(operation, what, f"must be a path, not {value!r}")


def checked_vary(vary: object) -> str:
    """Return what the core can read: it says itself which levels there are."""
    return escaped(vary if isinstance(vary, str) else repr(vary))


def open_driver(operation: str, driver: object) -> _core.Driver:
    """Return a driver as it is, or open the one at a path; None: the default one.

    Raises:
        InvalidArgumentError: It is neither.
        DriverNotFoundError: There is no usable driver.
    """
    if isinstance(driver, _core.Driver):
        return driver
    path = os.fspath(driver) if isinstance(driver, os.PathLike) else "" if driver is None else driver
    if isinstance(path, str) and "\0" not in path and escaped(path) == path:
        return _core.Driver.open(path)
    raise invalid(operation, "driver", f"must be a Driver or the path of a library, not {driver!r}")


def escaped(text: str) -> str:
    """Return the text with a backslash escape for what UTF-8 cannot hold, as in file names of another encoding."""
    return text.encode("utf-8", "backslashreplace").decode()
