"""Tables grouped by Polars: one cell per combination of labels and group.

Polars' streaming engine reads Parquet and Arrow files in chunks; text is passed to it block by block.
Either way, memory grows with the distinct combinations, not with rows.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import polars as pl

from macrof1.counting.cells import Cell, column_labels, group_value
from macrof1.counting.set_counts import LabelSet, label_set, split_labels
from macrof1.counting.weights import WeightSums, weight_amounts
from macrof1.errors import ColumnError, LabelError
from macrof1.reading.columns import LabelColumns
from macrof1.reading.diagnosis import warn_of_line_breaks
from macrof1.reading.engine import polars_reads
from macrof1.reading.progress import Progress
from macrof1.reading.scans import WHOLE_LINES, refuse_quotes, refuse_short_lines, scan, text_blocks
from macrof1.reading.tables import TableFile

# Cells of blocks are merged at this many, or at twice as many as were left the last time.
_MOST_CELLS = 1 << 20


def group_tables(batch: Sequence[TableFile], chosen: LabelColumns, progress: Progress | None) -> list[Cell]:
    """Count tables of one schema; `progress` receives the share of them that is read."""
    table = batch[0]
    name = table.name if len(batch) == 1 else f"{table.name} … {batch[-1].name}"
    text = table.is_text
    _check_types(table, chosen)
    query = _query(table, chosen)
    with polars_reads(table.unreadable, aloud=text):
        grouped = _by_blocks(table, query, progress) if text else _by_streaming(batch, query, progress)
    if text and (grouped["short"].sum() or grouped["gold"].has_nulls() or grouped["pred"].has_nulls()):
        refuse_short_lines(table)
    rows = grouped["rows"].to_list()
    amounts = rows if chosen.weight is None else _weights(grouped, f"column {chosen.weight!r} of {name}")
    sides: list[list[Any]] = []
    for side, column in (("gold", chosen.gold), ("pred", chosen.pred)):
        where = f"column {column!r} of {name}"
        values = grouped[side].to_list()
        if table.holds_sets(column, chosen.mark):
            sides.append([_read_set(value, chosen.mark, text, where) for value in values])
            continue
        read = column_labels(where)
        sides.append([None if text and value == "" else read(value) for value in values])
    groups = list(zip(*(map(_group_reader(text), grouped[key].to_list()) for key in query.keys[2:]), strict=True))
    groups = groups or [()] * len(rows)
    return [Cell(g, p, n, a, group) for g, p, n, a, group in zip(*sides, rows, amounts, groups, strict=True)]


class _Query(NamedTuple):
    """The columns to select, the columns to group by, and the sums to compute."""

    columns: dict[str, pl.Expr]
    keys: list[str]
    sums: list[pl.Expr]

    def grouped(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        return frame.group_by(self.keys).agg(self.sums)


def _query(table: TableFile, chosen: LabelColumns) -> _Query:
    columns = {"gold": pl.col(chosen.gold), "pred": pl.col(chosen.pred)}
    columns |= {f"by_{place}": pl.col(column) for place, column in enumerate(chosen.by)}
    keys = list(columns)
    sums = [pl.len().alias("rows")]
    if table.is_text:
        # A missing field at the end of a line reads as null: a sign of a line that is too short.
        columns["short"] = pl.col(table.columns[-1]).is_null()
        sums.append(pl.col("short").sum())
    if chosen.weight is not None:
        columns["weight"] = pl.col(chosen.weight).cast(pl.Float64, strict=False)
        # "2.0" is an integer too, as in typed files; large integers must not pass through a float.
        columns["whole"] = pl.coalesce(
            pl.col(chosen.weight).cast(pl.Int64, strict=False), columns["weight"].cast(pl.Int64, strict=False)
        )
        sums += [
            pl.col("weight").sum(),
            pl.col("whole").sum(),
            pl.col("weight").is_null().sum().alias("no_number"),
            (pl.col("whole").is_null() | (pl.col("whole") != pl.col("weight"))).sum().alias("fractions"),
            pl.col("weight").min().alias("least"),
            pl.col("weight").max().alias("most"),
        ]
    return _Query(columns, keys, sums)


def _by_streaming(batch: Sequence[TableFile], query: _Query, progress: Progress | None) -> pl.DataFrame:
    tables = scan(batch)
    chosen = tables.select(**query.columns)
    if progress is not None:
        n_rows = tables.select(pl.len()).collect().item()  # from the files' metadata: no data is read
        chosen = chosen.map_batches(_watch(progress, n_rows), streamable=True)
    return query.grouped(chosen).collect(engine="streaming")


def _watch(progress: Progress, n_rows: int) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Report the share of the rows that is read; several threads may call at once."""
    lock = threading.Lock()
    seen = 0

    def passed(piece: pl.DataFrame) -> pl.DataFrame:
        nonlocal seen
        with lock:
            seen += piece.height
            progress(seen / n_rows)
        return piece

    return passed


