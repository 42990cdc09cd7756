"""The documentation's table of rules is the one in the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_page_has_the_rules_of_the_code() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "ci" / "rules_page.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
