"""From data frames to counts: pandas, Polars, Arrow, DuckDB, Dask, Ibis and Spark.

The engine groups the data in place; only the cells come back: one row per combination of gold, predicted and group.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from macrof1.counting.cells import Cell, CountRules, times_count
from macrof1.counting.confusion import Confusion
from macrof1.counting.engines import (
    Columns,
    Frame,
    aggregated,
    amounts_of,
    check_column,
    check_label_type,
    group_readers,
    holds_sets,
    label_reader,
    names_of,
    opened,
    rows_of,
    source_name,
    weights_that_fit,
)
from macrof1.counts import ClassCounts, GroupedCounts
from macrof1.errors import ColumnError, InputError
from macrof1.labels import Missing, checked_missing
from macrof1.message import Argument, Message, Note
from macrof1.reading.columns import count_column, may_count, unused_count
from macrof1.reading.repeats import Repeats

# A table of counts has no more lines than this.
_MOST_LINES = 10_000


def count_frame(df: Any, **options: Any) -> Confusion | ClassCounts:
    """Count a data frame in its own engine; options as in `count_frame_groups`.

    Returns
    -------
    Confusion or ClassCounts
        The cells of the confusion matrix; for several labels per row the counts per label.

    Examples
    --------
    >>> import polars as pl
    >>> df = pl.LazyFrame({"gold": ["cat", "dog", "dog"], "pred": ["cat", "cat", "dog"]})
    >>> count_frame(df, gold="gold", pred="pred")
    Confusion(labels=('cat', 'dog'), cells=[('cat', 'cat', 1), ('dog', 'cat', 1), ('dog', 'dog', 1)])
    """
    return count_frame_groups(df, by=(), **options).total


def count_frame_groups(
    df: Any,
    *,
    gold: Columns,
    pred: Columns,
    by: str | Sequence[str],
    weight: str | None = None,
    count: str | None = None,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
) -> GroupedCounts:
    """Count each group of rows and all of them together, in one pass; parameters as in `macrof1.score_frame`."""
    policy = checked_missing(missing)
    frame = opened(df)
    groups = names_of(by)
    known = frame.collect_schema()  # requested once: on Spark every request is a round trip
    sides = [names_of(side) for side in (gold, pred)]
    facts = [name for name in (weight, count) if name is not None]
    for name in (*sides[0], *sides[1], *groups, *facts):
        check_column(name, known.names(), source_name(frame))
    for name in groups:
        if known[name].is_nested() or holds_sets(frame, name, known[name]):
            raise ColumnError(
                Message(Argument("by", name), f" holds values of type {known[name]}"),
                expected="one plain value per row",
            )
    if gold == pred and isinstance(gold, str):
        warnings.warn(f"gold and pred are the same column {gold!r}: every prediction is right", stacklevel=3)
    # Rows that stand for several may well repeat each other.
    repeated = () if count is not None else frame_repeats(frame, known, [*sides[0], *sides[1], *facts], groups)
    several = not isinstance(gold, str) or not isinstance(pred, str)
    if several or any(holds_sets(frame, name, known[name]) for side in sides for name in side):
        if policy != "error":
            raise InputError.missing_beside_sets(policy)
        from macrof1.counting.frame_sets import count_sets  # loads Narwhals

        return count_sets(
            frame, gold=gold, pred=pred, weight=weight, count=count, labels=labels, by=groups, notes=repeated
        )
    cells = _cells(frame, known, sides[0][0], sides[1][0], weight, groups if count is None else [*groups, count])
    if count is not None:
        cells = times_count(cells, f"column {count!r} of {source_name(frame)}")
    elif weight is None and gold != pred:
        repeated = (*_unused_counts(frame, known, [sides[0][0], sides[1][0], *groups], cells), *repeated)
    where = f"columns {gold!r} and {pred!r} of {source_name(frame)}"
    rules = CountRules(
        labels=labels, missing=policy, source=source_name(frame), where=where, weighted=weight is not None,
        notes=repeated,
    )  # fmt: skip
    return rules.grouped(cells, groups)


def _unused_counts(frame: Frame, schema: Any, taken: list[str], cells: list[Cell]) -> tuple[Note, ...]:
    """Flag a frame of counts whose rows are counted once each; only a small one is asked for its columns."""
    others = [name for name in schema.names() if isinstance(name, str) and not schema[name].is_nested()]
    others = [name for name in others if name not in taken[:2]]
    numeric = any(schema[name].is_numeric() and name not in taken for name in others)
    times = [cell.rows for cell in cells]
    if not numeric or not cells or sum(times) > _MOST_LINES or not may_count(others, times):
        return ()
    gold, pred, *columns = map(list, zip(*rows_of(frame.select(*taken[:2], *others)), strict=True))
    column = count_column(dict(zip(others, columns, strict=True)), gold, pred)
    return () if column is None or column in taken else (unused_count(column),)


def distinct_frame_rows(
    df: Any, *, gold: Any, pred: Any, by: Sequence[str], labels: Iterable[object] | None, missing: Missing
) -> tuple[list[Cell], CountRules]:
    """Return the distinct rows of a frame, grouped by any columns, and the rules by which they become counts."""
    frame = opened(df)
    cells = _cells(frame, frame.collect_schema(), gold, pred, None, list(by))
    name = source_name(frame)
    return cells, CountRules(labels=labels, missing=missing, source=name, where=f"columns {gold!r} and {pred!r}")


def frame_repeats(frame: Frame, schema: Any, taken: Sequence[str], groups: Sequence[str] = ()) -> tuple[Note, ...]:
    """Say which ids or rows repeat in a frame that is in memory: elsewhere this would take another query."""
    import narwhals.stable.v2 as nw

    plain = [name for name in schema.names() if isinstance(name, str) and not schema[name].is_nested()]
    if not isinstance(frame, nw.DataFrame) or set(plain) <= {*taken, *groups}:
        return ()
    import polars as pl

    from macrof1.reading.scans import add_hashes, rows_with

    def select(columns: list[str]) -> pl.LazyFrame:
        return frame.select(*columns).to_polars().lazy()

    repeats = Repeats.of(plain, taken, groups)
    try:
        add_hashes(repeats, select, len(frame))
        return tuple(repeats.notes(source_name(frame), lambda again: rows_with(repeats, select, again)))
    except (TypeError, ValueError, OverflowError, ImportError, pl.exceptions.PolarsError):
        return ()  # Python objects that Polars cannot hold, or an engine that cannot hand them over


def _cells(frame: Frame, schema: Any, gold: str, pred: str, weight: str | None, groups: list[str]) -> list[Cell]:
    source = source_name(frame)
    readers = []
    for role, name in (("gold", gold), ("pred", pred)):
        check_label_type(schema[name], name, source)
        frame, reader = label_reader(frame, role, name, schema[name], f"column {name!r} of {source}")
        readers.append(reader)
    readers += group_readers(groups)
    keys = [reader.column for reader in readers]
    with weights_that_fit(weight, source):
        rows = rows_of(aggregated(frame, {reader.column: reader.expression for reader in readers}, keys, weight))
    n_keys = len(keys)
    amounts = amounts_of([row[n_keys:] for row in rows], weight, source)
    cells = []
    for row, amount in zip(rows, amounts, strict=True):
        values = [reader.read(value) for reader, value in zip(readers, row, strict=False)]
        cells.append(Cell(values[0], values[1], int(row[n_keys]), amount, tuple(values[2:])))
    return cells
