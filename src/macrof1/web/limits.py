"""How much the explorer takes; the command line takes more."""

from __future__ import annotations

from typing import Final

MOST_BYTES: Final = 8 * 2**20
"""Bytes of a file, unpacked."""

MOST_BODY: Final = 2 * MOST_BYTES + 2**20
"""Bytes of a request's body: JSON writes a quote or the end of a line with two."""

MOST_PARTS: Final = 10_000
"""Parts of a gzip file: each is a file of its own, and may be empty."""

MOST_MEMORY: Final = 320 * 2**20
"""Bytes that reading and comparing may use beyond what the libraries need."""

MOST_COUNT: Final = 2**53 - 1
"""The largest count that a browser shows as it is."""

MOST_ROWS: Final = 2_000_000
"""Rows of a Parquet or Arrow file, which can be far longer than its bytes."""

MOST_COLUMNS: Final = 1000
MOST_CELLS: Final = 20_000_000
LONGEST_TEXT: Final = 10_000
"""Bytes of text in one cell of such a file."""

MOST_CLASSES: Final = 500
MOST_LABELS: Final = 5000
"""Different labels in a file that is counted, before it is told that these are too many classes."""

LONGEST_NAME: Final = 200
"""Characters of a label, a column's or a system's name."""

MOST_SYSTEMS: Final = 100
MOST_TABLE_ROWS: Final = 1000
"""Rows of a leaderboard that is audited."""

MOST_CLASSES_DRAWN: Final = 40
"""Beyond so many classes the pairs are listed, the largest first, rather than sent one by one."""

HEADERS_WITHIN: Final = 10.0
BODY_WITHIN: Final = 60.0
"""Seconds in which the headers and the body of a request must have come."""
