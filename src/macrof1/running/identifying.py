"""Answer "which F1 is this?" for labels, files, frames, counts, results and leaderboards, and over rows and groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast, overload

import numpy as np
from numpy.typing import NDArray

from macrof1.auditing.audited_tables import AuditTableResult, audit_table
from macrof1.counting.cells import SetRows
from macrof1.counting.confusion import Confusion
from macrof1.counting.doubts import checked_differences
from macrof1.counting.encoding import counted_from_zero, encode
from macrof1.counting.engines import count_frame_groups, names_of, opened
from macrof1.counting.units import check_over, count_units, is_over_units, over_of
from macrof1.counts import COLUMN, ROWS, ClassCounts, GroupedCounts, Making, RowSource, class_counts_of, trusted_counts
from macrof1.entry import score
from macrof1.errors import ColumnError, InputError
from macrof1.labels import Missing, label_key
from macrof1.message import Argument, Message
from macrof1.reading.columns import find_column
from macrof1.reading.distinct import columns_of
from macrof1.reading.tables import opened_tables
from macrof1.request import Request
from macrof1.running.calls import grouped_counts
from macrof1.running.jobs import read_counts
from macrof1.sampling.joint import KeptRows
from macrof1.sampling.policies import Outside, apply_policies, apply_to_groups
from macrof1.scoring.definitions import DefinedScore, pooled_groups, unit_definitions
from macrof1.scoring.group_scores import GroupsResult
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
    normalize: str | Iterable[str] = (),
    extract: bool = False,
    outside: Outside = "wrong",
    over: Any = "classes",
    positive: object = None,
    exclude: Iterable[object] = (),
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
    labels, sample_weight, missing, normalize, extract, outside
        As in `score`; for a file or a frame, `sample_weight` names a column.
    over, positive, exclude
        As in `score`: both formulas over these units are then tried too, beside those over classes, of pooled counts
        and, for up to 1,000 named units, means over units of scores inside each (nested).
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
    averages; accuracy, balanced accuracy, macro precision and recall, Cohen's kappa, MCC; the F1 of one class; F2, F0.5
    and Jaccard; means over batches of rows in their order; means over rows for multilabel data; means over groups with
    `by`. Matches are ranked by how common they are under the name macro F1.

    Examples
    --------
    >>> found = identify(["a", "a", "b", "c"], ["a", "b", "b", "b"], "0.3889")
    >>> [match.definition for match in found.matches][:2], found.tried
    (['averaged_f1', 'averaged_f1(undefined=1)'], 93)
    """
    options: dict[str, Any] = {"labels": labels, "missing": missing}
    policies: dict[str, Any] = {"normalize": checked_differences(normalize, extract=extract), "outside": outside}
    if not is_over_units(over):
        check_over(positive=positive, exclude=exclude)
    if number is None:
        if is_over_units(over) and not isinstance(gold, str | Path):
            raise InputError.beside("over", Message(type(gold).__name__), expected="it with labels, or a file")
        asked = {**options, "weight": sample_weight, "over": over, "positive": positive, "exclude": exclude}
        return _identify_one(gold, pred, by, support, asked, policies)
    units = None
    if is_over_units(over):
        if by is not None or outside != "wrong" or extract:
            other = "by" if by is not None else "extract" if extract else "outside"
            raise InputError.beside("over", other, expected="one of them")
        cut: dict[str, Any] = {"positive": positive, "exclude": exclude, "normalize": normalize}
        units = count_units(gold, pred, over, sample_weight=sample_weight, **cut, **options)
        name, of_rows = over_of(over)
        by = None if of_rows is None or len(units.labels) > MOST_NESTED else {name.removeprefix(COLUMN): of_rows}
    if by is not None:
        counts = grouped_counts(gold, pred, by, sample_weight, **options)
        return identify_read(counts, number, units=units, **policies)
    result = score(gold, pred, sample_weight=sample_weight, **options, **policies)
    more = of_units(result.rows, units)
    plain = sample_weight is None and missing == "error" and not policies["normalize"]
    if not more and plain and result.cells is not None:
        more += batch_scores(gold, pred)
    return identify_counts(result.counts, number, cells=result.cells, more=more)


