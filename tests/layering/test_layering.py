"""The layers of the C++ sources: a folder includes only what stands above it, and the build lists every source."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
CSRC = ROOT / "csrc"
SUFFIXES = {".hpp", ".cpp", ".def", ".h", ".cc"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>]+)>|"([^"]+)")', re.MULTILINE)

# What a file of a place may include of this project. An entry that ends in "/" is a folder, any other one a file. Names
# are relative to csrc/src, those of public headers to csrc/include, all others to csrc.
PUBLIC = "graphdedup/"
LOG = "log.hpp"
SNAPSHOT_DATA = ["snapshot/snapshot.hpp", "snapshot/attribute_table.hpp"]
LAYERS = {
    "driver": [PUBLIC, LOG, "driver/"],
    "snapshot": [PUBLIC, LOG, "driver/", "snapshot/"],
    "signature": [PUBLIC, LOG, *SNAPSHOT_DATA, "signature/"],
    "exec": [PUBLIC, LOG, "driver/", "exec/"],
    "doctor": [PUBLIC, LOG, "driver/", *SNAPSHOT_DATA, "exec/", "doctor/"],
    "registry": [PUBLIC, LOG, "driver/", "snapshot/", "signature/", "exec/", "doctor/", "registry/"],
}
ALLOWED = {
    "include": [PUBLIC],
    "src": [PUBLIC, LOG],  # the files that belong to no layer
    **{f"src/{layer}": allowed for layer, allowed in LAYERS.items()},
    "sim": ["driver/symbols.def", "sim/"],
    "python": [PUBLIC, LOG, *(f"{layer}/" for layer in LAYERS), "sim/include/", "python/"],
}
# Vendored headers by the folders that use them; the public interface and the driver layer stay free of them.
THIRD_PARTY = {"nlohmann/": ["src/snapshot", "sim", "python"], "xxhash/": ["src/signature"], "doctest/": []}
# Who may see cuda.h.
CUDA_H = ["src/driver", "src/snapshot", "src/exec", "src/doctor", "src/registry", "sim", "python"]


class Include(NamedTuple):
    file: Path
    name: str  # as written, or, of a file of this project, in the form that ALLOWED uses
    own: bool


def place_of(file: Path) -> str:
    """The row of ALLOWED that a source belongs to."""
    parts = file.relative_to(CSRC).parts
    if parts[0] == "src" and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0]


def sources() -> list[Path]:
    return sorted(p for p in CSRC.rglob("*") if p.suffix in SUFFIXES and "third_party" not in p.parts)


def own_name(file: Path, name: str, quoted: bool) -> str | None:
    """The name of an included file of this project, however it was spelled; None for any other file."""
    folders = [file.parent] if quoted else []
    folders += [CSRC / root for root in ("src", "include", "sim/include", "sim/src", "sim")]
    for folder in folders:
        found = (folder / name).resolve()
        if found.is_file():
            for root in (CSRC / "src", CSRC / "include", CSRC):
                if found.is_relative_to(root):
                    return found.relative_to(root).as_posix()
    return None


def includes_of(file: Path) -> list[Include]:
    found = []
    for angled, quoted in INCLUDE.findall(file.read_text()):
        written = angled or quoted
        own = own_name(file, written, bool(quoted))
        found.append(Include(file, own or written, own is not None))
    return found


def matches(name: str, allowed: list[str]) -> bool:
    return any(name.startswith(entry) if entry.endswith("/") else name == entry for entry in allowed)


@pytest.mark.parametrize("place", ALLOWED)
def test_a_place_includes_only_what_it_may(place: str) -> None:
    files = [f for f in sources() if place_of(f) == place]
    assert files, f"no sources in csrc/{place}"
    wrong = [
        f"{include.file.relative_to(ROOT)} includes {include.name}"
        for file in files
        for include in includes_of(file)
        if include.own and not matches(include.name, ALLOWED[place])
    ]
    assert not wrong, "\n".join(wrong)


def test_every_source_belongs_to_a_known_place() -> None:
    unknown = [str(f.relative_to(ROOT)) for f in sources() if place_of(f) not in ALLOWED]
    assert not unknown


def test_quoted_includes_exist() -> None:
    missing = [
        f"{file.relative_to(ROOT)} includes {quoted}"
        for file in sources()
        for _, quoted in INCLUDE.findall(file.read_text())
        if quoted and own_name(file, quoted, quoted=True) is None
    ]
    assert not missing


@pytest.mark.parametrize("library", THIRD_PARTY)
def test_vendored_headers_stay_where_they_are_needed(library: str) -> None:
    users = {place_of(i.file) for f in sources() for i in includes_of(f) if i.name.startswith(library)}
    assert users <= set(THIRD_PARTY[library])


def test_cuda_headers_stay_where_they_are_needed() -> None:
    cuda = re.compile(r"(cuda|cuda\w*|driver_types|vector_types|crt/.*)\.h")
    users = {place_of(i.file) for f in sources() for i in includes_of(f) if cuda.fullmatch(i.name)}
    assert users <= set(CUDA_H)


def test_no_runtime_header_of_cuda_is_included() -> None:
    # cuda.h is the driver's interface; everything else would need libcudart.
    runtime = re.compile(r"cuda_runtime\w*\.h|cuda_\w+_api\.h|driver_types\.h")
    users = [str(i.file.relative_to(ROOT)) for f in sources() for i in includes_of(f) if runtime.fullmatch(i.name)]
    assert not users


def test_the_snapshot_data_that_the_signature_sees_needs_no_driver() -> None:
    for name in SNAPSHOT_DATA:
        own = [i.name for i in includes_of(CSRC / "src" / name) if i.own]
        assert set(own) <= set(SNAPSHOT_DATA), name


def test_the_build_lists_every_core_source() -> None:
    listed = set(re.findall(r"^\s+(src/\S+\.cpp)\)?$", (CSRC / "CMakeLists.txt").read_text(), re.MULTILINE))
    present = {f.relative_to(CSRC).as_posix() for f in (CSRC / "src").rglob("*.cpp")}
    assert listed == present


def test_the_build_lists_every_source_of_the_extension() -> None:
    listed = set(re.findall(r"^\s+(\w+\.cpp)\)?$", (CSRC / "python" / "CMakeLists.txt").read_text(), re.MULTILINE))
    present = {f.name for f in (CSRC / "python").glob("*.cpp")}
    assert listed == present


def test_no_build_file_links_cuda_or_globs_sources() -> None:
    files = [ROOT / "CMakeLists.txt"]
    for folder in ("csrc", "cmake", "tests"):
        files += [p for pattern in ("CMakeLists.txt", "*.cmake") for p in (ROOT / folder).rglob(pattern)]
    linking = r"\bCUDA::\w+|\bFindCUDAToolkit|find_package\(CUDA(?:Toolkit)?[ )]|-lcuda|FetchContent"
    globbing = r"\bGLOB[^)]*\.(?:cc?|cpp|hpp|h)\b"
    forbidden = re.compile(f"{linking}|{globbing}")
    wrong = [f"{f.relative_to(ROOT)}: {m.group()}" for f in files for m in [forbidden.search(f.read_text())] if m]
    assert not wrong


@pytest.mark.parametrize("module", ["graphdedup", "graphdedup.cli", "graphdedup.sim"])
def test_import_brings_in_no_optional_package(module: str) -> None:
    optional = ["torch", "cupy", "cuda", "rich", "matplotlib", "numpy"]
    code = f"import sys, {module}; print(*[n for n in {optional!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
