"""Prediction files become counts: CSV, TSV, JSON lines, Parquet and Arrow, plain or compressed, or stdin.

Polars reads and groups in pieces, so that memory grows with the distinct pairs of labels, not with rows.
In text files labels are text: ``1`` and ``01`` are two labels. Typed files keep their types.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

import polars as pl

from macrof1.counts.cells import (
    Cell,
    CountRules,
    GroupedCounts,
    WeightSums,
    column_label,
    group_value,
    weight_amounts,
)
from macrof1.counts.confusion import Confusion
from macrof1.counts.damage import first_broken_line
from macrof1.counts.labels import Missing, canonical, checked_missing, label_key
from macrof1.counts.sources import (
    FileFormat,
    Source,
    Table,
    check_label_types,
    check_same_schema,
    opened,
    parse_json,
    resolve,
    scan,
    unreadable,
)
from macrof1.errors import CountError, EmptyError, FileError, LabelError

__all__ = ["FileFormat", "count_file", "count_file_groups"]

Progress: TypeAlias = Callable[[int, int], None]

# Files per query, and bytes after which a query is full: few enough for a progress bar to move.
_MOST_FILES = 256
_MOST_BYTES = 1 << 28


def count_file(
    source: Source,
    *,
    gold: str | None = None,
    pred: str | None = None,
    weight: str | None = None,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
    header: bool = True,
    file_format: FileFormat | None = None,
    labels_are_text: bool = False,
    progress: Progress | None = None,
) -> Confusion:
    """Count the cells of a prediction file.

    Parameters
    ----------
    source
        Path of a CSV, TSV, JSON-lines, Parquet or Arrow file, plain or compressed (.gz, .zst), or ``"-"``
        for standard input. The name's ending tells the format; other names are told by their content.
        Also a pattern (``"preds/*.csv.gz"``), a folder of Parquet files, whose ``name=value`` sub-folders
        become columns, or a sequence of all these: the files are counted as one table.
    gold, pred, weight
        Column names, or positions counted from 1. Without them, columns with usual names are taken
        (``gold``, ``y_true``, …; ``pred``, ``y_pred``, …).
    labels
        The class set, in order.
    missing
        Rows without a label: ``"error"``, ``"drop"`` or ``"label"``. In text files an empty field is missing.
    header
        Whether the first line of a CSV or TSV file names the columns.
    file_format
        The format, where neither name nor content tells.
    labels_are_text
        Whether `labels` was typed as text, as on a command line, and ``1`` means the number in a typed file.
    progress
        Called with the bytes read so far and the bytes in all, after every batch of files.
    """
    wanted = _Wanted(gold, pred, weight, ())
    cells, rules = _read(source, wanted, labels, missing, header, file_format, labels_are_text, progress)
    return rules.pooled(cells)


def count_file_groups(
    source: Source,
    *,
    by: str | Sequence[str],
    gold: str | None = None,
    pred: str | None = None,
    weight: str | None = None,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
    header: bool = True,
    file_format: FileFormat | None = None,
    labels_are_text: bool = False,
    progress: Progress | None = None,
) -> GroupedCounts:
    """Count each group of rows and all of them together, in one pass; parameters as in `count_file`.

    `by` names the columns to group by, by name or position.
    """
    wanted = _Wanted(gold, pred, weight, (by,) if isinstance(by, str) else tuple(by))
    if not wanted.by:
        raise EmptyError("by is empty: expected at least one column to group by")
    cells, rules = _read(source, wanted, labels, missing, header, file_format, labels_are_text, progress)
    return rules.grouped(cells, wanted.by)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The columns to read, as given by the user or as found in the files."""

    gold: str | None
    pred: str | None
    weight: str | None
    by: tuple[str, ...]

    def in_table(self, table: Table) -> _Found:
        return _Found(
            resolve(table, self.gold, "gold"),
            resolve(table, self.pred, "pred"),
            None if self.weight is None else resolve(table, self.weight, "weight"),
            tuple(resolve(table, name, "by") for name in self.by),
        )

    def given(self) -> list[str | None]:
        return [self.gold, self.pred, *self.by, *([] if self.weight is None else [self.weight])]


@dataclass(frozen=True, slots=True)
class _Found:
    gold: str
    pred: str
    weight: str | None
    by: tuple[str, ...]

    def columns(self) -> list[str]:
        return [self.gold, self.pred, *self.by, *([] if self.weight is None else [self.weight])]


