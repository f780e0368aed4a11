"""Several labels per row in data frames: list columns, or one column per label.

The engine groups list columns, and the distinct pairs of lists come back. With one column per label, the
engine does all the summing, and a single row per group comes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import narwhals.stable.v2 as nw

from macrof1.counting.cells import Cell, group_value, times_count
from macrof1.counting.engines import (
    Columns,
    Frame,
    aggregated,
    amounts_of,
    group_readers,
    holds_sets,
    rows_of,
    source_name,
    weight_columns,
    weights_that_fit,
)
from macrof1.counting.set_counts import Part, grouped_sets, label_set, parts_of
from macrof1.counts import Group, GroupedCounts
from macrof1.errors import ColumnError, EmptyError, InputError, LabelError, LengthError, MissingLabelError, counted
from macrof1.labels import Label, checked_labels, label_key
from macrof1.message import Argument, Message, Note


def count_sets(
    frame: Frame,
    *,
    gold: Columns,
    pred: Columns,
    weight: str | None,
    count: str | None,
    labels: Iterable[object] | None,
    by: list[str],
    notes: tuple[Note, ...] = (),
) -> GroupedCounts:
    """Count frames whose rows carry several labels; the parameters are known to name existing columns."""
    if isinstance(gold, str) and isinstance(pred, str):
        parts = _count_lists(frame, gold, pred, weight, count, by)
        listed = None if labels is None else checked_labels(labels)
    else:
        if count is not None:
            raise InputError(Message(Argument("count"), " with one column per label"), expected="lists of labels")
        sides = [[side] if isinstance(side, str) else list(side) for side in (gold, pred)]
        if len(sides[0]) != len(sides[1]) or not sides[0]:
            raise LengthError(
                f"gold names {counted(len(sides[0]), 'column')} and pred {len(sides[1])}",
                expected="one of each per label",
            )
        listed = checked_labels(sides[0] if labels is None else labels)
        if len(listed) != len(sides[0]):
            raise LengthError(
                f"{counted(len(listed), 'label')} for {counted(len(sides[0]), 'column')}",
                expected="one name per column",
            )
        parts = _count_columns(frame, sides[0], sides[1], weight, by, listed)
    return grouped_sets(parts, listed, by, source_name(frame), weighted=weight is not None, notes=notes)


def _count_lists(
    frame: Frame, gold: str, pred: str, weight: str | None, count: str | None, by: list[str]
) -> list[tuple[Group, Part]]:
    schema = frame.collect_schema()
    for name in (gold, pred):
        if not holds_sets(frame, name, schema[name]):
            raise ColumnError.beside_lists(name, source=source_name(frame))
    source = source_name(frame)
    places = {gold: f"column {gold!r} of {source}", pred: f"column {pred!r} of {source}"}
    with weights_that_fit(weight, source):
        rows = list(_list_rows(frame, gold, pred, weight, by if count is None else [*by, count]))
    amounts = amounts_of([sums for _, _, _, sums in rows], weight, source)
    cells = [
        Cell(label_set(gold_list, places[gold]), label_set(pred_list, places[pred]), int(sums[0]), amount, group)
        for (group, gold_list, pred_list, sums), amount in zip(rows, amounts, strict=True)
    ]
    return parts_of(cells if count is None else times_count(cells, f"column {count!r} of {source}"))


_ListRow = tuple[Group, Any, Any, tuple[Any, ...]]


def _list_rows(frame: Frame, gold: str, pred: str, weight: str | None, by: list[str]) -> Iterator[_ListRow]:
    """Return group, gold list, predicted list and sums; grouped if the engine can group by lists."""
    engine = frame.implementation
    if engine.is_dask():
        for piece in frame.to_native().to_delayed():
            yield from _list_rows(nw.from_native(piece.compute()), gold, pred, weight, by)
        return
    n_by = len(by)
    if not (engine.is_pandas_like() or engine.is_pyarrow()):
        readers = group_readers(by)
        columns = {reader.column: reader.expression for reader in readers}
        columns |= {"gold": nw.col(gold), "pred": nw.col(pred)}
        for row in rows_of(aggregated(frame, columns, list(columns), weight)):
            yield tuple(map(group_value, row[:n_by])), row[n_by], row[n_by + 1], row[n_by + 2 :]
        return
    # In memory, with an engine that cannot group lists: row by row.
    columns = {"gold": nw.col(gold), "pred": nw.col(pred)}
    columns |= {reader.column: reader.expression for reader in group_readers(by)}
    extra = {} if weight is None else weight_columns(frame, weight)[0]
    table = frame.select(**columns, **extra)
    assert isinstance(table, nw.DataFrame)  # pandas and Arrow are eager
    for row in table.rows():
        sums: tuple[Any, ...] = (1,)
        if weight is not None:
            value, fraction = row[n_by + 2 :]
            known = value is not None and type(value).__name__ != "NAType" and value == value
            sums = (1, value, value, value, int(fraction) if known else 0, int(known))
        yield tuple(map(group_value, row[2 : n_by + 2])), row[0], row[1], sums


def _count_columns(
    frame: Frame, gold: list[str], pred: list[str], weight: str | None, by: list[str], names: tuple[Label | None, ...]
) -> list[tuple[Group, Part]]:
    source = source_name(frame)
    schema = frame.collect_schema()
    columns: dict[str, Any] = {reader.column: reader.expression for reader in group_readers(by)}
    keys = list(columns)
    sums: list[Any] = [nw.len().alias("rows")]
    if weight is not None:
        extra, weight_sums = weight_columns(frame, weight)
        columns |= extra
        sums += weight_sums
    n_head = len(keys) + len(sums)
    amount: Any = 1
    if weight is not None:
        amount = nw.col(weight).cast(nw.Int64 if schema[weight].is_integer() else nw.Float64)
    for place, (g, p) in enumerate(zip(gold, pred, strict=True)):
        is_gold, is_pred = (_is_one(schema, name, source) for name in (g, p))
        for column, hit in (("tp", is_gold & is_pred), ("predicted", is_pred), ("actual", is_gold)):
            columns[f"{column}_{place}"] = hit.cast(nw.Int64) * amount
            sums.append(nw.col(f"{column}_{place}").sum())
        for side, name in (("gold", g), ("pred", p)):
            columns[f"{side}_{place}_known"] = nw.col(name)
            sums.append(nw.col(f"{side}_{place}_known").count())
            columns[f"{side}_{place}_bad"] = _is_bad(schema, name).cast(nw.Int64)
            sums.append(nw.col(f"{side}_{place}_bad").sum())
    with weights_that_fit(weight, source):
        chosen = frame.select(**columns)
        rows = rows_of(chosen.group_by(*keys, drop_null_keys=False).agg(*sums) if keys else chosen.select(*sums))
    if not keys and not rows[0][0]:
        raise EmptyError.nothing(source)
    amounts = amounts_of([row[len(keys) : n_head] for row in rows], weight, source)
    number = int if all(isinstance(each, int) for each in amounts) else float
    parts = []
    for row in rows:
        part = Part()
        part.rows = int(row[len(keys)])
        for place, label in enumerate(names):
            *counts, gold_known, gold_bad, pred_known, pred_bad = row[n_head + 7 * place : n_head + 7 * place + 7]
            _check_indicator(gold[place], source, part.rows, gold_known, gold_bad)
            _check_indicator(pred[place], source, part.rows, pred_known, pred_bad)
            part.sums[label_key(label)] = tuple([number(count)] for count in counts)
        parts.append((tuple(map(group_value, row[: len(keys)])), part))
    return parts


def _check_indicator(column: str, source: str, n_rows: int, known: Any, bad: Any) -> None:
    if int(known) != n_rows:
        raise MissingLabelError(
            f"column {column!r} of {source} has {counted(n_rows - int(known), 'null')}", expected="0 or 1"
        )
    if int(bad or 0):
        raise LabelError(f"column {column!r} of {source} holds values other than 0 and 1", expected="those")


def _is_one(schema: Any, name: str, source: str) -> Any:
    if not (schema[name].is_boolean() or schema[name].is_numeric()):
        raise LabelError(
            f"column {name!r} of {source} holds values of type {schema[name]}", expected="0 and 1, or booleans"
        )
    return nw.col(name) if schema[name].is_boolean() else nw.col(name) == 1


def _is_bad(schema: Any, name: str) -> Any:
    column = nw.col(name)
    return column != column if schema[name].is_boolean() else (column != 0) & (column != 1)
