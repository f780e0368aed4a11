"""From prediction files to counts: CSV, TSV, JSON lines, Parquet and Arrow, plain or compressed, or stdin.

Files are read and grouped in chunks, so memory grows with the distinct pairs of labels, not with rows.
In text files labels are text: ``1`` and ``01`` are two labels. Typed files keep their types.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from operator import add
from pathlib import Path
from typing import Any, TypeAlias

from macrof1.counting.cells import Cell, CountRules
from macrof1.counting.confusion import Confusion
from macrof1.counting.error_tables import counts_of_errors, holds_errors
from macrof1.counting.set_counts import grouped_sets, parts_of, split_labels
from macrof1.counting.table_cells import cells_of, check_types
from macrof1.counts import ClassCounts, GroupedCounts
from macrof1.errors import ColumnError, EmptyError, FileError, InputError, LabelError
from macrof1.labels import Missing, checked_labels, checked_missing, label_key
from macrof1.message import Note
from macrof1.reading.columns import LabelColumns, count_column, may_count, swapped_names, unused_count
from macrof1.reading.distinct import columns_of, distinct_rows, repeat_notes
from macrof1.reading.files import InputFile, Source
from macrof1.reading.progress import Progress, part_of
from macrof1.reading.repeats import Repeats
from macrof1.reading.rows import header_is_data
from macrof1.reading.tables import FileFormat, TableFile, check_same_schema, opened_tables

# Files per query, and bytes at which a query is full: few enough for a progress bar to move.
_MOST_FILES = 256
_MOST_BYTES = 1 << 28
# A table of counts has no more lines than this.
_MOST_LINES = 10_000


_Files: TypeAlias = Source | Sequence[TableFile] | Sequence[InputFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRequest:
    """What to read from prediction files, and how to count it: as in `macrof1.score_file`, and what a caller knows.

    Attributes
    ----------
    labels_are_text
        Whether `labels` was typed as text, as on a command line, so that ``1`` means the number in a typed file.
    progress
        Called with the share of the bytes that is read, from 0 to 1: after every file, and within files if the reader
        knows its position (all but compressed text).
    gold_only
        Whether to count only the gold labels.
    """

    gold: str | None = None
    pred: str | None = None
    weight: str | None = None
    count: str | None = None
    by: tuple[str, ...] = ()
    labels: Iterable[object] | None = None
    missing: Missing = "error"
    header: bool = True
    file_format: FileFormat | None = None
    multilabel: str | None = None
    records: str | None = None
    labels_are_text: bool = False
    progress: Progress | None = None
    gold_only: bool = False

    def __post_init__(self) -> None:
        """Reject unknown values."""
        checked_missing(self.missing)
        if self.multilabel == "":
            raise InputError("the mark between labels is empty", argument="multilabel", expected='a mark such as ";"')

    @property
    def names_nothing(self) -> bool:
        """Whether neither columns nor labels are given."""
        given = (self.gold, self.pred, self.weight, self.count, self.labels, self.multilabel)
        return given == (None,) * 6 and not self.by and not self.gold_only

    def in_table(self, table: TableFile) -> LabelColumns:
        """Find the columns in a file."""
        by = tuple(table.find(name, "by") for name in self.by)
        weight = None if self.weight is None else table.find(self.weight, "weight")
        count = None if self.count is None else table.find(self.count, "count")
        taken = [*by, *(name for name in (weight, count) if name is not None)]
        if self.gold_only:
            gold = pred = table.find(self.gold, "gold", taken=taken)
        else:
            chosen = [] if self.pred is None else [table.find(self.pred, "pred")]
            gold = table.find(self.gold, "gold", taken=[*taken, *chosen])
            pred = table.find(self.pred, "pred", taken=[*taken, gold])
        return LabelColumns(gold, pred, weight, by, self.multilabel, count)

    def columns(self) -> list[str | None]:
        """Return the columns as given."""
        pred = self.gold if self.gold_only else self.pred
        return [self.gold, pred, *self.by, *(name for name in (self.weight, self.count) if name is not None)]


def count_file(source: _Files, **options: Any) -> Confusion | ClassCounts:
    """Count prediction files: the cells of the confusion matrix, or for several labels per row counts per label.

    Options as in `TableRequest`. A table with columns ``label``, ``tp``, ``fp`` and ``fn`` holds counts already.
    """
    return _counted(source, TableRequest(**options)).total


def count_file_cells(source: _Files, **options: Any) -> Confusion:
    """Count the cells of files with one label per row; options as in `TableRequest`."""
    counts = count_file(source, **options)
    if isinstance(counts, ClassCounts):
        listed = [source] if isinstance(source, (str, Path)) else source
        name = ", ".join(one.name if isinstance(one, (TableFile, InputFile)) else str(one) for one in listed)
        raise LabelError(
            f"{name} has several labels per row, which make no confusion matrix", expected="one label per row"
        )
    return counts


def count_gold(source: _Files, **options: Any) -> Confusion:
    """Count only the gold labels of files; options as in `TableRequest`."""
    return count_file_cells(source, gold_only=True, **options)


def count_file_groups(source: _Files, *, by: str | Sequence[str], **options: Any) -> GroupedCounts:
    """Count each group of rows and all of them together, in one pass; options as in `TableRequest`."""
    groups = (by,) if isinstance(by, str) else tuple(by)
    if not groups:
        raise EmptyError("no column to group by", argument="by", expected="at least one")
    return _counted(source, TableRequest(by=groups, **options))


def _counted(source: _Files, wanted: TableRequest) -> GroupedCounts:
    with opened_tables(source, wanted.header, wanted.file_format, records=wanted.records) as tables:
        if wanted.names_nothing and holds_errors(tables[0].columns):
            return GroupedCounts(by=(), groups=(), total=reduce(add, map(counts_of_errors, tables)))
        cells, rules = _read(tables, wanted)
    return grouped_cells(cells, rules, wanted.by)


def read_cells(tables: list[TableFile], **options: Any) -> tuple[list[Cell], CountRules]:
    """Return the distinct rows of tables, grouped by any columns, and the rules by which they become counts."""
    return _read(tables, TableRequest(**options))


def grouped_cells(cells: list[Cell], rules: CountRules, by: Sequence[str]) -> GroupedCounts:
    """Count cells, with one label per row or several."""
    if not cells or not isinstance(cells[0].gold, frozenset):
        return rules.grouped(cells, by)
    listed = rules.listed({kind for cell in cells for side in (cell.gold, cell.pred) for kind, _ in side})
    names = None if listed is None else checked_labels(listed)
    return grouped_sets(parts_of(cells), names, by, rules.source, weighted=rules.weighted, notes=rules.notes)


def _read(tables: list[TableFile], wanted: TableRequest) -> tuple[list[Cell], CountRules]:
    """Return all cells, and the rules by which they become counts."""
    found = wanted.in_table(tables[0])
    check_same_schema(tables, wanted.columns(), found.columns())
    if found.gold == found.pred and not wanted.gold_only:
        warnings.warn(f"gold and pred are the same column {found.gold!r}: every prediction is right", stacklevel=5)
    progress, done, total = wanted.progress, 0, sum(table.file.size for table in tables) or 1
    in_python = all(table.in_rows for table in tables)  # hashes of rows must be alike in all tables
    repeats = Repeats([]) if wanted.gold_only else _repeats(tables, found)
    cells: dict[Any, Cell] = {}
    notes = [note for table in tables for note in table.notes]
    notes += [] if wanted.gold_only else swapped_names(found)
    for batch in _batches(tables):
        size = sum(table.file.size for table in batch)
        check_types(batch[0], found)
        part = part_of(progress, done / total, size / total)
        for rows in distinct_rows(batch, found.columns(), in_python=in_python, repeats=repeats, progress=part):
            read = cells_of(rows, found)
            if batch[0].header and batch[0].is_text:
                _check_header(batch[0], ((wanted.gold, found.gold), (wanted.pred, found.pred)), read, found.mark)
            _collect(cells, read)
        done += size
        if progress is not None:
            progress(done / total)
    name = tables[0].name if len(tables) == 1 else f"{tables[0].name} and {len(tables) - 1:,} more"
    notes += _unused_counts(tables, found, [cell.rows for cell in cells.values()])
    notes += repeat_notes(tables, repeats, name, in_python=in_python)
    both = f"columns {found.gold!r} and {found.pred!r}" if found.gold != found.pred else f"column {found.gold!r}"
    _check_sets(cells.values(), found, name, wanted.missing)
    rules = CountRules(
        labels=wanted.labels, missing=wanted.missing, source=name, where=f"{both} of {name}",
        weighted=wanted.weight is not None, labels_are_text=wanted.labels_are_text, notes=tuple(notes),
    )  # fmt: skip
    return list(cells.values()), rules


def _unused_counts(tables: list[TableFile], found: LabelColumns, times: list[int]) -> list[Note]:
    """Flag a table of counts whose lines are counted once each."""
    table = tables[0]
    others = [column for column in table.plain_columns() if column not in found.columns()]
    given = found.weight is not None or found.count is not None or found.gold == found.pred or found.mark is not None
    if given or len(tables) > 1 or sum(times) > _MOST_LINES or not others or not may_count(others, times):
        return []
    try:
        columns = columns_of(table, [found.gold, found.pred, *found.by, *others])
    except FileError:  # a column that is not used may hold anything, such as stray quotes
        return []
    labels = columns.pop(found.gold), columns.pop(found.pred)
    column = count_column(columns, *labels)
    return [] if column is None or column in found.by else [unused_count(column)]


def _repeats(tables: list[TableFile], found: LabelColumns) -> Repeats:
    """Look for repeats within files and across them, if all have the same columns and one kind of values."""
    alike = len({(tuple(table.columns), bool(table.records)) for table in tables}) == 1
    labels = [column for column in found.columns() if column not in found.by]
    return Repeats.of(tables[0].plain_columns(), labels, found.by) if alike and found.count is None else Repeats([])


def _collect(cells: dict[Any, Cell], part: list[Cell]) -> None:
    """Add up integers now, so that memory does not grow with the files; reals are summed once, at the end."""
    for cell in part:
        key = label_key(cell.gold), label_key(cell.pred), tuple(map(label_key, cell.group))
        if isinstance(cell.amount, float):
            cells[(*key, len(cells))] = cell
        elif key in cells:
            known = cells[key]
            cells[key] = Cell(known.gold, known.pred, known.rows + cell.rows, known.amount + cell.amount, known.group)
        else:
            cells[key] = cell


def _batches(tables: list[TableFile]) -> Iterator[list[TableFile]]:
    """Split the files into queries: many Parquet files of one schema at once, other files one by one."""

    def alike(place: int) -> tuple[Any, ...]:
        table = tables[place]
        if table.format != "parquet":
            return (place,)
        return "parquet", tuple(table.types.items()), tuple(table.partition.items())

    for _, places in groupby(range(len(tables)), key=alike):
        batch: list[TableFile] = []
        size = 0
        for place in places:
            if batch and (len(batch) == _MOST_FILES or size + tables[place].file.size > _MOST_BYTES):
                yield batch
                batch, size = [], 0
            batch.append(tables[place])
            size += tables[place].file.size
        yield batch


def _check_sets(cells: Collection[Cell], found: LabelColumns, name: str, missing: Missing) -> None:
    """Reject a mix of rows with one label and rows with several, which JSON-lines files can hold."""
    kinds = (
        {isinstance(cell.gold, frozenset) for cell in cells},
        {isinstance(cell.pred, frozenset) for cell in cells},
    )
    if not any(True in kind for kind in kinds):
        return
    for column, kind in zip((found.gold, found.pred), kinds, strict=True):
        if False in kind:
            raise ColumnError.beside_lists(column, source=name)
    if missing != "error":
        raise InputError.missing_beside_sets(missing)


def _check_header(
    table: TableFile, chosen: Iterable[tuple[str | None, str]], cells: list[Cell], mark: str | None
) -> None:
    labels = {cell.gold for cell in cells} | {cell.pred for cell in cells}
    for wanted, column in chosen:
        if wanted != column and (column if mark is None else split_labels(column, mark, "the first line")) in labels:
            raise header_is_data(table, wanted, column)
