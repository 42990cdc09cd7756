"""The typed errors: what they carry, and that they survive a trip to another process."""

from __future__ import annotations

import copy
import pickle

import pytest
from graphdedup import errors

PLAIN = [
    errors.GraphDedupError,
    errors.InvalidArgumentError,
    errors.InvalidGraphError,
    errors.WrongDeviceError,
    errors.RegistrySealedError,
    errors.RegistryClosedError,
    errors.FormatError,
    errors.DriverNotFoundError,
]
OF_DRIVER = [errors.DriverError, errors.OutOfDeviceMemoryError]


@pytest.mark.parametrize("cls", PLAIN)
def test_an_error_names_operation_and_object(cls: type[errors.GraphDedupError]) -> None:
    for error in (made := cls("it failed", operation="close", object="graph 0x1"), pickle.loads(pickle.dumps(made))):
        assert type(error) is cls
        assert (str(error), error.operation, error.object) == ("it failed", "close", "graph 0x1")


@pytest.mark.parametrize("cls", OF_DRIVER)
def test_a_driver_error_says_which_call(cls: type[errors.DriverError]) -> None:
    made = cls("it failed", operation="replay", object="member 1", call="cuGraphLaunch", status=2, status_name="CUDA_X")
    for error in (made, pickle.loads(pickle.dumps(made)), copy.copy(made)):
        assert type(error) is cls
        assert (str(error), error.operation, error.object) == ("it failed", "replay", "member 1")
        assert (error.call, error.status, error.status_name) == ("cuGraphLaunch", 2, "CUDA_X")


def test_errors_are_what_python_expects_too() -> None:
    assert issubclass(errors.InvalidArgumentError, ValueError)
    assert issubclass(errors.FormatError, ValueError)
    assert issubclass(errors.OutOfDeviceMemoryError, MemoryError)
    assert issubclass(errors.OutOfDeviceMemoryError, errors.DriverError)
    assert all(issubclass(cls, errors.GraphDedupError) for cls in PLAIN + OF_DRIVER)
