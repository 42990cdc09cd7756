"""The README's example for torch does what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

README = Path(__file__).resolve().parents[2] / "README.md"


def test_torch_example(torch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    names: dict[str, Any] = {}
    exec(compile(found[1], "README.md", "exec"), names)
    stats = names["registry"].stats()
    assert (stats.graphs, stats.executables) == (2, 1)
    assert names["y"].eq(7).all().item()  # 3 * 2 + 1
    assert names["y"].numel() == 4096
    assert "graphs=2" in capsys.readouterr().out
    names["registry"].close()
