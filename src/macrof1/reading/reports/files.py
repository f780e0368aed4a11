"""Files of printed reports: their text, and whether it is a leaderboard instead."""

from __future__ import annotations

import re
from pathlib import Path

from macrof1.errors import FileError
from macrof1.reading.dialect import table_of
from macrof1.reading.files import whole_text
from macrof1.reading.reports.pages import plain_text

_FIGURE = re.compile(r"\d+[.,]\d+")


def report_text(source: str | Path) -> str:
    """Return the text of a file, or of standard input for ``"-"``."""
    return whole_text(source, expected="a report or a table of figures")[0]


def is_delimited(text: str) -> bool:
    """Whether a text is a CSV or TSV file: a header without figures, and as many cells in the line below."""
    start = "\n".join([line for line in plain_text(text).splitlines() if line.strip()][:2])
    if start.partition("\n")[0].count("|") > 1 or start.lstrip().startswith(("{", "[")):
        return False
    try:
        lines = [fields for _, fields in table_of(start, name="the text").lines]
    except FileError:
        return False
    same = len(lines) == 2 and len(lines[0]) == len(lines[1]) > 1
    return same and not any(_FIGURE.fullmatch(field.strip()) for field in lines[0])
