"""Files with one system each, joined by their ids and grouped in the engine: no row becomes a Python object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from macrof1.reading.engine import polars_reads
from macrof1.reading.scans import AMOUNT, frame_of, grouped, listed
from macrof1.reading.tables import TableFile

_ID = "\0id"


@dataclass(frozen=True, slots=True)
class Side:
    """A file to be joined: its id column, and its other columns by the names that they get."""

    table: TableFile
    key: str
    columns: dict[str, str]

    def frame(self) -> pl.LazyFrame:
        """Return its columns under their new names."""
        found = frame_of(self.table, [self.key, *self.columns.values()])
        return found.select(
            pl.col(self.key).alias(_ID), *(pl.col(column).alias(name) for name, column in self.columns.items())
        )


def joined(
    gold: Side, others: Sequence[Side], equal: Sequence[tuple[str, str]], most: int | None = None
) -> tuple[dict[str, list[Any]], list[int]] | None:
    """Join files by id and group equal rows; return the distinct rows and their frequencies.

    None if the ids do not match one to one, if they are neither text nor whole numbers of one type, or if two columns
    that should be `equal` are not: reading row by row then says what is wrong. More than `most` distinct rows raise
    `TooManyRowsError`.
    """
    with polars_reads(gold.table.unreadable, aloud=any(side.table.is_text for side in (gold, *others))):
        frames = [side.frame() for side in (gold, *others)]
        if not _can_be_joined(frames, equal):
            return None
        sizes = [
            frame.select(pl.len(), pl.col(_ID).n_unique().alias(_ID)).collect(engine="streaming") for frame in frames
        ]
        n_rows = sizes[0].item(0, 0)
        if any(size.row(0) != (n_rows, n_rows) for size in sizes):
            return None
        together = frames[0]
        for frame in frames[1:]:
            together = together.join(frame, on=_ID)
        if equal:
            differ = pl.any_horizontal(*(pl.col(a).ne_missing(pl.col(b)) for a, b in equal))
            together = together.filter(~differ)
        dropped = {own for _, own in equal}
        names = [name for side in (gold, *others) for name in side.columns if name not in dropped]
        found = grouped(together.select(names), names, most)
    # Ids that match no row of another file, and rows whose own gold differs, are left out by the join.
    return None if found[AMOUNT].sum() != n_rows else listed(found, names)


def _can_be_joined(frames: Sequence[pl.LazyFrame], equal: Sequence[tuple[str, str]]) -> bool:
    """Whether the ids are text or whole numbers of one type, and columns that should be equal have one type."""
    kinds = [frame.collect_schema() for frame in frames]
    types = {name: kind for schema in kinds for name, kind in schema.items()}
    ids = {schema[_ID] for schema in kinds}
    return (
        len(ids) == 1
        and (types[_ID].is_integer() or types[_ID] == pl.String)
        and all(types[a] == types[b] for a, b in equal)
    )
