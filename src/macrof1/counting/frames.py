"""From data frames to counts: pandas, Polars, Arrow, DuckDB, Dask, Ibis and Spark.

The engine groups the data in place; only the cells come back: one row per combination of gold, predicted and group.
With one column per label, the engine does all the summing, and a single row per group comes back.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from macrof1.counting import engines
from macrof1.counting.cells import Cell, CountRules, Part, group_value, grouped_sets, label_set, parts_of, times_count
from macrof1.counting.confusion import Confusion
from macrof1.counting.engines import Columns, Frame
from macrof1.counts import ClassCounts, Group, GroupedCounts
from macrof1.errors import ColumnError, EmptyError, InputError, LabelError, LengthError, MissingLabelError, counted
from macrof1.labels import Label, Missing, checked_labels, checked_missing, label_key
from macrof1.message import Argument, Message, Note
from macrof1.reading.columns import Repeats, unused_counts


def count_frame(df: Any, **options: Any) -> Confusion | ClassCounts:
    """Count a data frame in its own engine: cells, or counts per label; options as in `count_frame_groups`."""
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
    if several or any(engines.holds_sets(frame, name, known[name]) for side in sides for name in side):
        if policy != "error":
            raise InputError.missing_beside_sets(policy)
        if not several:
            parts = _count_lists(frame, sides[0][0], sides[1][0], weight, count, groups)
            listed = None if labels is None else checked_labels(labels)
        else:
            if count is not None:
                raise InputError(Message(Argument("count"), " with one column per label"), expected="lists of labels")
            listed = checked_labels(sides[0] if labels is None else labels)
            parts = _count_columns(frame, sides[0], sides[1], weight, groups, listed)
        return grouped_sets(parts, listed, groups, source, weighted=weight is not None, notes=repeated)
    cells = _cells(frame, known, sides[0][0], sides[1][0], weight, groups if count is None else [*groups, count])
    if count is not None:
        cells = times_count(cells, f"column {count!r} of {source}")
    elif weight is None and gold != pred:
        n_rows = sum(cell.rows for cell in cells)
        repeated = (
            *unused_frame_counts(frame, known, [sides[0][0], sides[1][0]], groups, n_rows, len(cells)),
            *repeated,
        )
    where = f"columns {gold!r} and {pred!r} of {source}"
    rules = CountRules(
        labels=labels, missing=policy, source=source, where=where, weighted=weight is not None,
        notes=repeated,
    )  # fmt: skip
    return rules.grouped(cells, groups)


def unused_frame_counts(frame: Frame, schema: Any, labels: Sequence[str], by: Sequence[str], *size: int) -> list[Note]:
    """Say that a frame seems to be a table of counts, given its columns of labels; only a small one is asked."""
    others = [name for name in plain_columns(schema) if name not in labels]
    if not any(schema[name].is_numeric() and name not in by for name in others):
        return []

    def read(names: list[str]) -> dict[str, Any]:
        return dict(zip(names, zip(*engines.rows_of(frame.select(*names)), strict=True), strict=True))

    return unused_counts(others, labels, by, size, read)


def distinct_frame_rows(
    df: Any, *, gold: Any, pred: Any, by: Sequence[str], labels: Iterable[object] | None, missing: Missing
) -> tuple[list[Cell], CountRules]:
    """Return the distinct rows of a frame, grouped by any columns, and the rules by which they become counts."""
    frame = engines.opened(df)
    schema, name = frame.collect_schema(), engines.source_name(frame)
    for column in (gold, pred, *by):
        engines.check_column(column, schema.names(), name)
    if any(engines.holds_sets(frame, side, schema[side]) for side in (gold, pred)):
        cells = [cell for _, part in _count_lists(frame, gold, pred, None, None, list(by)) for cell in part.cells or ()]
    else:
        cells = _cells(frame, schema, gold, pred, None, list(by))
    return cells, CountRules(labels=labels, missing=missing, source=name, where=f"columns {gold!r} and {pred!r}")


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
    source = engines.source_name(frame)
    readers = []
    for role, name in (("gold", gold), ("pred", pred)):
        engines.check_label_type(schema[name], name, source)
        frame, reader = engines.label_reader(frame, role, name, schema[name], f"column {name!r} of {source}")
        readers.append(reader)
    columns = {reader.column: reader.expression for reader in readers} | engines.group_columns(groups)
    n_keys = len(columns)
    with engines.weights_that_fit(weight, source):
        rows = engines.rows_of(engines.aggregated(frame, columns, weight))
    amounts = engines.amounts_of([row[n_keys:] for row in rows], weight, source)
    read_gold, read_pred = (reader.read for reader in readers)
    return [
        Cell(read_gold(row[0]), read_pred(row[1]), int(row[n_keys]), amount, tuple(map(group_value, row[2:n_keys])))
        for row, amount in zip(rows, amounts, strict=True)
    ]


def _count_lists(
    frame: Frame, gold: str, pred: str, weight: str | None, count: str | None, by: list[str]
) -> list[tuple[Group, Part]]:
    import narwhals.stable.v2 as nw

    schema = frame.collect_schema()
    for name in (gold, pred):
        if not engines.holds_sets(frame, name, schema[name]):
            raise ColumnError.beside_lists(name, source=engines.source_name(frame))
    source, engine = engines.source_name(frame), frame.implementation
    groups = by if count is None else [*by, count]
    columns = {"gold": nw.col(gold), "pred": nw.col(pred), **engines.group_columns(groups)}
    with engines.weights_that_fit(weight, source):
        if not (engine.is_pandas_like() or engine.is_pyarrow() or engine.is_dask()):
            rows = engines.rows_of(engines.aggregated(frame, columns, weight))
        else:  # an engine that cannot group lists: row by row, each with the sums of itself alone
            extra = {} if weight is None else engines.weight_columns(frame, weight)[0]
            rows = [
                (*row[: len(columns)], *_sums_of_one(row[len(columns) :]))
                for row in engines.rows_of(frame.select(**columns, **extra))
            ]
    n_keys = len(columns)
    amounts = engines.amounts_of([row[n_keys:] for row in rows], weight, source)
    cells = [
        Cell(
            label_set(row[0], f"column {gold!r} of {source}"), label_set(row[1], f"column {pred!r} of {source}"),
            int(row[n_keys]), amount, tuple(map(group_value, row[2:n_keys])),
        )
        for row, amount in zip(rows, amounts, strict=True)
    ]  # fmt: skip
    return parts_of(cells if count is None else times_count(cells, f"column {count!r} of {source}"))


def _sums_of_one(weight: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what a group-by would say about a single row: its number, and the sums of its weight, if it has one."""
    if not weight:
        return (1,)
    value, fraction = weight
    known = value is not None and type(value).__name__ != "NAType" and value == value
    return 1, value, value, value, int(fraction) if known else 0, int(known)


