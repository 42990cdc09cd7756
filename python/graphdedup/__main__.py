"""``python -m graphdedup``."""

from __future__ import annotations

import sys

from graphdedup.cli import main

if __name__ == "__main__":
    sys.exit(main())
