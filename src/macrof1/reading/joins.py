"""Files with one system each, joined by id or position and grouped in the engine: no row becomes a Python object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import polars as pl

from macrof1.reading.engine import polars_reads
from macrof1.reading.frames import frame_of
from macrof1.reading.scans import AMOUNT, grouped, listed
from macrof1.reading.tables import MixedTypesError, TableFile

_ID = "\0id"


@dataclass(frozen=True, slots=True)
class Side:
    """A file to be joined.

    Attributes
    ----------
    key
        Its id column; None if rows are matched by position.
    columns
        Its labels and other facts, by the names that they get.
    agree
        What must be equal in all files that have it, by a name for all of them; gold is one of these.
    """

    table: TableFile
    key: str | None
    columns: dict[str, str]
    agree: dict[str, str]

    def frame(self, place: str = "") -> pl.LazyFrame:
        """Return its columns under their new names."""
        columns = {**self.columns, **{name + place: column for name, column in self.agree.items()}}
        if self.key is not None:
            columns[_ID] = self.key
        found = frame_of(self.table, list(columns.values()))
        return found.select(pl.col(column).alias(name) for name, column in columns.items())


def joined(
    gold: Side, others: Sequence[Side], most: int | None = None
) -> tuple[dict[str, list[Any]], list[int]] | None:
    """Join files and group rows with equal labels and facts; return the distinct rows and their frequencies.

    None if ids do not match one to one, if they are neither text nor whole numbers of one type, or if what must agree
    does not: reading row by row then says what is wrong. More than `most` distinct rows raise `TooManyRowsError`.
    """
    equal = [(name, f"{name} {place}") for place, side in enumerate(others) for name in side.agree]
    names = ["gold", *(name for side in (gold, *others) for name in side.columns)]
    with polars_reads(gold.table.unreadable, aloud=any(side.table.is_text for side in (gold, *others))):
        try:
            frames = [gold.frame(), *(side.frame(f" {place}") for place, side in enumerate(others))]
        except MixedTypesError:
            return None
        if not _can_be_joined(frames, equal):
            return None
        n_rows, *others_rows = (_n_rows(frame) for frame in frames)
        if n_rows is None or any(n != n_rows for n in others_rows):
            return None
        if gold.key is None:
            together = pl.concat(frames, how="horizontal")
        else:
            together = reduce(lambda left, right: left.join(right, on=_ID), frames)
        if equal:
            differ = pl.any_horizontal(*(pl.col(a).ne_missing(pl.col(b)) for a, b in equal))
            together = together.filter(~differ)
        found = grouped(together.select(names), names, most)
    # Ids that match no row of another file, and rows that do not agree, are left out by the join.
    return None if found[AMOUNT].sum() != n_rows else listed(found, names)


def _n_rows(frame: pl.LazyFrame) -> int | None:
    """Return the number of rows; None if they have ids, some of them twice."""
    ids = pl.col(f"^{_ID}$").n_unique()
    found = frame.select(pl.len(), ids).collect(engine="streaming").row(0)
    return found[0] if len(set(found)) == 1 else None


def _can_be_joined(frames: Sequence[pl.LazyFrame], equal: Sequence[tuple[str, str]]) -> bool:
    """Whether ids are text or whole numbers of one type, and columns that should be equal have one type."""
    kinds = [frame.collect_schema() for frame in frames]
    types = {name: kind for schema in kinds for name, kind in schema.items()}
    ids = {schema.get(_ID, pl.String()) for schema in kinds}
    return (
        len(ids) == 1
        and all(kind.is_integer() or kind == pl.String for kind in ids)
        and all(types[a] == types[b] for a, b in equal)
    )
