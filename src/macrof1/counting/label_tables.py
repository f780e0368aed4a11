"""From prediction files to counts: CSV, TSV, JSON lines, Parquet and Arrow, plain or compressed, or stdin.

Files are read and grouped in chunks, so memory grows with the distinct pairs of labels, not with rows. In text files
labels are text: ``1`` and ``01`` are two labels, and an empty field is missing. Typed files keep their types.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

from macrof1.convention import UNKNOWN_GOLD
from macrof1.counting.cells import (
    Cell,
    CountRules,
    checked_count,
    column_labels,
    group_key,
    group_value,
    label_set,
    split_labels,
)
from macrof1.counts import ClassCounts, GroupedCounts
from macrof1.errors import ColumnError, CountError, EmptyError, FileError, InputError, LabelError, quote_some
from macrof1.message import Note
from macrof1.reading.columns import LabelColumns, Repeats, id_column, swapped_names, unused_counts
from macrof1.reading.distinct import DistinctRows, columns_of, distinct_rows, name_of, repeat_notes
from macrof1.reading.files import Source
from macrof1.reading.gold_digest import GoldDigest
from macrof1.reading.reports.vocabulary import ERRORS, kind_of, role_of
from macrof1.reading.rows import header_is_data
from macrof1.reading.tables import TableFile, check_same_schema, opened_tables
from macrof1.request import Request


def count_tables(source: Source | Sequence[TableFile], request: Request) -> GroupedCounts:
    """Count what a request asks for: each group of rows, if it has any, and all together."""
    with opened_tables(source, request.header, request.file_format, records=request.records) as tables:  # type: ignore[arg-type]  # it checks the format
        named = (request.gold, request.pred, request.count, request.labels, request.multilabel)
        plain = named == (None,) * 5 and not request.by and not request.gold_only
        if plain and holds_errors(tables[0].columns):
            return GroupedCounts(by=(), groups=(), total=reduce(add, map(_counts_of_errors, tables)))
        cells, rules = read_cells(tables, request, request.by)
    return rules.grouped(cells, request.by)


def read_cells(tables: list[TableFile], request: Request, by: Sequence[str]) -> tuple[list[Cell], CountRules]:
    """Return the distinct rows of tables, grouped by any columns, and the rules by which they become counts."""
    found = found_columns(tables[0], request, by)
    wanted = [request.gold, request.gold if request.gold_only else request.pred, *by]
    check_same_schema(tables, [*wanted, *([] if request.count is None else [request.count])], found.columns())
    if found.gold == found.pred and not request.gold_only:
        warnings.warn(f"gold and pred are the same column {found.gold!r}: every prediction is right", stacklevel=4)
    # Repeats are looked for across files if all have the same columns and one kind of values.
    alike = len({(tuple(table.columns), bool(table.records)) for table in tables}) == 1
    repeats = Repeats([])
    if alike and found.count is None and not request.gold_only:
        taken = [column for column in found.columns() if column not in found.by]
        repeats = Repeats.of(tables[0].plain_columns(), taken, found.by)
    # Without rows of its own, a table of counts has no digest of its gold column, nor has a column made of folders.
    digest = None
    if alike and found.count is None and (tables[0].records or found.gold in tables[0].columns):
        others = [column for column in tables[0].columns if column not in (found.gold, found.pred)]
        digest = GoldDigest(found.gold, id_column(others))
    cells: dict[Any, Cell] = {}
    notes = [note for table in tables for note in table.notes]
    notes += [] if request.gold_only else swapped_names(found)
    for table in tables:
        check_types(table, found)
    for rows in distinct_rows(tables, found.columns(), repeats=repeats, progress=request.progress, digest=digest):
        _add_cells(cells, rows, found)
        table = rows.tables[0]
        if table.header and table.is_text:  # a name that is a label too: the first line is data
            labels = {label for cell in cells.values() for label in (cell.gold, cell.pred)}
            for name, column in ((request.gold, found.gold), (request.pred, found.pred)):
                label = column if found.mark is None else split_labels(column, found.mark, "the first line")
                if name != column and label in labels:
                    raise header_is_data(table, name, column)
    name = name_of(tables)
    if alike and found.count is None and (found.gold != found.pred or request.gold_only) and found.mark is None:
        n_rows = sum(cell.rows for cell in cells.values())
        notes += unused_counts_of(tables, list(dict.fromkeys((found.gold, found.pred))), found.by, n_rows, len(cells))
    notes += repeat_notes(tables, repeats, name)
    both = f"columns {found.gold!r} and {found.pred!r}" if found.gold != found.pred else f"column {found.gold!r}"
    if request.missing != "error" and any(isinstance(cell.gold, frozenset) for cell in cells.values()):
        raise InputError.missing_beside_sets(request.missing)
    table = max(tables, key=lambda table: table.is_text)  # where some are text, empty fields are missing labels
    rules = CountRules(
        labels=request.labels, missing=request.missing, source=name, where=f"{both} of {name}",
        labels_are_text=request.labels_are_text, notes=tuple(notes),
        gold=UNKNOWN_GOLD if digest is None else digest.text(label_reader(table, found.gold, name, found.mark)),
    )  # fmt: skip
    return list(cells.values()), rules


def found_columns(table: TableFile, request: Request, by: Sequence[str]) -> LabelColumns:
    """Find the columns that a request names, or that have the usual names."""
    groups = tuple(table.find(name, "by") for name in by)
    count = None if request.count is None else table.find(request.count, "count")
    taken = [*groups, *([] if count is None else [count])]
    if request.gold_only:
        gold = pred = table.find(request.gold, "gold", taken=taken)
    else:
        chosen = [] if request.pred is None else [table.find(request.pred, "pred")]
        gold = table.find(request.gold, "gold", taken=[*taken, *chosen])
        pred = table.find(request.pred, "pred", taken=[*taken, gold])
    return LabelColumns(gold, pred, groups, request.multilabel, count)


def unused_counts_of(tables: Sequence[TableFile], labels: Sequence[str], by: Sequence[str], *size: int) -> list[Note]:
    """Say that a table, or its parts, seem to be one of counts, given the columns of labels, gold first."""
    others = [column for column in tables[0].plain_columns() if column not in labels]

    def read(names: list[str]) -> dict[str, list[Any]]:
        parts = [columns_of(table, names) for table in tables]
        return {name: [value for part in parts for value in part[name]] for name in names}

    try:
        return unused_counts(others, labels, by, size, read)
    except (FileError, EmptyError):  # a column that is not used may hold anything, such as stray quotes
        return []


def _add_cells(cells: dict[Any, Cell], found: DistinctRows, chosen: LabelColumns) -> None:
    """Add distinct rows to the cells of their labels and group; the first wrong line of the file is reported."""
    table = found.tables[0]
    gold, pred, *by = (found.columns.index(name) for name in (chosen.gold, chosen.pred, *chosen.by))
    sides = [label_reader(table, name, found.name, chosen.mark) for name in (chosen.gold, chosen.pred)]
    several = next((isinstance(cell.gold, frozenset) for cell in cells.values()), None)  # in the files before
    wrong: dict[int, InputError] = {}
    for place, (row, n_rows) in enumerate(zip(found.rows, found.times, strict=True)):
        try:
            labels = sides[0](row[gold]), sides[1](row[pred])
            if several is None:
                several = isinstance(labels[0], frozenset)
            if several != isinstance(labels[0], frozenset) or several != isinstance(labels[1], frozenset):
                column = chosen.gold if several != isinstance(labels[0], frozenset) else chosen.pred
                what = "one label beside lists" if several else "a list beside single labels"
                raise ColumnError(f"{column!r} holds {what}", expected="lists in all rows of both columns, or in none")
            for at, name in zip(by, chosen.by, strict=True):
                if isinstance(row[at], (list, dict)):
                    raise LabelError(f"{name!r} is {row[at]!r}", expected="a plain value to group by")
            group = tuple([None if row[at] == "" and not table.types else group_value(row[at]) for at in by])
            if chosen.count is not None:
                n_rows *= checked_count(row[found.columns.index(chosen.count)])
        except InputError as error:
            wrong[place] = error
            continue
        if n_rows:
            key = labels, type(labels[0]), type(labels[1]), group_key(group)
            n_rows += cells[key].rows if key in cells else 0
            cells[key] = Cell(*labels, n_rows, n_rows, group)
    if wrong:
        raise found.first_error(wrong)


def label_reader(table: TableFile, column: str, name: str, mark: str | None) -> Callable[[Any], Any]:
    """Return a function that turns the values of a column into labels, or into sets of them."""
    if table.is_text:
        if mark is not None:
            return lambda value: split_labels(value or "", mark, repr(column))
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


def check_types(table: TableFile, chosen: LabelColumns) -> None:
    """Reject columns of typed files whose types cannot hold labels or groups."""
    if not table.types:
        return
    plain = [column for column in (chosen.gold, chosen.pred) if not table.holds_sets(column, chosen.mark)]
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


def holds_errors(columns: Sequence[str]) -> bool:
    """Whether a table has columns of tp, fp and fn besides one of labels."""
    kinds = [kind_of(column) for column in columns]
    return all(kinds.count(kind) == 1 for kind in ERRORS) and kinds[0] is None


def _counts_of_errors(table: TableFile) -> ClassCounts:
    """Read the counts of a table of errors; rows of averages and totals are skipped."""
    from macrof1.reading.leaderboards import rows_in

    rows = rows_in(table)
    kinds = [kind_of(header) for header in rows.headers]
    places = [kinds.index(kind) for kind in ERRORS]
    found: dict[str, list[int]] = {}
    for number, row in enumerate(rows.rows, 1):
        label = str(row[0]).strip()
        if role_of(label) is not None:
            continue
        if label in found:
            raise LabelError(f"{rows.name}, row {number}: class {label!r} again", expected="one row per class")
        cells = [str(row[place]).strip() for place in places]
        if not all(cell.isdecimal() for cell in cells):
            raise CountError(
                f"{rows.name}, row {number}: tp, fp and fn of {label} are {', '.join(cells)}",
                given=cells,
                expected="three whole numbers",
            )
        found[label] = [int(cell) for cell in cells]
    gold_alike = sum(fp for _, fp, _ in found.values()) == sum(fn for _, _, fn in found.values())
    return ClassCounts.from_errors(found, task="multiclass" if gold_alike else "multilabel")
