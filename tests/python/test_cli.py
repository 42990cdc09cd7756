"""The command line, in this process and as a command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import graphdedup
import pytest
from graphdedup import cli

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]


def run_json(capsys: Capture, *arguments: str) -> Any:
    assert cli.main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def files(directory: Path, ending: str = "json.gz") -> list[str]:
    return [str(path) for path in sorted(directory.glob(f"*.{ending}"))]


@pytest.mark.parametrize(
    ("name", "vary", "graphs", "groups"),
    [
        ("decode", "kernel", 32, 9),
        ("decode", "grid", 32, 32),
        ("piecewise", "kernel", 12, 3),
        ("piecewise", "grid", 12, 4),
    ],
)
def test_analyze(  # noqa: PLR0917
    name: str, vary: str, graphs: int, groups: int, data: Path, capsys: Capture
) -> None:
    # The function table is among the files, as a shell's * gives them.
    result = run_json(capsys, "analyze", "--vary", vary, *files(data / name))
    assert (result["graphs"], result["executables"], result["exact"]) == (graphs, groups, True)
    assert len(result["groups"]) == groups
    assert sum(len(group) for group in result["groups"]) == graphs
    assert all(isinstance(member, str) for group in result["groups"] for member in group)


def test_analyze_dumps(data: Path, capsys: Capture) -> None:
    result = run_json(capsys, "analyze", *files(data / "piecewise", "dot.gz"))
    assert not result["exact"]
    assert cli.main(["analyze", *files(data / "piecewise", "dot.gz")]) == 0
    assert "upper bound" in capsys.readouterr().out


def test_analyze_as_text(data: Path, capsys: Capture) -> None:
    assert cli.main(["analyze", *files(data / "piecewise")]) == 0
    out = capsys.readouterr().out
    assert "12 graphs, 3 groups, 3 executables" in out
    assert "layer0_b001" in out


@pytest.mark.parametrize("vary", ["kernel", "grid"])
def test_demo_without_a_gpu(vary: str, capsys: Capture) -> None:
    result = run_json(capsys, "demo", "--on", "simulated", "--replays", "200", "--vary", vary)
    assert {"driver", "graphs", "groups", "executables", "replays", "switches", "refusals", "wrong"} <= result.keys()
    assert (result["replays"], result["wrong"], result["simulated"]) == (200, 0, True)
    assert "simulated" in result["driver"]
    assert 0 < result["executables"] < result["graphs"]


def test_demo_as_text(capsys: Capture) -> None:
    assert cli.main(["demo", "--on", "simulated", "--replays", "20"]) == 0
    out = capsys.readouterr().out
    assert "Simulated" in out
    assert "wrong" in out


def test_a_wrong_replay_is_a_failure(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    from graphdedup.demo import simulated

    monkeypatch.setattr(simulated, "_plain_run", lambda _driver, _handle: [])
    assert cli.main(["demo", "--on", "simulated", "--replays", "3", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["wrong"] == 3


def truncated(data: Path, tmp_path: Path) -> str:
    shutil.copy(data / "piecewise" / "functions.json.gz", tmp_path)
    whole = (data / "piecewise" / "layer0_b001.json.gz").read_bytes()
    (tmp_path / "layer0_b001.json.gz").write_bytes(whole[:100])
    return str(tmp_path / "layer0_b001.json.gz")


def foreign(_data: Path, tmp_path: Path) -> str:
    (tmp_path / "foreign.dot").write_text("digraph G { a -> b; }\n")
    return str(tmp_path / "foreign.dot")


def missing(_data: Path, tmp_path: Path) -> str:
    return str(tmp_path / "missing.json.gz")


def directory(_data: Path, tmp_path: Path) -> str:
    return str(tmp_path)


@pytest.mark.parametrize("make", [truncated, foreign, missing, directory])
def test_bad_files_are_one_line_on_stderr(make: Any, data: Path, tmp_path: Path, capsys: Capture) -> None:
    path = make(data, tmp_path)
    assert cli.main(["analyze", "--json", path]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert path in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["fly"],
        ["analyze"],
        ["analyze", "--vary", "everything", "x"],
        ["demo", "--replays", "-1"],
        ["demo", "--replays", "many"],
        ["record", "script.py"],
    ],
)
def test_bad_usage(arguments: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_a_gpu_that_is_asked_for_and_missing(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("GRAPHDEDUP_DRIVER", "/nowhere/libcuda.so.1")
    assert cli.main(["demo", "--on", "gpu"]) == 2
    assert "/nowhere/libcuda.so.1" in capsys.readouterr().err


def test_recording_a_script_that_is_not_there(tmp_path: Path, capsys: Capture) -> None:
    script = str(tmp_path / "none.py")
    assert cli.main(["record", "--output", str(tmp_path / "out"), script]) == 2
    assert script in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_recording_without_a_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("GRAPHDEDUP_DRIVER", "/nowhere/libcuda.so.1")
    (tmp_path / "script.py").write_text("print('ran')")
    assert cli.main(["record", "--output", str(tmp_path / "out"), str(tmp_path / "script.py")]) == 2
    said = capsys.readouterr()
    assert "/nowhere/libcuda.so.1" in said.err
    assert "ran" not in said.out


def test_version(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"graphdedup {graphdedup.__version__}\n"


def test_as_a_command(data: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "graphdedup", "analyze", "--json", *files(data / "piecewise")],
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout)["executables"] == 3
    assert done.stderr == ""


def test_a_demo_as_a_command() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "graphdedup", "demo", "--on", "simulated", "--replays", "50", "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout)["wrong"] == 0
    assert done.stderr == ""


@pytest.mark.parametrize("ordinal", ["99999999999999", "-1", "x"])
def test_a_device_that_cannot_be(ordinal: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["doctor", "--simulated", "clean", "--device", ordinal])
    assert ended.value.code == 2
    assert "--device" in capsys.readouterr().err


def test_a_name_that_is_not_utf8(tmp_path: Path, data: Path, capsys: Capture) -> None:
    for name in ("functions.json.gz", "layer0_b001.json.gz"):
        (tmp_path / name).write_bytes((data / "piecewise" / name).read_bytes())
    odd = tmp_path / os.fsdecode(b"bad\xff.json.gz")
    (tmp_path / "layer0_b001.json.gz").rename(odd)
    assert cli.main(["analyze", str(odd), "--json"]) == 0
    odd.write_bytes(b"junk")
    assert cli.main(["analyze", str(odd)]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_fault_of_ours_is_no_failed_check(monkeypatch: pytest.MonkeyPatch, data: Path, capsys: Capture) -> None:
    monkeypatch.setattr("graphdedup.cli.analyze.analyze", lambda *_: 1 / 0)
    assert cli.main(["analyze", str(data / "piecewise" / "layer0_b001.json.gz")]) == 2
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_names_that_the_terminal_cannot_show(tmp_path: Path, data: Path) -> None:
    shutil.copy(data / "piecewise" / "functions.json.gz", tmp_path)
    for name in ("gr\u00fcn", os.fsdecode(b"bad\xff")):
        shutil.copy(data / "piecewise" / "layer0_b001.json.gz", tmp_path / f"{name}.json.gz")
    done = subprocess.run(
        [sys.executable, "-m", "graphdedup", "analyze", *files(tmp_path)],
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"gr\\xfcn" in done.stdout
    assert b"bad\\udcff" in done.stdout
