"""Builds the C++ library with its tests and runs them, so that one pytest command tests everything."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Kept between runs: a second run compiles only what has changed.
BUILD = ROOT / "build" / "pytest"


def run(*command: str | Path, timeout: int) -> str:
    """Runs a command in an environment where the tools of this Python come first; fails the test with its output."""
    environment = dict(os.environ)
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment.get("PATH", os.defpath)])
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=timeout,
        env=environment,
    )
    if done.returncode != 0:
        # The lines that matter first: a suite of a thousand cases buries them.
        wrong = [line for line in done.stdout.splitlines() if re.search(r"FAILED|ERROR|error:|warning:", line)]
        said = "\n".join([*wrong[:100], "...", done.stdout[-10000:]])
        pytest.fail(f"{shlex.join(map(str, command))}\nended with {done.returncode}:\n{said}", pytrace=False)
    return done.stdout


@pytest.fixture(scope="module")
def build() -> Path:
    # Paths of an earlier environment's tools must not stay.
    (BUILD / "CMakeCache.txt").unlink(missing_ok=True)
    run(
        "cmake",
        "-S",
        ROOT,
        "-B",
        BUILD,
        "-G",
        "Ninja",
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
        f"-DPython_EXECUTABLE={sys.executable}",
        *shlex.split(os.environ.get("CMAKE_ARGS", "")),
        timeout=300,
    )
    run("cmake", "--build", BUILD, "--parallel", str(os.cpu_count() or 2), timeout=1800)
    return BUILD


def test_ctest(build: Path) -> None:
    output = run("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error", timeout=1800)
    assert "100% tests passed" in output
