"""list_cases.py [BUILD]: names every conformance and property case and every C++ test, and counts them.

BUILD is a CMake build folder in which the tests are built; default: build/pytest.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROPERTIES = ("test_properties.py", "test_cases.py", "test_rules_page.py")


def lines_of(*command: str | Path) -> list[str]:
    """Return what a command prints."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def conformance_cases(build: Path) -> list[str]:
    """Return the cases that run on the simulated and on the real driver alike."""
    program = build / "tests" / "conformance" / "graphdedup_conformance"
    return [line for line in lines_of(program, "--list") if line]


def property_cases() -> list[str]:
    """Return the cases that are tried with many generated graphs each."""
    files = [f"tests/python/{name}" for name in PROPERTIES]
    return [line for line in lines_of(sys.executable, "-m", "pytest", "--collect-only", "-q", *files) if "::" in line]


def unit_cases(build: Path) -> list[str]:
    """Return the test cases of the C++ programs, after the name of their program."""
    programs = sorted(build.glob("tests/cpp/*/graphdedup_*_tests"))
    options = ("--list-test-cases", "--no-intro", "--no-version")
    named = ((program.name, line) for program in programs for line in lines_of(program, *options))
    return [f"{name}: {line}" for name, line in named if line and not line.startswith(("[doctest]", "==="))]


def main() -> int:
    """Print the lists, each with its count."""
    build = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "pytest").resolve()
    lists = {"conformance": conformance_cases(build), "property": property_cases(), "C++": unit_cases(build)}
    for kind, names in lists.items():
        for name in names:
            print(f"{kind}: {name}")
    print(", ".join(f"{len(names)} {kind} cases" for kind, names in lists.items()))
    return int(not all(lists.values()))


if __name__ == "__main__":
    sys.exit(main())
