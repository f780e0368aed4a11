"""Several labels per row in data frames: list columns, or one column per label.

List columns are grouped by the engine, and the distinct pairs of lists come back. With one column per label the
engine adds up everything, and a single row per group comes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from macrof1.counts.cells import (
    Group,
    GroupedCounts,
    column_label,
    exact_sum,
    group_key,
    group_value,
    groups_in_order,
)
from macrof1.counts.confusion import ClassCounts
from macrof1.counts.frames import (
    Columns,
    Frame,
    aggregated,
    amounts_of,
    group_readers,
    holds_sets,
    rows_of,
    source_name,
    weight_columns,
)
from macrof1.counts.labels import Label, check_comparable, check_listed, checked_labels, class_order, label_key
from macrof1.counts.matrix import checked_total
from macrof1.errors import ColumnError, EmptyError, LabelError, LengthError, MissingLabelError, counted

__all__ = ["count_sets"]

# tp, predicted and actual of one label, each a list of amounts to be added.
_Sums = tuple[list[int | float], list[int | float], list[int | float]]


class _Part:
    """What was counted in one group."""

    def __init__(self) -> None:
        self.rows = 0
        self.sums: dict[tuple[type, Any], _Sums] = {}

    def add(self, label: tuple[type, Any], place: int, amount: float) -> None:
        self.sums.setdefault(label, ([], [], []))[place].append(amount)


def count_sets(
    frame: Frame, *, gold: Columns, pred: Columns, weight: str | None, labels: Iterable[object] | None, by: list[str]
) -> GroupedCounts:
    """Count frames whose rows carry several labels; the parameters are known to name columns."""
    if isinstance(gold, str) and isinstance(pred, str):
        parts = _count_lists(frame, gold, pred, weight, by)
        listed = None if labels is None else checked_labels(labels)
    else:
        sides = [[side] if isinstance(side, str) else list(side) for side in (gold, pred)]
        if len(sides[0]) != len(sides[1]) or not sides[0]:
            raise LengthError(
                f"gold names {counted(len(sides[0]), 'column')} and pred {len(sides[1])}: expected one of each "
                "per label"
            )
        listed = tuple(sides[0]) if labels is None else checked_labels(labels)
        if len(listed) != len(sides[0]):
            raise LengthError(
                f"{counted(len(listed), 'label')} for {counted(len(sides[0]), 'column')}: expected one name per column"
            )
        parts = _count_columns(frame, sides[0], sides[1], weight, by, listed)
    if not sum(part.rows for _, part in parts):
        raise EmptyError.nothing(source_name(frame))
    total = _Part()
    for _, part in parts:
        total.rows += part.rows
        for label, sums in part.sums.items():
            for place, amounts in enumerate(sums):
                total.sums.setdefault(label, ([], [], []))[place].extend(amounts)
    pooled = _class_counts(total, listed, checked=True)
    if not by:
        return GroupedCounts(by=(), groups=(), total=pooled)
    counts = {group_key(group): _class_counts(part, listed, checked=False) for group, part in parts}
    ordered = groups_in_order(group for group, _ in parts)
    return GroupedCounts(by=tuple(by), groups=tuple((key, counts[group_key(key)]) for key in ordered), total=pooled)


def _class_counts(part: _Part, listed: tuple[Label | None, ...] | None, *, checked: bool) -> ClassCounts:
    if checked and part.sums:
        check_comparable(
            [label for (_, label), sums in part.sums.items() if sums[2]],
            [label for (_, label), sums in part.sums.items() if sums[1]],
        )
        check_listed(listed, part.sums)
    names = class_order((label for _, label in part.sums), listed)
    if not names:
        raise EmptyError(
            "no row carries any label, gold or predicted: expected at least one, or labels= to name the classes"
        )
    columns = []
    for place in range(3):
        amounts = [exact_sum(part.sums.get(label_key(name), ([], [], []))[place]) for name in names]
        columns.append(np.array(amounts, dtype=None if amounts else np.int64))
    dtype = np.float64 if any(column.dtype.kind == "f" for column in columns) else np.int64
    tp, predicted, actual = (checked_total(column.astype(dtype)) for column in columns)
    for column in (tp, predicted, actual):
        column.setflags(write=False)
    return ClassCounts(
        labels=names,
        tp=tp,
        predicted=predicted,
        actual=actual,
        n_rows=part.rows,
        n_listed=None if listed is None else len(listed),
        task="multilabel",
    )


def _count_lists(frame: Frame, gold: str, pred: str, weight: str | None, by: list[str]) -> list[tuple[Group, _Part]]:
    schema = frame.collect_schema()
    for name in (gold, pred):
        if not holds_sets(frame, name, schema[name]):
            raise ColumnError(
                f"column {name!r} of {source_name(frame)} holds one label per row beside lists: "
                "expected lists in both columns, or in neither"
            )
    source = source_name(frame)
    places = {gold: f"column {gold!r} of {source}", pred: f"column {pred!r} of {source}"}
    parts: dict[Any, tuple[Group, _Part]] = {}
    rows = list(_list_rows(frame, gold, pred, weight, by))
    amounts = amounts_of([sums for _, _, _, sums in rows], weight, source)
    for (group, gold_list, pred_list, sums), amount in zip(rows, amounts, strict=True):
        _, part = parts.setdefault(group_key(group), (group, _Part()))
        part.rows += int(sums[0])
        g, p = _keys(gold_list, places[gold]), _keys(pred_list, places[pred])
        for place, keys in enumerate((g & p, p, g)):
            for key in keys:
                part.add(key, place, amount)
    return list(parts.values())


def _keys(labels: Any, where: str) -> set[tuple[type, Label | None]]:
    if labels is None or (isinstance(labels, float) and labels != labels):
        raise MissingLabelError(f"{where} has a row without a list: expected one in every row; no labels is []")
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise LabelError(f"{where} has {labels!r} among lists: expected a list of labels in every row")
    found = {label_key(column_label(label, where)) for label in labels}
    if any(label is None for _, label in found):
        raise MissingLabelError(f"{where} has a missing label in the list {list(labels)!r}: expected labels only")
    return found


_ListRow = tuple[Group, Any, Any, tuple[Any, ...]]


def _list_rows(frame: Frame, gold: str, pred: str, weight: str | None, by: list[str]) -> Iterator[_ListRow]:
    """Return group, gold list, predicted list and sums; grouped where the engine can group by lists."""
    import narwhals.stable.v2 as nw

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
    # In memory, and no engine to group lists: row by row.
    columns = {"gold": nw.col(gold), "pred": nw.col(pred)}
    columns |= {reader.column: reader.expression for reader in group_readers(by)}
    extra = {} if weight is None else weight_columns(frame, weight)[0]
    table = frame.select(**columns, **extra)
    assert isinstance(table, nw.DataFrame)  # pandas and Arrow are eager
    for row in table.rows():
        sums: tuple[Any, ...] = (1,)
        if weight is not None:
            value, real, fraction = row[n_by + 2 :]
            known = value is not None and value == value and type(value).__name__ != "NAType"
            sums = (1, value, real, value, value, int(known), int(fraction) if known else 0)
        yield tuple(map(group_value, row[2 : n_by + 2])), row[0], row[1], sums


def _count_columns(
    frame: Frame, gold: list[str], pred: list[str], weight: str | None, by: list[str], names: tuple[Label | None, ...]
) -> list[tuple[Group, _Part]]:
    import narwhals.stable.v2 as nw

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
    whole = weight is None or schema[weight].is_integer()
    for place, (g, p) in enumerate(zip(gold, pred, strict=True)):
        for name in (g, p):
            if not (schema[name].is_boolean() or schema[name].is_numeric()):
                raise LabelError(
                    f"column {name!r} of {source} holds values of type {schema[name]}: expected 0 and 1, or booleans"
                )
        is_gold, is_pred = (_is_one(schema, name) for name in (g, p))
        amount = 1 if weight is None else nw.col(weight).cast(nw.Int64 if whole else nw.Float64)
        for column, hit in (("tp", is_gold & is_pred), ("predicted", is_pred), ("actual", is_gold)):
            columns[f"{column}_{place}"] = hit.cast(nw.Int64) * amount
            sums.append(nw.col(f"{column}_{place}").sum())
        for side, name in (("gold", g), ("pred", p)):
            columns[f"{side}_{place}_known"] = nw.col(name)
            sums.append(nw.col(f"{side}_{place}_known").count())
            columns[f"{side}_{place}_bad"] = _is_bad(schema, name).cast(nw.Int64)
            sums.append(nw.col(f"{side}_{place}_bad").sum())
    chosen = frame.select(**columns)
    grouped = chosen.group_by(*keys, drop_null_keys=False).agg(*sums) if keys else chosen.select(*sums)
    rows = rows_of(grouped)
    if keys or rows[0][0]:
        amounts = amounts_of([row[len(keys) : n_head] for row in rows], weight, source)
    else:
        raise EmptyError.nothing(source)
    exact = all(isinstance(amount, int) for amount in amounts)
    parts = []
    for row in rows:
        part = _Part()
        part.rows = int(row[len(keys)])
        for place, label in enumerate(names):
            *counts, gold_known, gold_bad, pred_known, pred_bad = row[n_head + 7 * place : n_head + 7 * place + 7]
            for column, known, bad in ((gold[place], gold_known, gold_bad), (pred[place], pred_known, pred_bad)):
                if int(known) != part.rows:
                    raise MissingLabelError(
                        f"column {column!r} of {source} has {counted(part.rows - int(known), 'null')}: expected 0 or 1"
                    )
                if int(bad or 0):
                    raise LabelError(f"column {column!r} of {source} holds values other than 0 and 1: expected those")
            for which, count in enumerate(counts):
                part.add(label_key(label), which, int(count) if exact else float(count))
        parts.append((tuple(map(group_value, row[: len(keys)])), part))
    return parts


def _is_one(schema: Any, name: str) -> Any:
    import narwhals.stable.v2 as nw

    return nw.col(name) if schema[name].is_boolean() else nw.col(name) == 1


def _is_bad(schema: Any, name: str) -> Any:
    import narwhals.stable.v2 as nw

    column = nw.col(name)
    return column != column if schema[name].is_boolean() else (column != 0) & (column != 1)
