"""Gold here, predictions there: two files whose rows are joined by id or by position, and counted.

The files may differ in format. Text has no types, so that labels and ids of a typed file are text beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from macrof1.counting.cells import Cell, CountRules, column_labels, group_key, group_value
from macrof1.counting.set_counts import grouped_sets, label_set, parts_of, split_labels
from macrof1.counting.weights import checked_count, checked_weight, weighted_sum
from macrof1.counts import GroupedCounts
from macrof1.errors import ColumnError, EmptyError, InputError
from macrof1.labels import Missing, checked_labels, checked_missing, in_order, label_key
from macrof1.message import Argument, Note
from macrof1.reading.columns import is_usual
from macrof1.reading.files import InputFile
from macrof1.reading.systems import SystemRows, id_of, systems_in_files
from macrof1.reading.tables import FileFormat, TableFile, inspected, opened_tables

MissingPredictions: TypeAlias = Literal["error", "wrong", "drop"]
"""What to do with gold rows whose id has no prediction: raise an error, count them as wrong, or leave them out."""

MISSING_PREDICTIONS: Final[tuple[MissingPredictions, ...]] = get_args(MissingPredictions)
# No label contains this character, so that a line is one field.
_NO_MARK: Final = "\x1f"


def count_pair(
    gold_file: str | Path | InputFile | TableFile,
    pred_file: str | Path | InputFile | TableFile,
    *,
    gold: str | None = None,
    pred: str | None = None,
    id: str | None = None,  # noqa: A002  # as in the public calls
    no_id: bool = False,
    by: Sequence[str] = (),
    weight: str | None = None,
    count: str | None = None,
    labels: Any = None,
    labels_are_text: bool = False,
    missing: Missing = "error",
    missing_predictions: MissingPredictions = "error",
    multilabel: str | None = None,
    header: bool = True,
    file_format: FileFormat | None = None,
) -> GroupedCounts:
    """Count predictions in one file against gold labels in another, by group and together.

    Rows are joined by an id column (given, or the one that both files have) or, without one, by position. Groups,
    weights and counts are columns of the gold file. A text file without separators has one label per line.
    """
    checked_missing(missing)
    if missing_predictions not in MISSING_PREDICTIONS:
        raise InputError.unknown_value("missing_predictions", missing_predictions, MISSING_PREDICTIONS)
    with _opened_pair(gold_file, pred_file, header, file_format) as (gold_table, pred_table):
        keys = [id_of(table, id) for table in (gold_table, pred_table)]
        found_id = keys[0] if keys[0] is not None and keys[0] == keys[1] and not no_id else None
        groups = {f"by {place}": name for place, name in enumerate(by)}
        rows = systems_in_files(
            gold_table, [pred_table], gold=gold, pred=pred, ids=id or found_id, by_position=no_id,
            partly=missing_predictions != "error", facts={"weight": weight, "count": count, **groups},
        )  # fmt: skip
    source = f"{gold_table.name} and {pred_table.name}"
    cells, n_lost = _cells(rows, list(groups), source, multilabel, missing_predictions)
    notes: tuple[Note, ...] = ()
    if n_lost:
        what = "left out" if missing_predictions == "drop" else "counted as wrong"
        share = n_lost / (sum(cell.rows for cell in cells) + (n_lost if missing_predictions == "drop" else 0))
        notes = (
            Note(
                f"{n_lost:,} of the gold rows ({share:.1%}) have no prediction in {pred_table.name} and are {what} (",
                Argument("missing_predictions", missing_predictions), ").",
                code="missing_predictions",
            ),
        )  # fmt: skip
    if cells and isinstance(cells[0].gold, frozenset):
        listed = None if labels is None else checked_labels(labels)
        return grouped_sets(parts_of(cells), listed, by, source, weighted=weight is not None, notes=notes)
    lost = missing_predictions == "wrong" and n_lost
    if lost and labels is None:  # a class set, outside of which no prediction lies
        known = {label_key(label): label for cell in cells for label in (cell.gold, cell.pred) if label is not None}
        labels = in_order(known.values())
    rules = CountRules(
        labels=labels, missing="label" if lost else missing, source=source, where=source, weighted=weight is not None,
        labels_are_text=labels_are_text, notes=notes,
    )  # fmt: skip
    return rules.grouped(cells, by)


def _cells(
    rows: SystemRows, groups: list[str], source: str, mark: str | None, missing_predictions: MissingPredictions
) -> tuple[list[Cell], int]:
    """Return one cell per combination of labels and group, and how many gold rows have no prediction."""
    ((_, preds),) = rows.systems.items()
    read = column_labels(f"labels of {source}")

    def label(value: Any) -> Any:
        if mark is not None and (value is None or isinstance(value, str)):
            return split_labels(value or "", mark, source)
        if isinstance(value, list):
            return label_set(value, source)
        found = read(value)
        return found if found is None or isinstance(found, str) or not rows.text else str(found)

    cells: dict[Any, tuple[Cell, list[Any]]] = {}
    n_lost = 0
    facts = rows.facts
    for place, (gold, pred, times) in enumerate(zip(rows.gold, preds, rows.times, strict=True)):
        n_rows = times
        if "count" in facts:
            n_rows *= _fact(rows, "count", place, checked_count)
        weight = (
            _fact(rows, "weight", place, lambda value: checked_weight(value, text=rows.text))
            if "weight" in facts
            else None
        )
        lost = pred is None and missing_predictions != "error"
        n_lost += n_rows if lost else 0
        if not n_rows or (lost and missing_predictions == "drop"):
            continue
        sides = label(gold), frozenset() if lost and isinstance(label(gold), frozenset) else label(pred)
        if isinstance(sides[0], frozenset) != isinstance(sides[1], frozenset):
            raise ColumnError.beside_lists("gold" if isinstance(sides[1], frozenset) else "pred", source=source)
        group = tuple(None if facts[name][place] == "" else group_value(facts[name][place]) for name in groups)
        key = label_key(sides[0]), label_key(sides[1]), group_key(group)
        cell, weights = cells.get(key) or (Cell(*sides, 0, 0, group), [])
        weights += [] if weight is None else [(weight, n_rows)]
        cells[key] = replace(cell, rows=cell.rows + n_rows, amount=cell.rows + n_rows), weights
    if not cells:
        raise EmptyError.nothing(source)
    if "weight" not in facts:
        return [cell for cell, _ in cells.values()], n_lost
    return [replace(cell, amount=weighted_sum(weights, source)) for cell, weights in cells.values()], n_lost


def _fact(rows: SystemRows, fact: str, place: int, read: Any) -> Any:
    value = rows.facts[fact][place]
    try:
        return read(value)
    except InputError as error:
        raise error.at(rows.where(fact, value)) from None


@contextmanager
def _opened_pair(gold: Any, pred: Any, header: bool, file_format: FileFormat | None) -> Iterator[list[TableFile]]:
    """Open both files as tables; text without separators and without a header that says so has one label per line."""
    with (
        opened_tables([gold], header, file_format, once=False) as first,
        opened_tables([pred], header, file_format, once=False) as second,
    ):
        found = []
        for table in (*first, *second):
            usual = any(is_usual(name.strip(), role) for name in table.columns for role in ("gold", "pred"))
            is_text_file = table.is_text and table.name.endswith(".txt")
            if header and table.is_text and not usual and (len(table.columns) == 1 or is_text_file):
                table = replace(inspected(table.file, False, "csv"), columns=["1"], separator=_NO_MARK)
            elif is_text_file and len(table.columns) == 1:
                table = replace(table, separator=_NO_MARK)
            found.append(table)
        yield found
