"""Importing needs nothing and brings in nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import graphdedup
import pytest

if TYPE_CHECKING:
    from pathlib import Path


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    return done.stdout


def test_import_brings_in_no_other_package() -> None:
    loaded = json.loads(run("import sys, json, graphdedup, graphdedup.cli; print(json.dumps(sorted(sys.modules)))"))
    tops = {name.split(".")[0] for name in loaded}
    assert tops.isdisjoint({"torch", "cuda", "cupy", "numpy", "rich", "matplotlib"})
    assert "graphdedup.torch" not in loaded


def test_import_needs_no_driver() -> None:
    code = """
import graphdedup
try:
    graphdedup.Registry()
except graphdedup.DriverNotFoundError as error:
    print(error.operation, error.object)
"""
    assert "/nowhere/libcuda.so" in run(code, GRAPHDEDUP_DRIVER="/nowhere/libcuda.so")


def test_an_open_registry_at_exit_is_quiet(data: Path) -> None:
    code = f"""
from graphdedup import Registry, recorded, sim
registry = Registry(driver=sim.driver())
shared = registry.register(sim.build(recorded.load_graph({str(data / "piecewise/layer0_b001.json.gz")!r}).snapshot))
shared.replay()
print("done")
"""
    assert run(code) == "done\n"


def test_everything_named_is_there() -> None:
    for name in graphdedup.__all__:
        assert getattr(graphdedup, name) is not None
    assert graphdedup.__version__.count(".") >= 2


def test_the_package_is_typed() -> None:
    from importlib import resources

    assert (resources.files("graphdedup") / "py.typed").is_file()


@pytest.mark.parametrize("name", [n for n in graphdedup.__all__ if n[0].isupper() and not n.isupper()])
def test_public_names_are_documented(name: str) -> None:
    assert getattr(graphdedup, name).__doc__
