"""`graphdedup bench` as far as it goes without a GPU, and the tables that are made of its JSON."""

from __future__ import annotations

import dataclasses
import importlib
import json
import re
from pathlib import Path
from typing import Any

import graphdedup
import pytest
import tables
from graphdedup import cli
from graphdedup.bench import runner
from graphdedup.bench.report import Ratios, Report
from graphdedup.bench.timing import percentile, summary, taking_turns
from graphdedup.errors import InvalidArgumentError

WANTED = {
    "signature_speedup",
    "signature_us_per_node",
    "register_over_plain",
    "memory_over_plain",
    "hit_over_torch",
    "prepared_over_hit",
    "switch_over_bare",
    "delta_over_bare",
    "trace35_over_plain",
    "trace256_over_plain",
    "members_scaling",
}


def made_up() -> dict[str, Any]:
    times = {"p50": 2.0, "p99": 3.0, "samples": 4}
    reading = {
        "graphs": 256,
        "executables": 9,
        "driver_bytes": 3 << 20,
        "torch_bytes": 0,
        "host_bytes": 1 << 20,
        "bytes_by_graphs": {"1": 1 << 20, "256": 3 << 20},
    }
    budgets = {"0.5": {"ms": 2.0, "over_plain": 1.25, "executables": 17, "switches": 3, "prepares": 0}}
    report = Report(
        machine={"gpu": "a|b"}, ratios=Ratios(hit_over_torch=0.75), why_not={"signature_speedup": "because"}
    )
    report.raw = {
        "memory": {"readings": {side: [{"side": side, **reading}] for side in ("null", "plain", "shared")}},
        "registration": {"graphs": 256, "raw_ms": 1.5},
        "signature": {"us_per_node": {"p50": 0.5, "p99": 0.6}},
        "hit": {"hit": times, "torch": times},
        "switch": {"sizes": [1, 2], "switches": 5, "bare": times},
        "nodes": {"10": {"sign_us_per_node": 0.5, "hit": times, "torch": times, "switch": times}},
        "threads": {"1": {"replays_per_second": 100.0}},
        "idle": {"idle_us_per_replay": {"plain": 1.0}},
        "trace35": {"steps": 600, "changes": 50, "budgets": budgets},
        "tokens_per_second": {"padded_plain": 10.0},
    }
    found: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(report)))
    return found


def test_ratios_have_their_names() -> None:
    assert set(dataclasses.asdict(Report())["ratios"]) >= WANTED


def test_every_measurement_has_a_module() -> None:
    folder = Path(runner.__file__).parent
    assert all((folder / f"{module}.py").is_file() for module in runner.MEASUREMENTS.values())


def test_without_a_gpu(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(runner, "why_no_gpu", lambda: "the CUDA driver finds no device")
    assert cli.main(["bench", "--json"]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "finds no device" in err
    with pytest.raises(InvalidArgumentError, match="simulation"):
        runner.run()


def test_no_such_measurement(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InvalidArgumentError, match="nothing"):
        runner.run(["nothing"])
    with pytest.raises(SystemExit) as caught:
        cli.main(["bench", "--only", "nothing"])
    assert caught.value.code == 2
    assert "memory" in capsys.readouterr().err


def test_a_run_prints_its_report(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    report = Report(machine={"gpu": "made up"}, ratios=Ratios(hit_over_torch=0.5), why_not={"signature_speedup": "no"})
    command = importlib.import_module("graphdedup.cli.bench")
    monkeypatch.setattr(command, "run", lambda _: report)
    assert cli.main(["bench", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == dataclasses.asdict(report)
    assert cli.main(["bench"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ["hit_over_torch", "0.5"] for line in lines)
    assert any(line.split() == ["signature_speedup", "no"] for line in lines)


@pytest.mark.parametrize(("percent", "value"), [(0, 1), (50, 2.5), (100, 4), (99, 3.97)])
def test_percentile(percent: float, value: float) -> None:
    assert percentile([4, 1, 3, 2], percent) == pytest.approx(value)
    assert percentile([7], percent) == 7


def test_percentile_of_nothing() -> None:
    with pytest.raises(graphdedup.InvalidArgumentError):
        percentile([], 50)
    with pytest.raises(graphdedup.InvalidArgumentError):
        percentile([1], 101)


def test_summary_is_in_microseconds() -> None:
    assert summary([1000, 3000]).p50 == pytest.approx(2)


def test_sides_take_turns() -> None:
    called: list[str] = []
    times = taking_turns(
        {"a": lambda: called.append("a"), "b": lambda: called.append("b")}, lambda: None, rounds=4, batch=2
    )
    assert "".join(called) == "aabb" + "bbaa" + "aabb" + "bbaa" + "aabb"
    assert {name: t.samples for name, t in times.items()} == {"a": 4, "b": 4}


def test_tables() -> None:
    text = tables.tables(made_up())
    titles = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert titles[:2] == ["Machine", "Ratios"]
    assert {"Memory", "Traces", "Nodes", "Threads", "Decode loop"} <= set(titles)
    assert "| hit_over_torch | 0.75 |" in text
    assert "| signature_speedup | because |" in text
    assert "| members_scaling | not measured |" in text
    assert "| trace35 | 600 | 50 | 0.5 | 17 | 3 | 1.25 |" in text
    assert "a\\|b" in text


def test_tables_of_an_empty_run() -> None:
    assert "not measured" in tables.tables(dataclasses.asdict(Report()))


def test_curves() -> None:
    found = {name: lines for name, *_, lines in tables.curves(made_up()["raw"])}
    assert found["memory"]["plain"] == [(1, 1), (256, 3)]
    assert found["budget"] == {"trace35": [(0.5, 1.25)]}
    assert not list(tables.curves({}))
