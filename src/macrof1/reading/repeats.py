"""Repeated rows: a sign that a sampler padded the last batch, or that files were concatenated twice.

Two rows with the same labels are no repeat. A column that identifies rows must repeat: one with a usual name for ids,
or else the column that distinguishes most of the first rows; in the latter case, the other columns must repeat as well.
A reader hashes that column while it reads; only if a hash occurs twice are these rows read again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from macrof1.errors import counted, quote_some
from macrof1.message import Note
from macrof1.reading.columns import id_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

N_FIRST: Final = 1000  # rows that decide which column identifies rows

MOST_ROWS: Final = 1 << 20  # beyond this many rows, none are compared: the cost stays bounded

_DECIMAL: Final = re.compile(r"[+-]?\d*[.,]\d+(?:[eE][+-]?\d+)?%?")
_ADVICE: Final = ", and all are counted: if a sampler padded the last batch, drop the repeats first."


def telling_column(first: Mapping[str, Collection[Any]]) -> str | None:
    """Return the column that distinguishes most of the first rows, if any does: without one, rows agree by chance.

    Decimal numbers, such as confidences, never tell rows apart: rounded ones are equal by chance.
    """
    n_distinct = {
        column: len({value if isinstance(value, (str, int)) else None for value in values})
        for column, values in first.items()
        if not any(
            isinstance(value, float) or (isinstance(value, str) and _DECIMAL.fullmatch(value)) for value in values
        )
    }
    best = max(n_distinct, key=n_distinct.__getitem__, default=None)
    return best if best is not None and n_distinct[best] >= 0.5 * len(first[best]) else None


@dataclass(slots=True)
class Repeats:
    """Which column identifies the rows of a table, and the hashes of its values."""

    others: list[str]
    """The columns that are not used for anything else and hold plain values; none, if repeats are not looked for."""
    groups: list[str] = field(default_factory=list)  # the columns of groups, within which rows may repeat each other
    labels: list[str] = field(default_factory=list)
    key: str | None = None  # the column that identifies rows; None until it is chosen
    is_id: bool = False  # whether its name says so. Otherwise only rows that agree in all columns repeat each other
    n_rows: int = 0
    hashes: list[NDArray[Any]] = field(default_factory=list)

    @classmethod
    def of(cls, columns: Sequence[str], labels: Sequence[str], groups: Sequence[str] = ()) -> Repeats:
        """Look for repeats in a table with these columns of plain values, of which some are labels and groups."""
        others = [column for column in columns if column not in (*labels, *groups)]
        key = id_column(others)
        plain = [column for column in labels if column in columns and column not in groups]
        return cls(others, list(groups), list(dict.fromkeys(plain)), key, key is not None)

    def choose(self, first: Mapping[str, Collection[Any]]) -> None:
        """Choose the column that identifies rows by the values of the first rows; none if no column does."""
        self.key = telling_column(first)
        if self.key is None:
            self.others = []

    def columns(self) -> list[str]:
        """Return the columns whose values are hashed."""
        return [*self.groups, *([] if self.key is None else [self.key])]

    def whole(self) -> list[str]:
        """Return the columns in which a row must agree with another to repeat it."""
        return self.columns() if self.is_id else list(dict.fromkeys([*self.columns(), *self.others, *self.labels]))

    def expect(self, n_rows: int) -> bool:
        """Prepare for more rows; return whether they should be looked at."""
        self.n_rows += n_rows
        if self.n_rows > MOST_ROWS:
            self.others, self.key, self.hashes = [], None, []
        return self.n_rows <= MOST_ROWS

    def notes(self, name: str, rows_with: Callable[[NDArray[Any]], list[tuple[Any, int]]]) -> list[Note]:
        """Say how many ids or rows repeat; values that most rows share do not identify rows.

        `rows_with` returns the values of the key and hashes of the whole rows, of all rows with certain hashes.
        """
        if not self.hashes:
            return []
        import numpy as np

        hashes = np.sort(np.concatenate(self.hashes))
        again = hashes[1:][hashes[1:] == hashes[:-1]]
        if not len(again) or len(hashes) - len(again) < 0.5 * len(hashes):
            return []
        again = np.unique(again)
        rows = rows_with(again)
        n = len(again) if self.is_id else len(rows) - len({whole for _, whole in rows})
        if not self.is_id:
            what = f"{counted(n, 'row')} of {name} {'repeats' if n == 1 else 'repeat'} another in every column"
            return [Note(what + _ADVICE, code="repeated_rows")] if n else []
        ids = list(dict.fromkeys(key for key, _ in rows))
        which = quote_some(ids[:3]) + (f", … ({n - 3:,} more)" if n > 3 else "")
        what = f"{counted(n, 'id')} of {name} ({which}) {'occurs' if n == 1 else 'occur'} more than once"
        return [Note(what + _ADVICE, code="repeated_ids")]
