"""mutate_rules.py [BUILD]: spoils each sharing rule in turn and requires that the tests of signatures notice.

Mutants, each of one place:
- a row of the table of rules gets another treatment, each of the others once;
- a private cause is not found, and each place that finds one does not;
- the encoder leaves out a field.

BUILD is a CMake build folder made with Ninja, brought up to date first; default: build/pytest. Mutants are made in a
folder of their own. The test of the golden digest is left out: it notices any change of the bytes, and not whether a
rule is right.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
SIGNATURE = ROOT / "csrc" / "src" / "signature"
PROGRAM = "graphdedup_signature_tests"
GOLDEN = "the canonical bytes and their digest never change unseen"
TREATMENTS = ("free", "free_from_grid", "free_from_kernel", "equal")
RUN_LIMIT_S = 60


@dataclass(frozen=True)
class Mutant:
    """One file with one place changed."""

    name: str
    file: str
    text: str
    compiled: tuple[str, ...]  # the sources to compile anew


def read(name: str) -> str:
    """Return a source of the signature layer."""
    return (SIGNATURE / name).read_text(encoding="utf-8")


def enumerators(enum: str) -> list[str]:
    """Return the names of an enumeration of rules.hpp, its end mark left out."""
    body = re.search(rf"enum class {enum} : std::uint8_t {{(.*?)}};", read("rules.hpp"), re.DOTALL)
    assert body is not None, enum
    names = re.findall(r"^\s*(\w+),", body.group(1), re.MULTILINE)
    assert names.pop() == "count_", enum
    return names


def rule_mutants() -> Iterator[Mutant]:
    """Give each row of the table each other treatment."""
    text = read("rules.cpp")
    for rule in enumerators("rule"):
        row = re.search(rf"\{{rule::{rule},[^{{}}]*?(treatment::(\w+))", text)
        assert row is not None, rule
        for treatment in TREATMENTS:
            if treatment == row.group(2):
                continue
            changed = text[: row.start(1)] + f"treatment::{treatment}" + text[row.end(1) :]
            yield Mutant(f"rule {rule}: {row.group(2)} -> {treatment}", "rules.cpp", changed, ("rules.cpp",))


def cause_mutants() -> Iterator[Mutant]:
    """Suppress each private cause, and each place that finds one."""
    name = "private_causes.cpp"
    text = read(name)
    found = "if (const auto cause = cause_of_node(g, n, traits))"
    assert text.count(found) == 1
    for cause in enumerators("private_cause"):
        changed = text.replace(found, f"{found[:-1]}; cause && *cause != private_cause::{cause})")
        yield Mutant(f"private cause {cause}: suppressed", name, changed, (name,))
    for place in re.finditer(r"return (private_cause::(\w+));", text):
        changed = text[: place.start(1)] + "std::nullopt" + text[place.end(1) :]
        line = text.count("\n", 0, place.start()) + 1
        yield Mutant(f"private cause {place.group(2)}: not found by {name}:{line}", name, changed, (name,))


def encoder_mutants() -> Iterator[Mutant]:
    """Leave out each field that the encoder writes."""
    name = "encode.hpp"
    text = read(name)
    writes = re.compile(r"^ +(?:return )?((?:put|put_fact|put_count|operand_shape)\([^;{}]*\));$", re.MULTILINE)
    for place in writes.finditer(text):
        changed = text[: place.start(1)] + "static_cast<void>(0)" + text[place.end(1) :]
        line = text.count("\n", 0, place.start()) + 1
        yield Mutant(f"{name}:{line}: without {place.group(1)}", name, changed, ("signature.cpp",))


class Bench:
    """Compiles, links and runs mutants with the commands of a build folder."""

    def __init__(self, build: Path, scratch: Path) -> None:
        self._build = build
        self._scratch = scratch
        ready = subprocess.run(
            ["cmake", "--build", build, "--target", PROGRAM], capture_output=True, text=True, check=False
        )
        if ready.returncode != 0:
            sys.exit(f"{PROGRAM} cannot be built:\n{ready.stdout}{ready.stderr}")
        commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        self._compile = {Path(entry["file"]): shlex.split(entry["command"]) for entry in commands}
        self._link = self._link_command()

    def _link_command(self) -> list[str]:
        listed = subprocess.run(
            ["ninja", "-C", self._build, "-t", "commands", PROGRAM], capture_output=True, text=True, check=True
        )
        # CMake wraps the command: ": && c++ ... && :"
        parts = shlex.split(listed.stdout.strip().splitlines()[-1])
        return [part for part in parts if part not in {":", "&&"}]

    def is_killed(self, number: int, mutant: Mutant) -> bool:
        """True if the tests fail, by checks of their own."""
        folder = self._scratch / str(number)
        (folder / "signature").mkdir(parents=True)
        (folder / "signature" / mutant.file).write_text(mutant.text, encoding="utf-8")
        objects = [self._compiled(folder, mutant, source) for source in mutant.compiled]
        program = folder / PROGRAM
        # Objects go before the archive, whose members of these names are then not taken.
        command = list(self._link)
        command[command.index("-o") + 1] = str(program)
        self._run([command[0], *objects, *command[1:]])
        return self._fails(program)

    def passes_unchanged(self) -> bool:
        """True if the tests pass as they are; else a mutant's failure would say nothing."""
        return not self._fails(Path(self._link[self._link.index("-o") + 1]))

    def _compiled(self, folder: Path, mutant: Mutant, source: str) -> str:
        command = list(self._compile[SIGNATURE / source])
        output = str(folder / f"{source}.o")
        command[command.index("-o") + 1] = output
        if source == mutant.file:
            command[command.index("-c") + 1] = str(folder / "signature" / source)
        self._run([command[0], f"-I{folder}", *command[1:], "-O0", "-g0", "-w"])
        return output

    def _run(self, command: list[str]) -> None:
        done = subprocess.run(command, cwd=self._build, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{shlex.join(command)}\nended with {done.returncode}:\n{done.stderr}")

    def _fails(self, program: Path) -> bool:
        done = subprocess.run(
            [self._build / program, f"--test-case-exclude={GOLDEN}", "--abort-after=1"],
            cwd=self._build,
            capture_output=True,
            text=True,
            check=False,
            timeout=RUN_LIMIT_S,
        )
        if done.returncode not in {0, 1} or "[doctest] test cases:" not in done.stdout:
            raise RuntimeError(f"the tests ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.returncode == 1


def main() -> int:
    """Try every mutant; the last line counts them."""
    build = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "pytest").resolve()
    mutants = [*rule_mutants(), *cause_mutants(), *encoder_mutants()]
    with tempfile.TemporaryDirectory(prefix="mutate_rules_") as scratch:
        bench = Bench(build, Path(scratch))
        if not bench.passes_unchanged():
            sys.exit(f"{PROGRAM} fails without a mutation")
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(bench.is_killed, range(len(mutants)), mutants))
    for mutant, killed in zip(mutants, results, strict=True):
        print(f"{'killed' if killed else 'ALIVE '}  {mutant.name}")
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())
