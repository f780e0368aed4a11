"""Repeated rows: a sign that a sampler padded the last batch, or that files were concatenated twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from macrof1.errors import counted, quote_some
from macrof1.message import Note
from macrof1.reading.columns import ID_NAMES, LabelColumns, plain_name
from macrof1.reading.tables import TableFile

# Beyond this many rows, repeats are no longer searched for: memory must not grow with rows.
MOST_ROWS: Final = 200_000


def id_column(columns: Iterable[str], taken: Iterable[str | None]) -> str | None:
    """Return the only column with an id-like name, among those not used for anything else."""
    ids = [column for column in columns if column not in set(taken) and plain_name(column) in ID_NAMES]
    return ids[0] if len(ids) == 1 else None


def repeated_ids(name: str, twice: Collection[Any], n_distinct: int, n_rows: int) -> list[Note]:
    """Say which ids repeat; values that most rows share do not identify rows."""
    if not twice or n_distinct < 0.5 * n_rows:
        return []
    occur = "occurs" if len(twice) == 1 else "occur"
    what = f"{counted(len(twice), 'id')} of {name} ({quote_some(twice, most=3)}) {occur} more than once"
    return [Note(what + _ADVICE, code="repeated_ids")]


_ADVICE = ", and all are counted: if a sampler padded the last batch, drop the repeats first."


@dataclass(slots=True)
class RowRepeats:
    """Which columns identify rows (an id, or all columns), and which of their values occur more than once."""

    columns: list[str]
    is_id: bool
    seen: set[Any] = field(default_factory=set)
    twice: dict[Any, None] = field(default_factory=dict)
    n_rows: int = 0
    values: list[set[Any]] = field(default_factory=list)

    @classmethod
    def of(cls, table: TableFile, chosen: LabelColumns) -> RowRepeats:
        """Choose the columns that identify the rows of a table; none, if there is nothing but labels."""
        taken = {chosen.gold, chosen.pred, chosen.weight, *chosen.by}
        column = id_column(table.columns, taken)
        if column is not None and not chosen.by:
            return cls([column], is_id=True)
        others = [column for column in table.columns if column not in taken]
        return cls(others if table.is_text and not chosen.by else [], is_id=False)

    def add(self, values: Sequence[Any]) -> None:
        """Process one more row: its labels, then the values of the columns."""
        self.n_rows += 1
        if not self.columns or self.n_rows > MOST_ROWS:
            return
        key = values[-1] if self.is_id else tuple(values)
        if not self.is_id:
            self.values = self.values or [set() for _ in self.columns]
            for known, value in zip(self.values, values[-len(self.columns) :], strict=True):
                known.add(value)
        if not isinstance(key, (str, int, float, tuple)) or key == "":
            return
        if key in self.seen:
            self.twice[key] = None
        self.seen.add(key)

    def notes(self, name: str) -> list[Note]:
        """Say which ids or rows repeat."""
        if self.n_rows > MOST_ROWS:
            return []
        if self.is_id:
            return repeated_ids(name, self.twice, len(self.seen), self.n_rows)
        n_more = self.n_rows - len(self.seen)
        # Rows without a text or an id agree by chance: some column must distinguish most of them.
        apart = max((len(values) for values in self.values), default=0)
        if not self.twice or apart < 0.5 * self.n_rows:
            return []
        what = f"{counted(n_more, 'row')} of {name} {'repeats' if n_more == 1 else 'repeat'} another in every column"
        return [Note(what + _ADVICE, code="repeated_rows")]


def scanned_repeats(batch: Sequence[TableFile], chosen: LabelColumns) -> list[Note]:
    """Say which ids repeat in tables that an engine reads."""
    table = batch[0]
    column = id_column(table.columns, (chosen.gold, chosen.pred, chosen.weight, *chosen.by))
    if column is None or chosen.by:
        return []
    from macrof1.reading.scans import times_of  # loads Polars

    times = times_of(batch, column, most=MOST_ROWS)
    if times is None:
        return []
    name = table.name if len(batch) == 1 else f"{table.name} … {batch[-1].name}"
    return repeated_ids(name, [value for value, n in times if n > 1], len(times), sum(n for _, n in times))
