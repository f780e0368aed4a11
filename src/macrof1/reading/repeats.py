"""Repeated rows: a sign that a sampler padded the last batch, or that files were concatenated twice.

Two rows with the same labels are no repeat. A column that identifies rows must repeat: one with a usual name for ids,
or else the column that distinguishes most of the first rows; in the latter case, the other columns must repeat as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from macrof1.errors import counted, quote_some
from macrof1.message import Note
from macrof1.reading.columns import ID_NAMES, plain_name
from macrof1.reading.rows import rows_of
from macrof1.reading.tables import TableFile

N_FIRST: Final = 1000
"""Rows that decide which column identifies rows."""

MOST_ROWS: Final = 1 << 22
"""Rows that are all compared. Of more, those whose hash is a multiple of a power of 2: repeats share their hash, so
that a sample holds all of them or none."""

MOST_SAMPLED: Final = 8 * MOST_ROWS
"""Beyond this many rows, none are compared: the cost stays bounded."""

# As above, for tables that are read row by row.
_MOST_IN_PYTHON: Final = 1 << 19

_ADVICE: Final = ", and all are counted: if a sampler padded the last batch, drop the repeats first."


def id_column(columns: Iterable[str], taken: Iterable[str | None]) -> str | None:
    """Return the only column with an id-like name, among those not used for anything else."""
    ids = [column for column in columns if column not in set(taken) and plain_name(column) in ID_NAMES]
    return ids[0] if len(ids) == 1 else None


def telling_column(n_distinct: Mapping[str, int], n_first: int) -> str | None:
    """Return the column that distinguishes most of the first rows, if any does: without one, rows agree by chance.

    Examples
    --------
    >>> telling_column({"domain": 3, "text": 90}, 100), telling_column({"domain": 3}, 100)
    ('text', None)
    """
    best = max(n_distinct, key=n_distinct.__getitem__, default=None)
    return best if best is not None and n_distinct[best] >= 0.5 * n_first else None


def repeat_notes(
    name: str, *, n_repeated: int, n_distinct: int, n_rows: int, ids: Sequence[Any] | None, one_in: int = 1
) -> list[Note]:
    """Say how many ids or rows repeat; values that most rows share do not identify rows.

    Parameters
    ----------
    n_repeated
        The ids that occur more than once, or the rows that repeat an earlier one.
    n_distinct, n_rows
        Of how many.
    ids
        Some of the ids; None if whole rows were compared.
    one_in
        The share of the rows that was looked at.
    """
    if not n_repeated or n_distinct < 0.5 * n_rows:
        return []
    n = n_repeated * one_in
    about = "About " if one_in > 1 else ""
    if ids is None:
        what = f"{about}{counted(n, 'row')} of {name} {'repeats' if n == 1 else 'repeat'} another in every column"
        return [Note(what + _ADVICE, code="repeated_rows")]
    which = quote_some(ids[:3]) + (f", … ({n - 3:,} more)" if n > 3 else "")
    what = f"{about}{counted(n, 'id')} of {name} ({which}) {'occurs' if n == 1 else 'occur'} more than once"
    return [Note(what + _ADVICE, code="repeated_ids")]


@dataclass(slots=True)
class RowRepeats:
    """Which columns identify the rows of a table read row by row, and which of their values repeat."""

    columns: list[str]
    is_id: bool
    n_rows: int = 0
    n_kept: int = 0
    one_in: int = 1
    seen: set[int] = field(default_factory=set)
    twice: dict[int, Any] = field(default_factory=dict)
    first: list[set[Any]] = field(default_factory=list)

    @classmethod
    def of(cls, table: TableFile, taken: Sequence[str]) -> RowRepeats:
        """Choose the columns that identify the rows of a table; none, if it has no others than those taken."""
        column = id_column(table.columns, taken)
        if column is not None:
            return cls([column], is_id=True)
        return cls([column for column in table.columns if column not in taken], is_id=False)

    def add(self, labels: Sequence[Any], groups: Sequence[Any], values: Sequence[Any]) -> None:
        """Process one more row: its labels, the values of the grouping columns, and those of the chosen columns."""
        if not self.columns:
            return
        plain = [value if isinstance(value, (str, int, float, bool)) else None for value in values]
        if self.is_id and (plain[0] is None or plain[0] == ""):
            return
        self.n_rows += 1
        if not self.is_id and self.n_rows <= N_FIRST:
            self.first = self.first or [set() for _ in plain]
            for known, value in zip(self.first, plain, strict=True):
                known.add(value)
        row = tuple(map(str, groups)) + tuple(plain) + (() if self.is_id else tuple(map(str, labels)))
        key = hash(row)
        if key % self.one_in:
            return
        self.n_kept += 1
        if key in self.seen:
            self.twice.setdefault(key, plain[0])
        self.seen.add(key)
        if len(self.seen) > _MOST_IN_PYTHON:
            self._thin_out()

    def _thin_out(self) -> None:
        """Keep every second hash, and about every second repeat."""
        share = len(self.seen) / self.n_kept
        self.one_in *= 2
        self.seen = {key for key in self.seen if not key % self.one_in}
        self.twice = {key: value for key, value in self.twice.items() if not key % self.one_in}
        self.n_kept = round(len(self.seen) / share)

    def notes(self, name: str) -> list[Note]:
        """Say which ids or rows repeat."""
        n_first = min(self.n_rows, N_FIRST)
        if (
            not self.is_id
            and telling_column({str(at): len(each) for at, each in enumerate(self.first)}, n_first) is None
        ):
            return []
        n_distinct = len(self.seen)
        return repeat_notes(
            name, n_repeated=len(self.twice) if self.is_id else self.n_kept - n_distinct, n_distinct=n_distinct,
            n_rows=self.n_kept, ids=list(self.twice.values()) if self.is_id else None, one_in=self.one_in,
        )  # fmt: skip


def repeats_in_rows(table: TableFile, taken: Sequence[str]) -> list[Note]:
    """Say which ids or rows of one table repeat; `taken` are its columns of labels, weights and clusters."""
    repeats = RowRepeats.of(table, taken)
    if repeats.columns:
        for _, values in rows_of(table, taken, beside=repeats.columns):
            repeats.add(values[: len(taken)], (), values[len(taken) :])
    return repeats.notes(table.name)