def _read(
    source: Source,
    wanted: _Wanted,
    labels: Iterable[object] | None,
    missing: Missing,
    header: bool,
    file_format: FileFormat | None,
    labels_are_text: bool,
    progress: Progress | None,
) -> tuple[list[Cell], CountRules]:
    policy = checked_missing(missing)
    with opened(source, header, file_format) as tables:
        found = wanted.in_table(tables[0])
        check_same_schema(tables, wanted.given(), found.columns())
        if found.gold == found.pred:
            warnings.warn(f"gold and pred are the same column {found.gold!r}: every prediction is right", stacklevel=3)
        sizes = [table.path.stat().st_size for table in tables]
        done, total = 0, sum(sizes)
        cells: dict[Any, Cell] = {}
        for batch in _batches(tables, sizes):
            if batch[0].format == "jsonl":
                part = _count_lines(batch[0], found, _after(progress, done, total))
            else:
                part = _count_grouped(batch, found)
            if batch[0].header and batch[0].is_text:
                _check_header(batch[0], ((wanted.gold, found.gold), (wanted.pred, found.pred)), part)
            _collect(cells, part)
            done += sum(table.path.stat().st_size for table in batch)
            if progress is not None:
                progress(done, total)
        name = tables[0].name if len(tables) == 1 else f"{tables[0].name} and {len(tables) - 1:,} more"
        both = f"columns {found.gold!r} and {found.pred!r}" if found.gold != found.pred else f"column {found.gold!r}"
        where = f"{both} of {name}"
        rules = CountRules(labels=labels, missing=policy, source=name, where=where, labels_are_text=labels_are_text)
        return list(cells.values()), rules


def _after(progress: Progress | None, done: int, total: int) -> Callable[[int], None]:
    """Report bytes of one file on top of those that were read before it."""

    def report(read: int) -> None:
        if progress is not None:
            progress(done + read, total)

    return report


def _collect(cells: dict[Any, Cell], part: list[Cell]) -> None:
    """Add up whole numbers now, so that memory does not grow with the files; reals are added once, at the end."""
    for cell in part:
        key = label_key(cell.gold), label_key(cell.pred), tuple(map(label_key, cell.group))
        if isinstance(cell.amount, float):
            cells[(*key, len(cells))] = cell
        elif key in cells:
            known = cells[key]
            cells[key] = Cell(known.gold, known.pred, known.rows + cell.rows, known.amount + cell.amount, known.group)
        else:
            cells[key] = cell


def _batches(tables: list[Table], sizes: list[int]) -> Iterator[list[Table]]:
    """Cut the files into queries: many Parquet files of one schema at once, other files one by one."""

    def alike(place: int) -> tuple[Any, ...]:
        table = tables[place]
        if table.format != "parquet":
            return (place,)
        return "parquet", tuple(table.types.items()), tuple(table.partition.items())

    for _, places in groupby(range(len(tables)), key=alike):
        batch: list[Table] = []
        size = 0
        for place in places:
            if batch and (len(batch) == _MOST_FILES or size + sizes[place] > _MOST_BYTES):
                yield batch
                batch, size = [], 0
            batch.append(tables[place])
            size += sizes[place]
        yield batch


def _check_header(table: Table, chosen: Iterable[tuple[str | None, str]], cells: list[Cell]) -> None:
    """Refuse a header that is a row of data, which would be lost in silence."""
    labels = {cell.gold for cell in cells} | {cell.pred for cell in cells}
    for wanted, column in chosen:
        if wanted != column and column in labels:
            raise FileError(
                f"{table.name}: the first line names a column {column!r}, which is also a label: expected a header; "
                "if the first line is data, add --no-header; if it is a header, name the column instead of its position"
            )


