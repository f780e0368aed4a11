"""Repeated rows in tables and frames that Polars reads: one more column is read, and all only if that one repeats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import polars as pl

from macrof1.message import Note
from macrof1.reading.engine import polars_reads
from macrof1.reading.repeats import MOST_ROWS, MOST_SAMPLED, N_FIRST, id_column, repeat_notes, telling_column
from macrof1.reading.scans import scan, text_blocks
from macrof1.reading.tables import TableFile

Pieces: TypeAlias = Callable[[list[str]], Iterator[pl.LazyFrame]]
"""Reads some columns, piece by piece."""

_HASH = "\0hash"


def repeats_in_tables(
    tables: Sequence[TableFile], taken: Sequence[str], groups: Sequence[str], name: str, n_rows: int
) -> list[Note]:
    """Say which ids or rows repeat in tables of one schema that together have so many rows."""
    table = tables[0]
    kinds = {column: table.types.get(column) for column in table.columns}
    plain = [column for column, kind in kinds.items() if kind is None or not (kind.is_nested() or kind.is_object())]

    def pieces(columns: list[str]) -> Iterator[pl.LazyFrame]:
        for each in tables:
            frames = (block.frame for block in text_blocks(each)) if each.is_text else iter((scan([each]),))
            yield from (frame.select(columns) for frame in frames)

    with polars_reads(table.unreadable, aloud=table.is_text):
        return repeats_in(pieces, plain, taken, groups, name, n_rows)


def repeats_in(
    pieces: Pieces, plain: list[str], taken: Sequence[str], groups: Sequence[str], name: str, n_rows: int
) -> list[Note]:
    """Say which ids or rows repeat, within groups, given the columns of plain values and those that are labels."""
    others = [column for column in plain if column not in (*taken, *groups)]
    if not others or n_rows > MOST_SAMPLED:
        return []
    key = id_column(others, ())
    whole = plain if key is None else None
    if key is None:
        first = next(pieces(others)).head(N_FIRST).collect(engine="streaming")
        key = telling_column({column: first[column].n_unique() for column in others}, first.height)
    return [] if key is None else _notes(pieces, key, groups, whole, name, n_rows)


def _notes(
    pieces: Pieces, key: str, groups: Sequence[str], whole: list[str] | None, name: str, n_rows: int
) -> list[Note]:
    one_in = 1
    while n_rows > MOST_ROWS * one_in:
        one_in *= 2
    hashed = pl.struct(*groups, key).hash() if groups else pl.col(key).hash()
    known = pl.col(key).is_not_null()
    if next(pieces([key])).collect_schema()[key] == pl.String:
        known &= pl.col(key) != ""
    hashes = pl.concat(
        piece.filter(known).select(hashed.alias(_HASH)).filter(pl.col(_HASH) % one_in == 0).collect(engine="streaming")
        for piece in pieces([*groups, key])
    )[_HASH].sort()
    again = hashes.filter(hashes == hashes.shift(1))
    n_distinct = len(hashes) - len(again)
    if not len(again):
        return []
    again = again.unique()
    columns = list(dict.fromkeys([*groups, key, *(whole or ())]))
    rows = pl.concat(
        piece.filter(known & hashed.is_in(again.implode()))
        .select(key, pl.struct(columns).hash().alias(_HASH))
        .collect(engine="streaming")
        for piece in pieces(columns)
    )
    n_repeated = len(again) if whole is None else rows.height - rows[_HASH].n_unique()
    ids = rows[key].unique(maintain_order=True).head(3).to_list() if whole is None else None
    return repeat_notes(name, n_repeated=n_repeated, n_distinct=n_distinct, n_rows=len(hashes), ids=ids, one_in=one_in)
