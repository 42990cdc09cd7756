"""Why two graphs do not share, in the library and on the command line."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import graphdedup
import pytest
from graphdedup import recorded, sim
from graphdedup.cli import main
from graphdedup.explanation import explain_snapshots

DATA = Path(__file__).resolve().parents[1] / "data" / "h200" / "decode"


def snapshot(batch_size: int) -> graphdedup._core.Snapshot:
    return recorded.load_graph(DATA / f"decode_b{batch_size:03d}.json.gz").snapshot


def test_recorded_graphs_with_other_cluster_shapes_share_at_no_level() -> None:
    said = explain_snapshots(snapshot(16), snapshot(24), "kernel")
    assert not said.may_share
    assert said.field == "kernel: cluster dimension"
    assert (said.where, said.first, said.second) == ("node 2", "(2, 1, 1)", "(4, 1, 1)")
    assert said.first_kernel == "nvjet_sm90_tst_64x8_64x16_1x2_h_bz_TNT"
    assert said.shared_at == ""
    assert "no vary would let them share" in str(said)


def test_recorded_graphs_that_only_a_wider_level_shares() -> None:
    said = explain_snapshots(snapshot(1), snapshot(2), "grid")
    assert not said.may_share
    assert said.shared_at == "kernel"
    assert "they would share with vary='kernel'" in str(said)
    assert explain_snapshots(snapshot(1), snapshot(2), "kernel").may_share


def test_dumps_are_an_upper_bound() -> None:
    dumps = [recorded.load_graph(DATA / f"decode_b{n:03d}.dot.gz").snapshot for n in (16, 24)]
    said = explain_snapshots(dumps[0], dumps[1], "kernel")
    assert said.may_share  # the recordings differ in a cluster shape, which dumps leave out
    assert not said.exact
    assert "upper bound" in str(said)
    mixed = explain_snapshots(dumps[0], snapshot(16), "kernel")
    assert not mixed.exact
    assert "not known" in {mixed.first, mixed.second}


def test_registered_graphs() -> None:
    driver = sim.driver()
    with graphdedup.Registry(driver=driver) as registry:
        first = registry.register(sim.build(snapshot(16)), name="one")
        again = registry.register(sim.build(snapshot(16)), name="again")
        other = registry.register(sim.build(snapshot(24)), name="two")
        same = registry.explain(first, again)
        assert same.may_share
        assert same.same_group
        assert str(same) == "they may share"
        apart = registry.explain(first, other)
        assert not apart.may_share
        assert apart.same_group is False
        assert apart.field == "kernel: cluster dimension"
        other.remove()
        with pytest.raises(graphdedup.RegistryClosedError, match=r"Registry\.explain: member \d+"):
            registry.explain(first, other)


def test_private_graphs_are_named_with_their_reason(caplog: pytest.LogCaptureFixture) -> None:
    driver = sim.driver("driver580-b200")
    with caplog.at_level(logging.INFO, logger="graphdedup"), graphdedup.Registry(driver=driver) as registry:
        registry.register(sim.build(snapshot(16)), name="clustered")
        ((name, reason),) = registry.stats().private_graphs
    assert name == "clustered"
    assert "preferred shape" in reason
    assert any("clustered" in line and "preferred shape" in line for line in caplog.messages)


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(DATA / f"decode_b0{n}.json.gz") for n in (16, 24)]
    assert main(["explain", *files, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["names"] == ["decode_b016", "decode_b024"]
    assert said["field"] == "kernel: cluster dimension"
    assert main(["explain", *files]) == 0
    assert "kernel: cluster dimension" in capsys.readouterr().out


def test_command_wants_two_graphs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(DATA / "functions.json.gz"), str(DATA / "decode_b001.json.gz")]) == 2
    assert "two graphs are needed, not 1" in capsys.readouterr().err
