"""How much the explorer takes; the command line takes more."""

from __future__ import annotations

from typing import Final

__all__ = ["MOST_BYTES", "MOST_CLASSES", "MOST_CLASSES_DRAWN", "MOST_SYSTEMS", "MOST_TABLE_ROWS"]

MOST_BYTES: Final = 8 * 2**20
"""Bytes of a request's body."""

MOST_CLASSES: Final = 500
MOST_SYSTEMS: Final = 100
MOST_TABLE_ROWS: Final = 1000
"""Rows of a leaderboard that is audited."""

MOST_CLASSES_DRAWN: Final = 40
"""Beyond so many classes the pairs are listed, the largest first, rather than sent one by one."""
