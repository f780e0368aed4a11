"""JSON lines counted one by one: Polars would turn labels of mixed types into text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl

from macrof1.counting.cells import Cell, group_value, whole_number
from macrof1.counting.set_counts import label_set, split_labels
from macrof1.errors import ColumnError, CountError, InputError, LabelError
from macrof1.labels import canonical, label_key
from macrof1.reading.blocks import block_size, is_packed, line_blocks
from macrof1.reading.sources import LabelColumns, OpenFile, parse_json, unreadable


def count_lines(table: OpenFile, chosen: LabelColumns, progress: Callable[[int], None] | None) -> list[Cell]:
    """Count a file of JSON lines; `progress` is told how many of its bytes were read."""
    rows: Counter[Any] = Counter()
    amounts: dict[Any, int | float] = {}
    number = 0
    several: bool | None = None
    try:
        for lines, read in _batches(table):
            for line in lines:
                number += 1
                if not line.strip():
                    continue
                record = parse_json(line.removeprefix("\ufeff") if number == 1 else line, table.name, number)
                record = table.partition | record
                key: tuple[Any, ...]
                try:
                    key = _label(record, chosen.gold, chosen.mark), _label(record, chosen.pred, chosen.mark)
                except InputError as error:
                    raise type(error)(f"{table.name}, line {number}: {error}") from None
                for column, (kind, _) in zip((chosen.gold, chosen.pred), key, strict=True):
                    if several is None:
                        several = kind is frozenset
                    elif several != (kind is frozenset):
                        what = "one label beside lists" if several else "a list beside single labels"
                        raise ColumnError(
                            f"{table.name}, line {number}: {column!r} holds {what}: expected lists in all rows of both "
                            "columns, or in none"
                        )
                if chosen.by:
                    key += (tuple(_group(record.get(name), name, table.name, number) for name in chosen.by),)
                rows[key] += 1
                if chosen.weight is not None:
                    weight = _weight(record.get(chosen.weight), chosen.weight, table.name, number)
                    amounts[key] = amounts.get(key, 0) + weight
            if progress is not None and read is not None:
                progress(read)
    except (pl.exceptions.PolarsError, UnicodeDecodeError, OSError) as error:
        raise unreadable(table.path, table.name, "jsonl", error) from None
    return [
        Cell(key[0][1], key[1][1], n, amounts.get(key, n), tuple(value for _, value in key[2]) if chosen.by else ())
        for key, n in rows.items()
    ]


def _batches(table: OpenFile) -> Iterator[tuple[Iterator[str], int | None]]:
    """Give lines and the bytes read so far, which only plain files tell."""
    if is_packed(table.path):
        for batch in pl.scan_lines(table.path, glob=False).collect_batches(chunk_size=50_000, engine="streaming"):
            yield iter(batch["line"].to_list()), None
    else:
        for lines, read in line_blocks(table.path, block_size()):
            yield (line.decode("utf-8") for line in lines), read


def _label(record: dict[str, Any], column: str, mark: str | None) -> tuple[type, Any]:
    value = record.get(column)
    if isinstance(value, list):
        return label_key(label_set(value, f"{column!r}"))
    if mark is not None:
        if not isinstance(value, str):
            raise LabelError(f"{column!r} is {value!r}: expected text with {mark!r} between labels, or a list")
        return label_key(split_labels(value, mark, f"{column!r}"))
    return label_key(whole_number(canonical(value)))


def _group(value: Any, column: str, name: str, number: int) -> Any:
    if isinstance(value, (list, dict)):
        raise LabelError(f"{name}, line {number}: {column!r} is {value!r}, expected a plain value to group by")
    return label_key(group_value(value))


def _weight(value: Any, weight: str, name: str, number: int) -> int | float:
    usable = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not usable or not 0 <= value < float("inf"):
        raise CountError(
            f"{name}, line {number}: weight {weight!r} is {value!r}, expected a finite number, 0 or larger"
        )
    return value  # type: ignore[no-any-return]  # the line above proves it a number