def _count_grouped(batch: list[Table], found: _Found) -> list[Cell]:
    table = batch[0]
    name = table.name if len(batch) == 1 else f"{table.name} … {batch[-1].name}"
    text = table.is_text
    _check_types(table, found)
    columns = {"gold": pl.col(found.gold), "pred": pl.col(found.pred)}
    columns |= {f"by_{place}": pl.col(column) for place, column in enumerate(found.by)}
    keys = list(columns)
    sums = [pl.len().alias("rows")]
    if text:
        # A missing field at the end of a line reads as null: a sign of a line that is too short.
        columns["short"] = pl.col(table.columns[-1]).is_null()
        sums.append(pl.col("short").sum())
    if found.weight is not None:
        columns["weight"] = pl.col(found.weight).cast(pl.Float64, strict=False)
        # "2.0" is a whole number too, as it is in typed files; large integers must not pass through a float.
        columns["whole"] = pl.coalesce(
            pl.col(found.weight).cast(pl.Int64, strict=False), columns["weight"].cast(pl.Int64, strict=False)
        )
        sums += [
            pl.col("weight").sum(),
            pl.col("whole").sum(),
            pl.col("weight").is_null().sum().alias("no_number"),
            (pl.col("whole").is_null() | (pl.col("whole") != pl.col("weight"))).sum().alias("fractions"),
            pl.col("weight").min().alias("least"),
            pl.col("weight").max().alias("most"),
        ]
    try:
        # Without projection push-down Polars parses whole lines, and so notices lines with too many fields.
        options = pl.QueryOptFlags(projection_pushdown=not text)
        query = scan(batch).select(**columns).group_by(keys).agg(sums)
        grouped = query.collect(engine="streaming", optimizations=options)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unreadable(table.path, name, table.format, error, table.separator) from None
    if text and (grouped["short"].sum() or grouped["gold"].has_nulls() or grouped["pred"].has_nulls()):
        broken = first_broken_line(table.path, table.format, table.separator)
        if broken:
            raise FileError(f"{table.name}, {broken}")
    rows = grouped["rows"].to_list()
    amounts = rows if found.weight is None else _weights(grouped, f"column {found.weight!r} of {name}")
    sides = []
    for side, column in (("gold", found.gold), ("pred", found.pred)):
        where = f"column {column!r} of {name}"
        values = grouped[side].to_list()
        read = {(type(value), value): _read_label(value, text, where) for value in values}
        sides.append([read[type(value), value] for value in values])
    groups = list(zip(*(map(_group_reader(text), grouped[key].to_list()) for key in keys[2:]), strict=True))
    groups = groups or [()] * len(rows)
    return [Cell(g, p, n, a, group) for g, p, n, a, group in zip(*sides, rows, amounts, groups, strict=True)]


def _read_label(value: Any, text: bool, where: str) -> Any:
    return None if text and value == "" else column_label(value, where)


def _group_reader(text: bool) -> Callable[[Any], Any]:
    return (lambda value: value or None) if text else group_value


def _check_types(table: Table, found: _Found) -> None:
    check_label_types(table, (found.gold, found.pred))
    for column in found.by:
        kind = table.types.get(column)
        if kind is not None and kind.is_nested():
            raise LabelError(f"column {column!r} of {table.name} holds values of type {kind}: expected plain values")


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


def _count_lines(table: Table, found: _Found, progress: Callable[[int], None]) -> list[Cell]:
    """Count JSON lines one by one: Polars would turn labels of mixed types into text."""
    rows: Counter[Any] = Counter()
    amounts: dict[Any, int | float] = {}
    number = 0
    n_bytes = 0
    size = table.path.stat().st_size
    try:
        for batch in pl.scan_lines(table.path, glob=False).collect_batches(chunk_size=50_000, engine="streaming"):
            for line in batch["line"].to_list():
                number += 1
                n_bytes += len(line) + 1
                if not line.strip():
                    continue
                record = parse_json(line.removeprefix("\ufeff") if number == 1 else line, table.name, number)
                record = table.partition | record
                key: tuple[Any, ...]
                try:
                    key = label_key(canonical(record.get(found.gold))), label_key(canonical(record.get(found.pred)))
                except LabelError as error:
                    raise LabelError(f"{table.name}, line {number}: {error}") from None
                if found.by:
                    key += (tuple(_json_group(record.get(name), name, table.name, number) for name in found.by),)
                rows[key] += 1
                if found.weight is not None:
                    weight = _json_weight(record.get(found.weight), found.weight, table.name, number)
                    amounts[key] = amounts.get(key, 0) + weight
            progress(min(n_bytes, size))
    except pl.exceptions.PolarsError as error:
        raise unreadable(table.path, table.name, "jsonl", error) from None
    return [
        Cell(key[0][1], key[1][1], n, amounts.get(key, n), tuple(value for _, value in key[2]) if found.by else ())
        for key, n in rows.items()
    ]


def _json_group(value: Any, column: str, name: str, number: int) -> Any:
    if isinstance(value, (list, dict)):
        raise LabelError(f"{name}, line {number}: {column!r} is {value!r}, expected a plain value to group by")
    return label_key(group_value(value))


def _json_weight(value: Any, weight: str, name: str, number: int) -> int | float:
    usable = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not usable or not 0 <= value < float("inf"):
        raise CountError(
            f"{name}, line {number}: weight {weight!r} is {value!r}, expected a finite number, 0 or larger"
        )
    return value  # type: ignore[no-any-return]  # the line above proves it a number