def _count_columns(
    frame: Frame, gold: list[str], pred: list[str], weight: str | None, by: list[str], names: tuple[Label | None, ...]
) -> list[tuple[Group, Part]]:
    """Let the engine do all the summing: a single row per group comes back."""
    import narwhals.stable.v2 as nw

    if len(gold) != len(pred) or not gold:
        raise LengthError(
            f"gold names {counted(len(gold), 'column')} and pred {len(pred)}", expected="one of each per label"
        )
    if len(names) != len(gold):
        raise LengthError(
            f"{counted(len(names), 'label')} for {counted(len(gold), 'column')}", expected="one name per column"
        )
    source = engines.source_name(frame)
    schema = frame.collect_schema()
    columns = engines.group_columns(by)
    keys = list(columns)
    sums: list[Any] = [nw.len().alias("rows")]
    amount: Any = 1
    if weight is not None:
        extra, weight_sums = engines.weight_columns(frame, weight)
        columns |= extra
        sums += weight_sums
        amount = nw.col(weight).cast(nw.Int64 if schema[weight].is_integer() else nw.Float64)
    n_head = len(keys) + len(sums)
    for place, names_of_sides in enumerate(zip(gold, pred, strict=True)):
        hits: list[Any] = []
        checks: dict[str, Any] = {}
        for side, name in zip(("gold", "pred"), names_of_sides, strict=True):
            kind, column = schema[name], nw.col(name)
            if not (kind.is_boolean() or kind.is_numeric()):
                raise LabelError(
                    f"column {name!r} of {source} holds values of type {kind}", expected="0 and 1, or booleans"
                )
            hits.append(column if kind.is_boolean() else column == 1)
            bad = column != column if kind.is_boolean() else (column != 0) & (column != 1)
            checks |= {f"{side}_{place}_known": column, f"{side}_{place}_bad": bad.cast(nw.Int64)}
        per_label = {"tp": hits[0] & hits[1], "predicted": hits[1], "actual": hits[0]}
        per_label = {f"{name}_{place}": hit.cast(nw.Int64) * amount for name, hit in per_label.items()}
        columns |= per_label | checks
        sums += [nw.col(name).sum() for name in per_label]
        sums += [nw.col(name).count() if name.endswith("known") else nw.col(name).sum() for name in checks]
    with engines.weights_that_fit(weight, source):
        chosen = frame.select(**columns)
        summed = chosen.group_by(*keys, drop_null_keys=False).agg(*sums) if keys else chosen.select(*sums)
        rows = engines.rows_of(summed)
    if not keys and not rows[0][0]:
        raise EmptyError.nothing(source)
    amounts = engines.amounts_of([row[len(keys) : n_head] for row in rows], weight, source)
    number = int if all(isinstance(each, int) for each in amounts) else float
    parts = []
    for row in rows:
        part = Part(rows=int(row[len(keys)]))
        for place, label in enumerate(names):
            *counts, gold_known, gold_bad, pred_known, pred_bad = row[n_head + 7 * place : n_head + 7 * place + 7]
            for name, known, bad in ((gold[place], gold_known, gold_bad), (pred[place], pred_known, pred_bad)):
                where = f"column {name!r} of {source}"
                if int(known) != part.rows:
                    raise MissingLabelError(f"{where} has {counted(part.rows - int(known), 'null')}", expected="0 or 1")
                if int(bad or 0):
                    raise LabelError(f"{where} holds values other than 0 and 1", expected="those")
            part.sums[label_key(label)] = tuple([number(count)] for count in counts)
        parts.append((tuple(map(group_value, row[: len(keys)])), part))
    return parts
