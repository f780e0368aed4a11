"""Tables counted row by row: JSON lines, whose labels keep their types, and text too small for an engine."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from macrof1.counting.cells import Cell, group_value, whole_number
from macrof1.counting.set_counts import label_set, split_labels
from macrof1.counting.weights import checked_weight, rounded
from macrof1.errors import ColumnError, InputError, LabelError, quote_some
from macrof1.labels import canonical, label_key
from macrof1.reading.columns import LabelColumns
from macrof1.reading.progress import Progress
from macrof1.reading.repeats import RowRepeats
from macrof1.reading.rows import rows_of
from macrof1.reading.tables import TableFile

_Key = tuple[tuple[type, Any], ...]


def count_rows(table: TableFile, chosen: LabelColumns, progress: Progress | None, repeats: RowRepeats) -> list[Cell]:
    """Count a table that is read row by row, and note its rows; `progress` receives the share of it that is read."""
    n_rows: Counter[_Key] = Counter()
    weights: dict[_Key, int | Fraction] = {}
    several: bool | None = None
    n_by = len(chosen.by)
    n_used = n_by + (chosen.weight is not None)
    for number, (gold, pred, *rest) in rows_of(table, chosen.columns(), progress, beside=repeats.columns):
        repeats.add((gold, pred), rest[:n_by], rest[n_used:])
        sides = []
        try:
            for column, value in ((chosen.gold, gold), (chosen.pred, pred)):
                sides.append(_label(value, column, chosen.mark, table.is_text))
                if several is None:
                    several = sides[0][0] is frozenset
                elif several != (sides[-1][0] is frozenset):
                    what = "one label beside lists" if several else "a list beside single labels"
                    raise ColumnError(
                        f"{column!r} holds {what}", expected="lists in all rows of both columns, or in none"
                    )
            groups = [_group(value, column) for column, value in zip(chosen.by, rest, strict=False)]
            key = (*sides, *groups)
            if chosen.weight is not None:
                weights[key] = weights.get(key, 0) + checked_weight(rest[n_by], text=table.is_text)
        except InputError as error:
            raise error.at(f"{table.name}, {table.unit} {number}") from None
        n_rows[key] += 1
    amounts: dict[_Key, int | float] = {key: rounded(total, table.name) for key, total in weights.items()}
    return [
        Cell(key[0][1], key[1][1], n, amounts.get(key, n), tuple(value for _, value in key[2:]))
        for key, n in n_rows.items()
    ]


def _label(value: Any, column: str, mark: str | None, text: bool) -> tuple[type, Any]:
    if isinstance(value, list):
        return label_key(label_set(value, f"{column!r}"))
    if isinstance(value, dict) and value:
        raise LabelError(
            f"{column!r} is an object with {quote_some(value, most=3)}",
            expected="a label",
            hint=f"name a field by its path: {column}.{next(iter(value))}",
        )
    if mark is not None:
        if not isinstance(value, str):
            raise LabelError(f"{column!r} is {value!r}", expected=f"text with {mark!r} between labels, or a list")
        return label_key(split_labels(value, mark, f"{column!r}"))
    return label_key(None if text and value == "" else whole_number(canonical(value)))


def _group(value: Any, column: str) -> tuple[type, Any]:
    if isinstance(value, (list, dict)):
        raise LabelError(f"{column!r} is {value!r}", expected="a plain value to group by")
    return label_key(None if value == "" else group_value(value))
