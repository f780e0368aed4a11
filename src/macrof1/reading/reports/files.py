"""Files of printed reports: their text, and whether it is a leaderboard instead."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from macrof1.errors import FileError

_EXPECTED = "a report or a table of figures"


def report_text(source: str | Path) -> str:
    """Return the text of a file, or of standard input for ``"-"``."""
    try:
        raw = sys.stdin.buffer.read() if str(source) == "-" else Path(source).read_bytes()
        return raw.decode("utf-8-sig")
    except FileNotFoundError:
        raise FileError(f"no file {str(source)!r}", expected=_EXPECTED, hint="check the path") from None
    except OSError as error:
        raise FileError(f"cannot read {str(source)!r}: {error.strerror}", expected=_EXPECTED) from None
    except UnicodeDecodeError:
        raise FileError(f"{str(source)!r} is not UTF-8 text", expected=_EXPECTED) from None


def is_delimited(text: str) -> bool:
    """Whether a text is a CSV or TSV file: a header without figures, and as many cells in the line below it."""
    lines = [line for line in text.splitlines() if line.strip()][:2]
    if len(lines) < 2 or lines[0].count("|") > 1:
        return False
    mark = max("\t;,", key=lines[0].count)
    same = lines[0].count(mark) == lines[1].count(mark) > 0
    return same and not re.search(rf"(?:^|{mark})\s*\d+[.,]\d+\s*(?:{mark}|$)", lines[0])
