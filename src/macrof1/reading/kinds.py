"""Whether a table holds predictions or a confusion matrix, told by its header."""

from __future__ import annotations

import csv
import io
from pathlib import Path

_TEXT = (".csv", ".tsv", ".txt", ".json")
_ENOUGH = 100_000


def holds_predictions(text: str) -> bool:
    """Tell predictions by their header, or by being records.

    Examples
    --------
    >>> holds_predictions("id,gold,pred"), holds_predictions(",cat,dog"), holds_predictions('{"gold": 1}')
    (True, False, True)
    """
    from macrof1.reading.sources import GOLD_NAMES, PRED_NAMES

    first = text.lstrip("\ufeff \t\r\n").partition("\n")[0].strip()
    if first.startswith("{"):
        return '"matrix"' not in text[:10_000]
    separator = next((mark for mark in (",", "\t", ";") if mark in first), ",")
    try:
        fields = next(csv.reader(io.StringIO(first), delimiter=separator), [])
    except csv.Error:
        return False
    names = {field.strip().lower() for field in fields}
    return bool(names & set(GOLD_NAMES)) and bool(names & set(PRED_NAMES))


def file_holds_matrix(file: str | Path) -> bool:
    """Tell by its first lines whether a file of text holds a confusion matrix."""
    path = Path(file)
    if not (path.is_file() and path.suffix in _TEXT):
        return False
    with path.open(encoding="utf-8-sig", errors="replace") as opened:
        text = opened.read(_ENOUGH)
    return bool(text) and not holds_predictions(text)
