"""From the distinct rows of a table to cells: what a label, a group, a weight and a count are, once per distinct value.

In text files labels are text, and an empty field is missing; typed files and records keep their types.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from macrof1.counting.cells import Cell, column_labels, group_key, group_value
from macrof1.counting.set_counts import label_set, split_labels
from macrof1.counting.weights import checked_count, checked_weight, weighted_sum
from macrof1.errors import ColumnError, InputError, LabelError, quote_some
from macrof1.labels import label_key
from macrof1.reading.columns import LabelColumns
from macrof1.reading.distinct import DistinctRows
from macrof1.reading.tables import TableFile


def cells_of(found: DistinctRows, chosen: LabelColumns) -> list[Cell]:
    """Return one cell per combination of labels and group; the first wrong line of the file is reported."""
    table = found.tables[0]
    gold, pred, *by = (found.columns.index(name) for name in (chosen.gold, chosen.pred, *chosen.by))
    sides = [label_reader(table, name, found.name, chosen.mark) for name in (chosen.gold, chosen.pred)]
    several = None
    cells: dict[Any, tuple[Cell, list[tuple[int | Fraction, int]]]] = {}
    wrong: dict[int, InputError] = {}
    for place, (row, n_rows) in enumerate(zip(found.rows, found.times, strict=True)):
        try:
            labels = sides[0](row[gold]), sides[1](row[pred])
            if several is None:
                several = isinstance(labels[0], frozenset)
            _check_alike(labels, several, chosen)
            group = tuple(_group(row[at], name, table) for at, name in zip(by, chosen.by, strict=True))
            if chosen.count is not None:
                n_rows *= checked_count(row[found.columns.index(chosen.count)])
            weight = None if chosen.weight is None else _weight(row[found.columns.index(chosen.weight)], table)
        except InputError as error:
            wrong[place] = error
            continue
        if n_rows:
            key = label_key(labels[0]), label_key(labels[1]), group_key(group)
            cell, weights = cells.get(key) or (Cell(*labels, 0, 0, group), [])
            weights += [] if weight is None else [(weight, n_rows)]
            cells[key] = Cell(*labels, cell.rows + n_rows, cell.rows + n_rows, group), weights
    if wrong:
        raise found.first_error(wrong)
    if chosen.weight is None:
        return [cell for cell, _ in cells.values()]
    where = f"column {chosen.weight!r} of {found.name}"
    return [
        Cell(cell.gold, cell.pred, cell.rows, weighted_sum(weights, where), cell.group)
        for cell, weights in cells.values()
    ]


def label_reader(table: TableFile, column: str, name: str, mark: str | None) -> Callable[[Any], Any]:
    """Return a function that turns the values of a column into labels, or into sets of them."""
    if table.is_text:
        if mark is not None:
            return lambda value: split_labels(value, mark, repr(column))
        return lambda value: None if value == "" else value
    where = f"column {column!r} of {name}" if table.types else repr(column)
    read_label = column_labels(where)
    lists = bool(table.types) and table.holds_sets(column, mark)

    def read(value: Any) -> Any:
        if mark is not None and (isinstance(value, str) or (lists and value is None)):
            return split_labels(value or "", mark, where)
        if lists or isinstance(value, list):
            return label_set(value, where)
        if isinstance(value, dict) and value:
            raise LabelError(
                f"{column!r} is an object with {quote_some(value, most=3)}",
                expected="a label",
                hint=f"name a field by its path: {column}.{next(iter(value))}",
            )
        if mark is not None:
            raise LabelError(f"{column!r} is {value!r}", expected=f"text with {mark!r} between labels, or a list")
        return read_label(value)

    return read


def _check_alike(labels: tuple[Any, Any], several: bool, chosen: LabelColumns) -> None:
    for column, label in zip((chosen.gold, chosen.pred), labels, strict=True):
        if several != isinstance(label, frozenset):
            what = "one label beside lists" if several else "a list beside single labels"
            raise ColumnError(f"{column!r} holds {what}", expected="lists in all rows of both columns, or in none")


def _group(value: Any, column: str, table: TableFile) -> Any:
    if isinstance(value, (list, dict)):
        raise LabelError(f"{column!r} is {value!r}", expected="a plain value to group by")
    return None if value == "" and not table.types else group_value(value)


def _weight(value: Any, table: TableFile) -> int | Fraction:
    return checked_weight(float(value) if isinstance(value, Decimal) else value, text=not table.records)


def check_types(table: TableFile, chosen: LabelColumns) -> None:
    """Reject columns of typed files whose types cannot hold labels or groups."""
    if not table.types:
        return
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