def _by_blocks(table: TableFile, query: _Query, progress: Progress | None) -> pl.DataFrame:
    parts: list[pl.DataFrame] = []
    height, most = 0, _MOST_CELLS
    for block in text_blocks(table):
        grouped = query.grouped(block.frame.select(**query.columns))
        parts.append(grouped.collect(engine="streaming", optimizations=WHOLE_LINES))
        if not block.quoted:
            refuse_quotes(table, parts[-1], query.keys)
        warn_of_line_breaks(table.name, int(parts[-1]["rows"].sum()), block.n_lines)
        height += parts[-1].height
        if height > most:
            parts = [_added(parts, query.keys)]
            height = parts[0].height
            most = max(_MOST_CELLS, 2 * height)
        if progress is not None:
            progress(min(1.0, block.read / max(1, table.file.size)))
    return _added(parts, query.keys) if len(parts) > 1 else parts[0]


def _added(parts: list[pl.DataFrame], keys: list[str]) -> pl.DataFrame:
    extremes = {"least": pl.col("least").min(), "most": pl.col("most").max()}
    sums = [extremes.get(name, pl.col(name).sum()) for name in parts[0].columns if name not in keys]
    return pl.concat(parts).group_by(keys).agg(sums)


def _read_set(value: Any, mark: str | None, text: bool, where: str) -> LabelSet:
    if mark is not None and (text or isinstance(value, str)):
        return split_labels(value or "", mark, where)
    return label_set(value, where)


def _group_reader(text: bool) -> Callable[[Any], Any]:
    return (lambda value: None if value == "" else value) if text else group_value


def _check_types(table: TableFile, chosen: LabelColumns) -> None:
    sides = (chosen.gold, chosen.pred)
    plain = [column for column in sides if not table.holds_sets(column, chosen.mark)]
    if chosen.mark is not None and plain:
        raise LabelError(
            f"column {plain[0]!r} of {table.name} holds values of type {table.types.get(plain[0])}",
            expected=f"text with {chosen.mark!r} between labels, or lists",
        )
    if len(plain) == 1:
        raise ColumnError.beside_lists(plain[0], source=table.name)
    table.check_label_types(plain)
    for column in chosen.by:
        kind = table.types.get(column)
        if kind is not None and kind.is_nested():
            raise LabelError(f"column {column!r} of {table.name} holds values of type {kind}", expected="plain values")


def _weights(grouped: pl.DataFrame, where: str) -> list[int | float]:
    names = ("weight", "whole", "least", "most", "no_number", "fractions")
    real = bool(grouped["fractions"].sum())
    parts = [
        WeightSums(weight if real else whole, weight, least, most, no_number, fractions)
        if not no_number
        else WeightSums(0, 0.0, 0, 0, no_number, fractions)
        for weight, whole, least, most, no_number, fractions in grouped.select(names).iter_rows()
    ]
    return weight_amounts(parts, where)
