"""Tables of counts: a row per class with its true positives, false positives and false negatives."""

from __future__ import annotations

from collections.abc import Sequence

from macrof1.counts import ClassCounts
from macrof1.errors import CountError, LabelError
from macrof1.reading.leaderboards import rows_in
from macrof1.reading.reports.vocabulary import ERRORS, kind_of, role_of
from macrof1.reading.tables import TableFile


def holds_errors(columns: Sequence[str]) -> bool:
    """Whether a table has columns of tp, fp and fn besides one of labels.

    Examples
    --------
    >>> holds_errors(["label", "TP", "FP", "FN"]), holds_errors(["gold", "pred", "tp"])
    (True, False)
    """
    kinds = [kind_of(column) for column in columns]
    return all(kinds.count(kind) == 1 for kind in ERRORS) and kinds[0] is None


def counts_of_errors(table: TableFile) -> ClassCounts:
    """Read the counts of a table of errors; rows of averages and totals are skipped."""
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