def _identify_one(
    data: Any, number: object, by: Any, support: Any, options: dict[str, Any], policies: dict[str, Any]
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
    if isinstance(data, GroupedCounts | ClassCounts | Confusion):
        return identify_read(data, number, **policies)
    columns = () if by is None else tuple(names_of(by))
    try:
        if isinstance(data, str | Path):
            weight = options.pop("weight")
            return run_identify(Request(files=(data,), by=columns, sample_weight=weight, **options, **policies), number)
        try:
            frame = opened(data)
        except InputError:
            raise InputError(
                Message(Argument("pred"), f" missing beside {type(data).__name__}"),
                expected="gold labels, predictions and a number; or a file, a frame, counts or a result, and a number",
            ) from None
        names = frame.collect_schema().names()
        gold, pred = (find_column(names, None, role, source="the frame") for role in ("gold", "pred"))
        rules = {name: options[name] for name in ("labels", "missing", "weight")}
        read = count_frame_groups(data, gold=gold, pred=pred, by=columns, **rules)
    except ColumnError as error:
        error.hint = "score_file and score_frame name columns, and identify takes their results"
        raise
    if columns:
        return identify_read(read, number, **policies)
    rows = None
    if options["weight"] is None and options["missing"] == "error" and isinstance(read.total, Confusion):
        found = frame.select([gold, pred]).lazy().collect()
        rows = found[gold].to_list(), found[pred].to_list()
    return identify_read(read.total, number, rows=rows, **policies)


def identify_read(
    counts: Any,
    number: object,
    *,
    rows: tuple[Any, Any] | None = None,
    units: ClassCounts | None = None,
    **policies: Any,
) -> IdentifyResult:
    """Identify a number on counts as they were read, of all rows or by group.

    `rows` are the labels in their order; `units` are counts over other units than classes.
    """
    grouped = None
    if isinstance(counts, GroupedCounts):
        grouped, _ = apply_to_groups(counts, **policies)
        total: Any = grouped.total
        units = pooled_groups(grouped) if units is None else units
    else:
        total, _ = apply_policies(counts, **policies)
    more = of_units(total.rows, units)
    if rows is not None and not policies.get("normalize"):
        more += batch_scores(*rows)
    return identify_counts(total, number, grouped=grouped, more=more)


def of_units(rows: RowSource, units: ClassCounts | None) -> list[DefinedScore]:
    """Return what is defined over rows with several labels, and over other units than classes."""
    of_rows = None if units is not None and units.over == ROWS else count_rows(rows)
    return [each for counts in (of_rows, units) if counts is not None for each in unit_definitions(counts)]


def run_identify(request: Request, number: object) -> IdentifyResult:
    """Identify a number on the files of a request."""
    units = None
    request.check_exclude()
    if request.over is not None:
        if request.by:
            raise InputError.beside("over", "by", expected="one of them")
        units = class_counts_of(read_counts(request, "identify").total)
        nested = request.over != ROWS and len(units.labels) <= MOST_NESTED
        by = (str(request.unit),) if nested else ()
        request = replace(request, over=None, positive=None, exclude=(), by=by)
    found = read_counts(request, "identify")
    return identify_read(found.counts, number, rows=_rows_in_order(request, found.counts), units=units)


# With more units than this, means over units of scores inside each take too long.
MOST_NESTED = 1000
# Files beyond this many bytes are not read a second time for the order of their rows.
_MOST_BYTES = 1 << 26


def _rows_in_order(request: Request, counts: Any) -> tuple[Any, Any] | None:
    """Return both labels row by row, for means over batches; None if the rows are weighted, changed, or too many."""
    changed = request.sample_weight or request.count or request.normalize or request.extract or request.repeats
    plain = request.missing == "error" and request.kind == "rows" and isinstance(counts, Confusion)
    if changed or not plain or len(request.files) != 1:
        return None
    path = Path(str(request.files[0]))
    if not path.is_file() or path.stat().st_size > _MOST_BYTES:
        return None
    try:
        opening = opened_tables(path, request.header, cast("Any", request.file_format), records=request.records)
        with opening as (table,):
            names = [table.find(name, role) for name, role in ((request.gold, "gold"), (request.pred, "pred"))]
            columns = columns_of(table, names)
    except InputError:  # counts, say: what has no rows has no batches
        return None
    golds, preds = (columns[name] for name in names)
    unplain = any(value is None or isinstance(value, list) for side in (golds, preds) for value in side)
    return None if unplain else (golds, preds)


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


SIZES: Final = (8, 10, 12, 16, 20, 24, 32, 48, 50, 64, 96, 100, 128, 200, 256, 500, 512, 1000, 1024)
"""The batch sizes that are tried: powers of two, and round numbers."""

# Batches times classes beyond which a size is left out, and how many are counted at a time.
_MOST_CELLS, _CELLS_AT_ONCE = 50_000_000, 1 << 20
_KINDS = {
    "averaged_f1": "averaged F1 over the classes of the batch",
    "averaged_f1(classes=all)": "averaged F1 over all classes",
    "micro_f1": "micro F1 (accuracy)",
}
_LAST = {"": "", "last left out": " without the last, smaller batch", "by rows": ", each weighted by its rows"}


def count_rows(rows: RowSource) -> ClassCounts | None:
    """Count the sets behind counts, with rows as units; None for rows with one label, or if only sums are known."""
    if isinstance(rows, KeptRows) and rows.cells is None and rows.sample_weight is None:
        columns = np.stack(count_units(rows.gold, rows.pred, ROWS).columns)
        amounts = np.ones(columns.shape[1])
    elif isinstance(rows, SetRows) and rows.cells:
        sizes = [(len(each.gold & each.pred), len(each.pred), len(each.gold)) for each in rows.cells]
        columns, amounts = np.array(sizes).T, np.array([each.amount for each in rows.cells], float)
    else:
        return None
    kinds, place = np.unique(columns, axis=1, return_inverse=True)  # in one order, for the same bits
    return trusted_counts(
        labels=tuple(range(kinds.shape[1])), columns=tuple(kinds.copy()), n_rows=None,
        weights=np.bincount(place.ravel(), amounts), making=Making(facts=(("over", ROWS),)),
    )  # fmt: skip


def batch_scores(gold: Any, pred: Any) -> list[DefinedScore]:
    """Return means over batches of rows in their order, for every usual batch size below the number of rows."""
    sides = [counted_from_zero(encode(side, name)) for side, name in ((gold, "gold"), (pred, "pred"))]
    # In one order whatever the container, so that sums are the same to the last bit.
    keys = sorted({label_key(label) for side in sides for label in side.labels}, key=repr)
    place, n = {key: at for at, key in enumerate(keys)}, len(keys)
    golds, preds = (np.array([place[label_key(label)] for label in side.labels])[side.codes] for side in sides)
    found = []
    for size in SIZES:
        n_batches = -(-len(golds) // size)
        if n_batches < 2 or n_batches * n > _MOST_CELLS:
            continue
        scores, rows = _scores(golds, preds, n, size), np.diff(np.r_[np.arange(0, len(golds), size), len(golds)])
        for row, kind in enumerate(_KINDS):
            means = {"": scores[row].mean()}
            if rows[-1] < size:
                means["last left out"] = scores[row, :-1].mean()
                if kind != "micro_f1":  # weighted by rows, it is that of all rows
                    means["by rows"] = np.average(scores[row], weights=rows)
            found += [
                DefinedScore(
                    definition=f"mean over batches of {size}{last and ', ' + last} of {kind}",
                    value=float(value),
                    words=f"mean over batches of {size} rows{_LAST[last]} of {_KINDS[kind]}",
                )
                for last, value in means.items()
            ]
    return found


def _scores(gold: NDArray[np.int64], pred: NDArray[np.int64], n: int, size: int) -> NDArray[np.float64]:
    at_once = max(1, _CELLS_AT_ONCE // n) * size
    parts = []
    for start in range(0, len(gold), at_once):
        g, p = gold[start : start + at_once], pred[start : start + at_once]
        cell = np.arange(len(g)) // size * n
        shape = (len(g) - 1) // size + 1, n
        hit = g == p
        tp, actual, predicted = (
            np.bincount(cells, minlength=shape[0] * n).reshape(shape) for cells in ((cell + g)[hit], cell + g, cell + p)
        )
        f1 = 2 * tp / np.maximum(actual + predicted, 1)
        seen = ((actual + predicted) > 0).sum(1)
        parts.append([f1.sum(1) / seen, f1.sum(1) / n, tp.sum(1) / actual.sum(1)])
    return np.concatenate(parts, axis=1)
