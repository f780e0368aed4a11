"""Answer "which F1 is this?" for labels, files, frames, counts, results and leaderboards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, overload

import numpy as np

from macrof1.auditing.table import AuditTableResult, audit_table
from macrof1.counting.arrays import count
from macrof1.counting.confusion import Confusion
from macrof1.counting.engines import opened
from macrof1.counting.frames import count_frame_groups
from macrof1.counting.named_tables import check_same_index
from macrof1.counts import ClassCounts, GroupedCounts
from macrof1.entry import score
from macrof1.errors import InputError, LengthError
from macrof1.labels import Missing
from macrof1.message import Argument, Message
from macrof1.reading.columns import find_column
from macrof1.sampling.label_sets import RowSets
from macrof1.sampling.row_scores import RowSizes, per_row_scores
from macrof1.scoring.groups import GroupsResult
from macrof1.scoring.identification import IdentifiedRow, IdentifyResult, IdentifyTableResult, identify_counts


@overload
def identify(gold: Any, pred: None = None, number: None = None, **options: Any) -> IdentifyTableResult: ...


@overload
def identify(gold: Any, pred: Any, number: object = None, **options: Any) -> IdentifyResult: ...


def identify(  # type: ignore[misc]  # the two stubs do not repeat the options
    gold: Any,
    pred: Any = None,
    number: object = None,
    *,
    by: Any = None,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
    missing: Missing = "error",
    support: Mapping[str, Any] | None = None,
) -> IdentifyResult | IdentifyTableResult:
    """Find out which definitions give a number on this data: "which F1 is this?".

    Parameters
    ----------
    gold, pred
        Labels, as in `score`. Or one object instead of both: the path of a prediction file, a data frame with the usual
        column names (``gold``, ``pred``), counts, a `Confusion`, or any result that holds its counts
        (``identify(score_matrix(matrix, rows="gold"), "0.7123")``). Without a number: a leaderboard, as a path or as
        rows, whose figures determine the counts of its systems.
    number
        The number as printed: ``"0.7123"``, ``"71.23"``; text keeps trailing zeros.
    by
        The group (fold, domain, …) of each row, or the name of that column: means over groups are then tried too.
    labels, sample_weight, missing
        As in `score`; for a file or a frame, `sample_weight` names a column.
    support
        For a leaderboard: gold rows of each class, if it does not print them.

    Returns
    -------
    IdentifyResult or IdentifyTableResult
        ``matches`` and ``nearest`` with ``definition`` and ``value``; ``summary`` says how the matches differ. For a
        leaderboard, ``rows`` with one such result each.

    Notes
    -----
    It tries both formulas over every usual class set, without each class in turn, with undefined ratios as 0, as 1 and
    left out, and without the rows of each gold class in turn (``ignore_index`` of torchmetrics); weighted and micro
    averages; accuracy, balanced accuracy, macro precision and recall, Cohen's kappa, MCC; the F1 of one of two classes;
    means over rows for multilabel data; means over groups with `by`.

    Examples
    --------
    >>> found = identify(["a", "a", "b", "c"], ["a", "b", "b", "b"], "0.3889")
    >>> [match.definition for match in found.matches][:2], found.tried
    (['averaged_f1', 'averaged_f1(undefined=1)'], 83)
    """
    options: dict[str, Any] = {"labels": labels, "missing": missing}
    if number is None:
        return _identify_one(gold, pred, by, sample_weight, options, support)
    result = score(gold, pred, sample_weight=sample_weight, **options)
    sizes = RowSizes.of(result.rows.patterns()) if isinstance(result.rows, RowSets) else None
    grouped = None if by is None else _grouped(gold, pred, by, sample_weight, options)
    return identify_counts(result.counts, number, grouped=grouped, cells=result.cells, more=per_row_scores(sizes))


def _identify_one(
    data: Any, number: object, by: Any, weight: Any, options: dict[str, Any], support: Mapping[str, Any] | None
) -> IdentifyResult | IdentifyTableResult:
    """Identify a number on one object that holds both gold and predictions; without a number, a leaderboard."""
    if isinstance(data, AuditTableResult):
        return identify_table(data)
    if isinstance(data, GroupsResult):
        groups = tuple((each.key, each.result.counts) for each in data.groups)
        data = GroupedCounts(by=data.by, groups=groups, total=data.total.cells or data.total.counts)
    cells = getattr(data, "cells", None)  # of a result; those of a Confusion are an array
    data = cells if isinstance(cells, Confusion) else getattr(data, "counts", data)
    if data is None:
        raise InputError(
            "the counts behind this result are not determined", argument="gold", expected="figures that determine them"
        )
    if number is None:
        return identify_table(audit_table(data, support=support))
    if isinstance(data, GroupedCounts):
        return identify_counts(data.total, number, grouped=data)
    if isinstance(data, ClassCounts | Confusion):
        return identify_counts(data, number)
    if isinstance(data, str | Path):
        return identify_file(data, number, by=by, weight=weight, **options)
    return _identify_frame(data, number, by, weight, options)


def identify_file(source: Any, number: object, *, by: Any = None, **options: Any) -> IdentifyResult:
    """Identify a number on a prediction file; options as in `count_file`."""
    from macrof1.counting.tables import count_file, count_file_groups  # loads Polars

    sizes: list[tuple[int, int, int, float]] = []
    if by is None:
        counts: Any = count_file(source, **options, row_sizes=sizes)
        return identify_counts(counts, number, more=per_row_scores(RowSizes.of_rows(sizes)))
    grouped = count_file_groups(source, by=by, **options, row_sizes=sizes)
    return identify_counts(grouped.total, number, grouped=grouped, more=per_row_scores(RowSizes.of_rows(sizes)))


def _identify_frame(df: Any, number: object, by: Any, weight: Any, options: dict[str, Any]) -> IdentifyResult:
    """Identify a number on a frame with the usual column names."""
    import narwhals.stable.v2 as nw

    try:
        frame: Any = opened(df)
    except InputError:
        raise InputError(
            Message(Argument("pred"), f" missing beside {type(df).__name__}"),
            expected="gold labels, predictions and a number; or a file, a frame, counts or a result, and a number",
        ) from None
    schema = frame.collect_schema()
    gold, pred = (find_column(schema.names(), None, role, source="the frame") for role in ("gold", "pred"))
    if schema[gold] == nw.List and by is None and weight is None:
        # Means over rows need the rows.
        rows = frame.select(gold, pred).lazy().collect()
        sets = [[set(row) for row in rows[column].to_list()] for column in (gold, pred)]
        return identify(sets[0], sets[1], number, **options)
    grouped = count_frame_groups(df, gold=gold, pred=pred, by=() if by is None else by, weight=weight, **options)
    return identify_counts(grouped.total, number, grouped=None if by is None else grouped)


def identify_table(table: AuditTableResult) -> IdentifyTableResult:
    """Identify the macro F1 of every row of an audited leaderboard, on the counts that its figures determine."""
    rows = []
    for row in table.rows:
        counts, printed = row.result.counts, row.result.published
        if counts is None or printed is None:
            note = "no macro F1 printed" if printed is None else "its figures do not determine counts"
            rows.append(IdentifiedRow(name=row.name, result=None, note=note))
            continue
        number = f"{printed}%" if row.result.percent else printed
        rows.append(IdentifiedRow(name=row.name, result=identify_counts(counts, number)))
    return IdentifyTableResult(rows=tuple(rows))


def _grouped(gold: Any, pred: Any, by: Any, sample_weight: Any, options: dict[str, Any]) -> GroupedCounts:
    """Count groups of rows."""
    check_same_index({"gold": gold, "pred": pred, "by": by})
    places: dict[Any, list[int]] = {}
    values = by.tolist() if hasattr(by, "tolist") else list(by)
    if len(values) != len(gold):
        raise LengthError.differ(gold=len(gold), by=len(values))
    for place, value in enumerate(values):
        places.setdefault(value, []).append(place)
    columns = [
        side if side is None or hasattr(side, "__getitem__") else list(side) for side in (gold, pred, sample_weight)
    ]

    def taken(side: Any, at: list[int]) -> Any:
        if side is None:
            return None
        return side[at] if isinstance(side, np.ndarray) else [side[place] for place in at]

    groups = tuple(
        ((value,), count(taken(columns[0], at), taken(columns[1], at), sample_weight=taken(columns[2], at), **options))
        for value, at in places.items()
    )
    total: ClassCounts = sum(part for _, part in groups)  # type: ignore[assignment]  # never empty
    return GroupedCounts(by=("group",), groups=groups, total=total)
