"""Crosstabs: rows and columns with their own names become one square matrix.

The rows of a crosstab are the classes of one side and its columns those of the other; they need not be the same, nor
in the same order, and the last row and column, or the first, may hold totals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from macrof1.errors import LabelError, quote_some
from macrof1.labels import Label, check_comparable, checked_labels, in_order, label_key
from macrof1.message import Note

_TOTALS: Final = {
    "all", "total", "totals", "sum", "sums", "margin", "margins", "marginal", "marginals", "grand total", "row total",
    "column total", "gesamt", "insgesamt", "summe", "somme", "totale", "somma", "suma", "soma", "totaal", "合計",
    "总计", "σ", "∑",
}  # fmt: skip

# Names of totals and of scores beside the classes of one side; on both sides, they are classes.
_SUPPORTS: Final = {"support", "n", "count", "counts", "#"}
_SCORES: Final = {
    "support", "precision", "recall", "f1", "f1-score", "f1 score", "f-score", "f-measure", "accuracy", "sensitivity",
    "specificity", "ppv", "npv", "user accuracy", "producer accuracy", "user's accuracy", "producer's accuracy",
}  # fmt: skip

# So many rows of a class that is never right may equal the sums of all others by chance.
_FEW_ROWS: Final = 8

_Names: TypeAlias = tuple[Label | None, ...]
_Crosstab: TypeAlias = tuple[_Names, _Names, list[list[Any]]]


class NamedTable(NamedTuple):
    """Rows of cells with the names of rows and columns; None if they have none."""

    rows: list[Any] | None
    columns: list[Any] | None
    cells: Any
    rows_are: str | None = None  # gold or predicted, if the corner says so


def aligned_matrix(table: NamedTable, source: str) -> tuple[list[Label | None] | None, Any]:
    """Return the classes of a crosstab, None if unnamed, and its cells in one order; missing ones are 0."""
    if table.rows is None or table.columns is None:
        names = table.columns if table.rows is None else table.rows
        return None if names is None else list(checked_labels(names)), table.cells
    row_names, column_names = checked_labels(table.rows), checked_labels(table.columns)
    values = [list(row) for row in table.cells]
    row_names, column_names, values = _without_totals(row_names, column_names, values, source)
    check_comparable(row_names, column_names, names=("row", "column"))
    row_at = {label_key(name): place for place, name in enumerate(row_names)}
    column_at = {label_key(name): place for place, name in enumerate(column_names)}
    if row_at.keys().isdisjoint(column_at):
        seen = f"rows are {quote_some(row_names, most=5)} and columns {quote_some(column_names, most=5)}"
        raise LabelError(f"{source}: {seen}", expected="the same classes as rows and as columns")
    if list(row_at) == list(column_at):
        return list(row_names), values
    labels = in_order({label_key(name): name for name in (*row_names, *column_names)}.values())
    places = [(row_at.get(label_key(name)), column_at.get(label_key(name))) for name in labels]
    return labels, [[0 if r is None or c is None else values[r][c] for _, c in places] for r, _ in places]


def matrix_notes(table: NamedTable, labels: Sequence[Any], cells: Any, name: str) -> Iterator[Note]:
    """Say what was left out or moved to make a matrix of these labels, and flag totals that nothing names."""
    sides = [names for names in (table.rows, table.columns) if names is not None]
    if any(len(names) > len(labels) for names in sides):
        yield Note(f"The totals in {name} were left out: they are the sums of the others.", code="totals")
    elif sides and is_total(labels[-1]):
        yield Note(
            f"{labels[-1]!r} of {name} is counted as a class, since it does not hold the sums of the others: if "
            "it is meant as totals, leave it out.",
            code="totals",
        )
    known = set(map(str, labels))
    kept = [[label for label in map(str, names) if label in known] for names in sides]
    if len(kept) == 2 and kept[0] != kept[1]:
        moved = f"The columns of {name} were matched with its rows by name: their order differs."
        yield Note(moved, code="matrix_order")
    for place, step in (("last", 1), ("first", -1)):
        if not sides and len(cells) > 2 and ends_in_sums([line[::step] for line in cells[::step]]):
            yield Note(
                f"The {place} row and column of {name} are the sums of the others, and are counted as a class: if they "
                "are totals, leave them out.",
                code="totals",
            )


def is_total(name: object) -> bool:
    """Return whether a name means totals, such as Total, Sum, Gesamt or Σ."""
    return _plain(name) in _TOTALS


def _without_totals(rows: _Names, columns: _Names, values: list[list[Any]], source: str) -> _Crosstab:
    """Drop totals in the last or first row and column of a crosstab; reject totals under another name."""
    both = label_key(rows[0]) == label_key(columns[0])
    sums = [_last_are_sums([line[::-1] for line in lines]) for lines in (_turned(values), values)]
    known = both and (is_total(rows[0]) or (all(sums) and len(rows) > 2))
    # Totals come first: move them to the end, where most are.
    if known or (sums[0] and (is_total(rows[0]) or _beside(rows[::-1], columns))):
        rows, values = (*rows[1:], rows[0]), [*values[1:], values[0]]
    if known or (sums[1] and (is_total(columns[0]) or _beside(columns[::-1], rows))):
        columns, values = (*columns[1:], columns[0]), [[*row[1:], row[0]] for row in values]
    row_sums, column_sums = _last_are_sums(_turned(values)), _last_are_sums(values)
    named = [is_total(rows[-1]), is_total(columns[-1])]
    other = named[0] != named[1] or label_key(rows[-1]) != label_key(columns[-1])
    drop_row = row_sums and (named[0] or _is_support(rows, columns)) and (other or column_sums)
    drop_column = column_sums and (named[1] or _is_support(columns, rows)) and (other or drop_row)
    if drop_row or drop_column:
        rows, values = (rows[:-1], values[:-1]) if drop_row else (rows, values)
        columns, values = (columns[:-1], [row[:-1] for row in values]) if drop_column else (columns, values)
        return rows, columns, values
    if named[0] != named[1]:
        name = (rows if named[0] else columns)[-1]
        problem = f"{source}: {name!r} is named like a total, and holds no sums of the others"
        raise LabelError(problem, expected="classes only, or totals that are sums")
    # In two rows, or if all are 0, sums may be counts.
    if row_sums and column_sums and not other and len(rows) > 2 and any(values[-1]):
        raise _not_a_class(f"{source}: row and column {rows[-1]!r} hold the sums of the others", "totals")
    _refuse_beside("row", rows, columns, _turned(values), source)
    _refuse_beside("column", columns, rows, values, source)
    return rows, columns, values


def _turned(values: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    return list(zip(*values, strict=True))


def _plain(name: object) -> str:
    return str(name).strip().casefold()


def _beside(names: _Names, others: _Names) -> bool:
    """Whether the last name is not one of the other side."""
    return label_key(names[-1]) not in set(map(label_key, others))


def _is_support(names: _Names, others: _Names) -> bool:
    return _plain(names[-1]) in _SUPPORTS and _beside(names, others)


def _refuse_beside(side: str, names: _Names, others: _Names, lines: Sequence[Sequence[Any]], source: str) -> None:
    """Reject scores, and sums under any name, that stand beside the classes of one side."""
    known = set(map(label_key, others))
    scores = [name for name in names if _plain(name) in _SCORES and label_key(name) not in known]
    if scores:
        problem = f"{side} {scores[0]!r} is the name of a score, and not among the classes of the other side"
        raise _not_a_class(f"{source}: {problem}", "scores")
    summed = len(lines) > 1 and _beside(names, others) and _last_are_sums(lines)
    if summed and math.fsum(line[-1] for line in lines) > _FEW_ROWS:
        raise _not_a_class(f"{source}: {side} {names[-1]!r} holds the sums of the others", "totals")


def _not_a_class(problem: str, what: str) -> LabelError:
    return LabelError(problem, expected="classes only", hint=f"leave the {what} out")


def ends_in_sums(cells: Sequence[Sequence[Any]]) -> bool:
    """Whether the last row and column of a matrix are the sums of the others; most fail at the first row."""
    return _last_are_sums(cells) and _last_are_sums(_turned(cells))


def _last_are_sums(lines: Sequence[Sequence[Any]]) -> bool:
    try:
        return all(len(line) > 1 and math.isclose(line[-1], math.fsum(line[:-1]), abs_tol=1e-12) for line in lines)
    except (TypeError, ValueError, OverflowError):  # non-numbers are rejected when cells are validated
        return False
