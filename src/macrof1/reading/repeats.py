"""Rows that repeat: what is left where a sampler padded the last batch, or files were joined twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from macrof1.errors import counted, quote_some
from macrof1.message import Note
from macrof1.reading.columns import ID_NAMES, LabelColumns, plain_name
from macrof1.reading.tables import TableFile

# Beyond so many rows repeats are no longer looked for: memory must not grow with rows.
_MOST_ROWS: Final = 200_000


@dataclass(slots=True)
class RowRepeats:
    """Which columns tell rows apart (an id, or all of them), and which of their values came more than once."""

    columns: list[str]
    is_id: bool
    seen: set[Any] = field(default_factory=set)
    twice: dict[Any, None] = field(default_factory=dict)
    n_rows: int = 0

    @classmethod
    def of(cls, table: TableFile, chosen: LabelColumns) -> RowRepeats:
        """Choose what tells the rows of a table apart; nothing, where labels are all there is."""
        taken = {chosen.gold, chosen.pred, chosen.weight, *chosen.by}
        others = [column for column in table.columns if column not in taken]
        ids = [column for column in others if plain_name(column) in ID_NAMES]
        if len(ids) == 1 and not chosen.by:
            return cls(ids, is_id=True)
        return cls(others if table.is_text and not chosen.by else [], is_id=False)

    def add(self, values: Sequence[Any]) -> None:
        """Look at one more row: its labels, then the values of the columns."""
        self.n_rows += 1
        if not self.columns or self.n_rows > _MOST_ROWS:
            return
        key = values[-1] if self.is_id else tuple(values)
        if not isinstance(key, (str, int, float, tuple)) or key == "":
            return
        if key in self.seen:
            self.twice[key] = None
        self.seen.add(key)

    def notes(self, name: str) -> list[Note]:
        """Say which ids or rows repeat; values that most rows share tell nothing apart."""
        if not self.twice or self.n_rows > _MOST_ROWS or len(self.seen) < 0.5 * self.n_rows:
            return []
        n_more = self.n_rows - len(self.seen)
        if self.is_id:
            what = (
                f"{counted(len(self.twice), 'id')} of {name} ({quote_some(self.twice, most=3)}) "
                f"{'occurs' if len(self.twice) == 1 else 'occur'} more than once"
            )
        else:
            what = (
                f"{counted(n_more, 'row')} of {name} {'repeats' if n_more == 1 else 'repeat'} another in every column"
            )
        return [
            Note(
                f"{what}, and all are counted: if a sampler padded the last batch, drop the repeats first.",
                code="repeated_ids" if self.is_id else "repeated_rows",
            )
        ]
