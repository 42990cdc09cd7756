"""The examples of the README are code that compiles; the GPU suite runs the one for torch."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from graphdedup.cli import main

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")

# What a program that captures graphs has from CUDA's headers.
CUDA_TYPES = (
    "struct CUgraph_st; struct CUstream_st; using cudaGraph_t = CUgraph_st*; using cudaStream_t = CUstream_st*;\n"
)


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert found, f"the README has no example in {language}"
    return found[1]


def test_cpp_example_compiles(tmp_path: Path) -> None:
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    assert compiler, "the README asks for a C++ compiler"
    source = tmp_path / "example.cpp"
    example = block("cpp")
    assert "#include <cuda_runtime_api.h>\n" in example
    source.write_text(CUDA_TYPES + example.replace("#include <cuda_runtime_api.h>\n", ""), encoding="utf-8")
    command: list[str | Path] = [
        compiler,
        "-std=c++20",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fsyntax-only",
        f"-I{ROOT}/csrc/include",
        source,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_python_example_is_python() -> None:
    compile(block("python"), "README.md", "exec")


@pytest.mark.parametrize("command", re.findall(r"^\| `graphdedup (\w+)", README, re.MULTILINE))
def test_commands_exist(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"graphdedup {command}" in capsys.readouterr().out
