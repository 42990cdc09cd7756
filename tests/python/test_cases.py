"""Every kind of wrong result that was reported of other programs has a test of its own, named "case N"."""

from __future__ import annotations

import re
from pathlib import Path

CPP = Path(__file__).parents[1] / "cpp"
# 1 a hidden preferred cluster; 2 stale cluster shapes; 3 a name as identity; 4 a failure read as a refusal; 5 endless
# refusals; 6 a late refusal; 7 another order of creation; 8 scratch executables, addresses in keys; 9 cut-off lists;
# 10 edges without their data; 11 lost priorities; 12 shapes of copies; 13 dropped callback data; 15 repeated random
# numbers; 16 driver work that spoils a capture; 18 a destroy that does; 19 a finalizer that does; 23 the wrong device.
WRONG_RESULTS = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 18, 19, 23}


def test_every_case_has_its_test() -> None:
    names = [
        name
        for path in sorted(CPP.rglob("*_test.cpp"))
        for name in re.findall(r'TEST_CASE\("(case [^"]*)"', path.read_text())
    ]
    tested = {int(number) for name in names for number in re.findall(r"case (\d+)", name.split(":")[0])}
    assert sorted(WRONG_RESULTS - tested) == []
