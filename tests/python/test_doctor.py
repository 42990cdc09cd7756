"""What the doctor finds on drivers of known behaviour."""

from __future__ import annotations

import json
from typing import Any

import graphdedup
import pytest
from graphdedup import doctor, sim
from graphdedup.cli import main


def findings(report: doctor.Report) -> dict[str, bool]:
    return {f.name: f.holds for f in report.findings}


@pytest.mark.parametrize("profile", sim.profiles())
def test_every_profile_may_share(profile: str) -> None:
    report = doctor.examine(driver=sim.driver(profile))
    assert report.may_share
    assert profile in report.device_name
    assert all(f.holds for f in report.findings if f.needed)
    assert sum(f.needed for f in report.findings) >= 9
    assert sim.misuse() == ""


def test_stale_clusters_are_found_and_said() -> None:
    stale = doctor.examine(driver=sim.driver("driver580-h200"))
    assert not findings(stale)["an update applies a cluster shape: none to (2,1,1)"]
    assert any("old cluster shapes" in said for said in stale.consequences)
    clean = doctor.examine(driver=sim.driver("clean"))
    assert all(findings(clean).values())
    assert not any("old cluster shapes" in said for said in clean.consequences)


def test_preferred_clusters() -> None:
    hopper = doctor.examine(driver=sim.driver("driver580-h200"))
    assert (hopper.preferred_cluster_honoured, hopper.preferred_cluster_readable) == (False, False)
    blackwell = doctor.examine(driver=sim.driver("driver580-b200"))
    assert (blackwell.preferred_cluster_honoured, blackwell.preferred_cluster_readable) == (True, False)
    assert any("clustered kernels do not share" in said for said in blackwell.consequences)
    clean = doctor.examine(driver=sim.driver("clean"))
    assert clean.preferred_cluster_readable


def test_a_driver_that_applies_half_of_a_refused_update(capsys: pytest.CaptureFixture[str]) -> None:
    driver = sim.driver()
    graphdedup._core.sim.set_behaviour("refusal_is_partial", 1)
    report = doctor.examine(driver=driver)
    assert not report.may_share
    broken = [f for f in report.findings if f.needed and not f.holds]
    assert broken
    assert all("refused update" in f.name for f in broken)
    assert "node 0 ran otherwise" in broken[0].detail
    assert "do not share" in report.consequences[0]


def test_symbols_are_counted() -> None:
    report = doctor.examine(driver=sim.driver())
    assert report.symbols > 80
    assert report.missing_symbols == ()


def test_nothing_is_left_behind() -> None:
    driver = sim.driver()
    before = sim.counters()
    doctor.examine(driver=driver)
    after = sim.counters()
    for name in (
        "live_exec_count",
        "live_graph_count",
        "live_allocation_count",
        "live_module_count",
        "live_stream_count",
    ):
        assert after[name] == before[name], name


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--simulated", "driver580-h200", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["may_share"] is True
    assert said["findings"][0]["needed"] is True
    assert main(["doctor", "--simulated", "driver580-h200"]) == 0
    text = capsys.readouterr().out
    assert "Simulated H200" in text
    assert "-> graphs may share executables" in text


def test_command_without_a_device(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--device", "7", "--simulated", "clean"]) == 2
    assert "CUDA_ERROR_INVALID_DEVICE" in capsys.readouterr().err


@pytest.mark.parametrize("device", ["x", None, 1.5, True, 1 << 40, -(1 << 40)])
def test_devices_that_cannot_be(device: Any) -> None:
    with pytest.raises(graphdedup.InvalidArgumentError, match="device"):
        doctor.examine(device, sim.driver())


def test_drivers_that_cannot_be() -> None:
    driver: Any = 5
    with pytest.raises(graphdedup.InvalidArgumentError, match="driver"):
        doctor.examine(0, driver)
