"""Files of printed reports: their text, and whether it is a leaderboard instead."""

from __future__ import annotations

import re
from pathlib import Path

from macrof1.reading.files import whole_text


def report_text(source: str | Path) -> str:
    """Return the text of a file, or of standard input for ``"-"``."""
    return whole_text(source, expected="a report or a table of figures")[0]


def is_delimited(text: str) -> bool:
    """Whether a text is a CSV or TSV file: a header without figures, and as many cells in the line below it."""
    lines = [line for line in text.splitlines() if line.strip()][:2]
    if len(lines) < 2 or lines[0].count("|") > 1:
        return False
    mark = max("\t;,", key=lines[0].count)
    same = lines[0].count(mark) == lines[1].count(mark) > 0
    return same and not re.search(rf"(?:^|{mark})\s*\d+[.,]\d+\s*(?:{mark}|$)", lines[0])
