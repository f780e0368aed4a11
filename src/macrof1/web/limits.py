"""Limits of the explorer; those of the command line are higher."""

from __future__ import annotations

from typing import Final

MOST_BYTES: Final = 8 * 2**20
"""Bytes of a decompressed file."""

MOST_BODY: Final = 2 * MOST_BYTES + 2**20
"""Bytes of a request's body: JSON needs two bytes for a quote or a newline."""

MOST_MEMORY: Final = 320 * 2**20
"""Bytes of memory that reading and comparing may use on top of the libraries."""

MOST_COUNT: Final = 2**53 - 1
"""The largest count that JavaScript represents exactly."""

MOST_ROWS: Final = 2_000_000
"""Rows of a Parquet or Arrow file, which can have far more rows than bytes."""

MOST_COLUMNS: Final = 1000
MOST_CELLS: Final = 20_000_000
LONGEST_TEXT: Final = 10_000
"""Bytes of text in one cell of a Parquet or Arrow file."""

MOST_CLASSES: Final = 500
MOST_LABELS: Final = 5000
"""Distinct labels in a file to count; more are rejected as too many classes."""

LONGEST_NAME: Final = 200
"""Characters in the name of a label, column or system."""

MOST_SYSTEMS: Final = 100
MOST_TABLE_ROWS: Final = 1000
"""Rows of a leaderboard to audit."""

MOST_CLASSES_DRAWN: Final = 40
"""Above this many classes, the largest pairs are listed instead of sending all of them."""

HEADERS_WITHIN: Final = 10.0
BODY_WITHIN: Final = 60.0
"""Seconds within which the headers and the body of a request must arrive."""
