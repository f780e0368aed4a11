"""How much the explorer takes; the command line takes more."""

from __future__ import annotations

from typing import Final

MOST_BYTES: Final = 8 * 2**20
"""Bytes of a file, unpacked."""

MOST_BODY: Final = 2 * MOST_BYTES + 2**20
"""Bytes of a request's body: JSON writes a quote or the end of a line with two."""

MOST_COUNT: Final = 2**53 - 1
"""The largest count that a browser shows as it is."""

MOST_ROWS: Final = 2_000_000
"""Rows of a Parquet or Arrow file, which can be far longer than its bytes."""

MOST_CLASSES: Final = 500
MOST_SYSTEMS: Final = 100
MOST_TABLE_ROWS: Final = 1000
"""Rows of a leaderboard that is audited."""

MOST_CLASSES_DRAWN: Final = 40
"""Beyond so many classes the pairs are listed, the largest first, rather than sent one by one."""
