"""From data frames to counts: pandas, Polars, Arrow, DuckDB, Dask, Ibis and Spark.

The engine groups the data in place; only the cells come back: one row per combination of gold, predicted and group.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Any

from macrof1.counting import engines
from macrof1.counting.cells import Cell, CountRules, checked_count, group_value
from macrof1.counting.engines import Columns, Frame
from macrof1.counts import GroupedCounts
from macrof1.errors import ColumnError, InputError, LabelError, LengthError, MissingLabelError, counted
from macrof1.labels import Label, Missing, checked_labels, checked_missing, label_key
from macrof1.message import Argument, Message, Note
from macrof1.reading.columns import Repeats, unused_counts


def count_frame_groups(df: Any, *, by: str | Sequence[str], **options: Any) -> GroupedCounts:
    """Count each group of rows and all of them together, in one pass; options as in `distinct_frame_rows`."""
    cells, rules = distinct_frame_rows(df, by=by, **options)
    return rules.grouped(cells, engines.names_of(by))


def distinct_frame_rows(
    df: Any,
    *,
    gold: Columns,
    pred: Columns,
    by: str | Sequence[str],
    weight: str | None = None,
    count: str | None = None,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
) -> tuple[list[Cell], CountRules]:
    """Return the distinct rows of a frame, grouped by any columns, and the rules by which they become counts."""
    policy = checked_missing(missing)
    frame = engines.opened(df)
    source = engines.source_name(frame)
    groups = engines.names_of(by)
    known = frame.collect_schema()  # requested once: on Spark every request is a round trip
    sides = [engines.names_of(side) for side in (gold, pred)]
    facts = [name for name in (weight, count) if name is not None]
    for name in (*sides[0], *sides[1], *groups, *facts):
        engines.check_column(name, known.names(), source)
    for name in groups:
        if known[name].is_nested() or engines.holds_sets(frame, name, known[name]):
            problem = Message(Argument("by", name), f" holds values of type {known[name]}")
            raise ColumnError(problem, expected="one plain value per row")
    if gold == pred and isinstance(gold, str):
        warnings.warn(f"gold and pred are the same column {gold!r}: every prediction is right", stacklevel=3)
    # Rows that stand for several may well repeat each other.
    repeated = () if count is not None else frame_repeats(frame, known, [*sides[0], *sides[1], *facts], groups)
    several = not isinstance(gold, str) or not isinstance(pred, str)
    sets = several or any(engines.holds_sets(frame, name, known[name]) for side in sides for name in side)
    if sets and policy != "error":
        raise InputError.missing_beside_sets(policy)
    keys = groups if count is None else [*groups, count]
    if several:
        labels = checked_labels(sides[0] if labels is None else labels)
        cells = _column_cells(frame, sides[0], sides[1], weight, keys, labels)
    else:
        cells = _cells(frame, known, sides[0][0], sides[1][0], weight, keys)
    if count is not None:
        where = f"column {count!r} of {source}"
        times = [(cell, checked_count(cell.group[-1], where)) for cell in cells]
        cells = [Cell(one.gold, one.pred, one.rows * n, one.amount * n, one.group[:-1]) for one, n in times if n]
    elif weight is None and gold != pred and not sets:
        n_rows = sum(cell.rows for cell in cells)
        repeated = (
            *unused_frame_counts(frame, known, [sides[0][0], sides[1][0]], groups, n_rows, len(cells)),
            *repeated,
        )
    return cells, CountRules(
        labels=labels, missing=policy, source=source, where=f"columns {gold!r} and {pred!r} of {source}",
        weighted=weight is not None, notes=repeated, is_matrix=several,
    )  # fmt: skip


def unused_frame_counts(frame: Frame, schema: Any, labels: Sequence[str], by: Sequence[str], *size: int) -> list[Note]:
    """Say that a frame seems to be a table of counts, given its columns of labels; only a small one is asked."""
    others = [name for name in plain_columns(schema) if name not in labels]
    if not any(schema[name].is_numeric() and name not in by for name in others):
        return []

    def read(names: list[str]) -> dict[str, Any]:
        return dict(zip(names, zip(*engines.rows_of(frame.select(*names)), strict=True), strict=True))

    return unused_counts(others, labels, by, size, read)


def plain_columns(schema: Any) -> list[str]:
    """Return the columns with one value per row."""
    return [name for name in schema.names() if isinstance(name, str) and not schema[name].is_nested()]


def frame_repeats(frame: Frame, schema: Any, taken: Sequence[str], groups: Sequence[str] = ()) -> tuple[Note, ...]:
    """Say which ids or rows repeat in a frame that is in memory: elsewhere this would take another query."""
    import narwhals.stable.v2 as nw

    plain = plain_columns(schema)
    if not isinstance(frame, nw.DataFrame) or set(plain) <= {*taken, *groups}:
        return ()
    import polars as pl

    from macrof1.reading.scans import add_hashes, rows_with

    def select(columns: list[str]) -> pl.LazyFrame:
        return frame.select(*columns).to_polars().lazy()

    repeats = Repeats.of(plain, taken, groups)
    try:
        add_hashes(repeats, select, len(frame))
        return tuple(repeats.notes(engines.source_name(frame), lambda again: rows_with(repeats, select, again)))
    except (TypeError, ValueError, OverflowError, ImportError, pl.exceptions.PolarsError):
        return ()  # Python objects that Polars cannot hold, or an engine that cannot hand them over


def _cells(frame: Frame, schema: Any, gold: str, pred: str, weight: str | None, groups: list[str]) -> list[Cell]:
    found = engines.distinct_rows(frame, schema, [gold, pred], groups, weight=weight)
    assert found is not None  # there is no limit
    own = (tuple(map(group_value, group)) for group in found.others)
    return list(map(Cell, *found.labels, found.rows, found.amounts, own))


def _column_cells(
    frame: Frame, gold: list[str], pred: list[str], weight: str | None, groups: list[str],
    names: tuple[Label | None, ...],
) -> list[Cell]:  # fmt: skip
    """Read sets of labels from one column per label, of 0 and 1 or of booleans."""
    import narwhals.stable.v2 as nw

    source, schema, n = engines.source_name(frame), frame.collect_schema(), len(gold)
    if n != len(pred) or not gold:
        raise LengthError(f"gold names {counted(n, 'column')} and pred {len(pred)}", expected="one of each per label")
    if len(names) != n:
        problem = f"{counted(len(names), 'label')} for {counted(n, 'column')}"
        raise LengthError(problem, expected="one name per column")
    columns = [*gold, *pred]
    for name in columns:
        if not (schema[name].is_boolean() or schema[name].is_numeric()):
            problem = f"column {name!r} of {source} holds values of type {schema[name]}"
            raise LabelError(problem, expected="0 and 1, or booleans")
    keys = {f"label {at}": nw.col(name) for at, name in enumerate(columns)}
    keys |= {f"other {at}": nw.col(name) for at, name in enumerate(groups)}
    rows, times, amounts = engines.grouped_rows(frame, keys, weight) or ([], [], [])
    for name, values in zip(columns, zip(*rows, strict=True), strict=False):
        if set(values) <= {0, 1}:
            continue
        n_null = sum(n for n, value in zip(times, values, strict=True) if group_value(value) is None)
        if n_null:
            raise MissingLabelError(f"column {name!r} of {source} has {counted(n_null, 'null')}", expected="0 or 1")
        raise LabelError(f"column {name!r} of {source} holds values other than 0 and 1", expected="those")
    own = list(map(label_key, names))
    golds, preds = ([frozenset(compress(own, row[at : at + n])) for row in rows] for at in (0, n))
    return list(map(Cell, golds, preds, times, amounts, (tuple(map(group_value, row[2 * n :])) for row in rows)))
