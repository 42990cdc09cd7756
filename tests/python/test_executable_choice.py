"""The simulation of the choice of executable, and the model of batching that feeds it."""

from __future__ import annotations

import pytest
from executable_pools import POLICIES, Outcome, run
from graphdedup.bench.batching import BUCKETS, TRACES, Request, batch_sizes, load_trace, padded
from graphdedup.errors import InvalidArgumentError
from replay_patterns import recorded_groups, with_nearest

ONE = dict.fromkeys(range(300), 0)
ALL = sorted(POLICIES)


@pytest.mark.parametrize("policy", ALL)
@pytest.mark.parametrize("clock", ["changes", "replays"])
def test_what_fits_is_never_switched(policy: str, clock: str) -> None:
    replays = [0, 0, 1, 2, 1, 0, 2, 2] * 20
    assert run(replays, ONE, policy, per_group=3, clock=clock) == Outcome(instantiations=3, switches=0)


@pytest.mark.parametrize("policy", ALL)
def test_one_executable_switches_at_each_change(policy: str) -> None:
    assert run([0, 1, 1, 0, 0, 2], ONE, policy, per_group=1) == Outcome(1, 3)


@pytest.mark.parametrize("policy", ALL)
def test_none_beats_knowing_the_future(policy: str) -> None:
    replays = [(step * step + step // 7) % 11 for step in range(2000)]
    for count in (2, 3, 5):
        best = run(replays, ONE, "Belady", per_group=count).switches
        assert run(replays, ONE, policy, per_group=count).switches >= best


def test_a_cycle_longer_than_the_pool() -> None:
    cycle = list(range(28)) * 100
    lru, reuse, adaptive, best = (
        run(cycle, ONE, policy, per_group=20).switches for policy in ("LRU", "reuse", "adaptive", "Belady")
    )
    assert lru == len(cycle) - 20
    assert best <= reuse < 0.4 * lru
    assert adaptive < 0.5 * lru


def test_a_drift_is_for_lru() -> None:
    drift = [step // 3 + step % 3 for step in range(290)]
    lru, adaptive = (run(drift, ONE, policy, per_group=4).switches for policy in ("LRU", "adaptive"))
    assert adaptive == lru


def test_a_total_is_shared_first_come() -> None:
    groups = {0: 0, 1: 0, 2: 1, 3: 1}
    replays = [0, 1, *([2, 3] * 50)]
    assert run(replays, groups, "LRU", total=3) == Outcome(3, 99)
    assert run(replays, groups, "LRU", total=3, move_after=8) == Outcome(3, 8, moves=1)


def test_no_move_takes_the_last_executable() -> None:
    groups = {0: 0, 1: 1, 2: 1}
    assert run([0, *([1, 2] * 20)], groups, "LRU", total=2, move_after=2).moves == 0


def test_recorded_groups_and_the_sizes_between() -> None:
    groups = recorded_groups()
    assert (len(groups), len(set(groups.values()))) == (32, 9)
    every = with_nearest(groups, range(1, 257))
    assert all(every[size] == group for size, group in groups.items())
    assert every[225] == groups[224]


def test_a_batch_fills_and_drains() -> None:
    requests = [Request(0, 3), Request(0, 1), Request(1e9, 2)]
    assert batch_sizes(requests, steps=100) == [2, 1, 1, 1, 1]
    assert batch_sizes(requests, steps=2) == [2, 1]
    assert batch_sizes([Request(0, 2)] * 3, steps=9, max_batch=2) == [2, 2, 1, 1]
    assert batch_sizes([], steps=5) == []


@pytest.mark.parametrize("name", TRACES)
def test_traces(name: str) -> None:
    sizes = batch_sizes(load_trace(name), rate=16, steps=500)
    assert len(sizes) == 500
    assert {padded(size) for size in sizes} <= set(BUCKETS)


def test_no_such_trace() -> None:
    with pytest.raises(InvalidArgumentError, match="azure"):
        load_trace("nothing")


def test_buckets() -> None:
    assert len(BUCKETS) == 35
    assert [padded(size) for size in (1, 3, 9, 256)] == [1, 4, 16, 256]
