"""Answers for the page: results of the library as plain JSON types.

Modules that need NumPy or Polars are imported where they are used, so that the rest also runs in a browser.
"""

from __future__ import annotations

import contextlib
import csv
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import macrof1
from macrof1.auditing.audit_results import AuditResult
from macrof1.auditing.audited_tables import AuditTableResult
from macrof1.auditing.audited_texts import AuditTextResult
from macrof1.auditing.printed_figures import read_ratio, shown_interval
from macrof1.bounding.closed_forms import lowest_averaged_f1
from macrof1.convention import FORMULAS
from macrof1.counts import ClassCounts
from macrof1.errors import ColumnError, EmptyError, InputError, MacroF1Error
from macrof1.reading.distinct import columns_of
from macrof1.reading.leaderboards import is_delimited, named_values, published_classes, read_published
from macrof1.reading.progress import Progress
from macrof1.reporting.audit_documents import range_text
from macrof1.scoring.gap import spread
from macrof1.scoring.ratios import select
from macrof1.scoring.score_result import ScoreResult, score_counts
from macrof1.scoring.system_scores import score_conventions
from macrof1.web.models import (
    MOST_CLASSES_DRAWN,
    MOST_COUNT,
    MOST_SYSTEMS,
    AuditRequest,
    ClassFigures,
    CompareRequest,
    MatrixRequest,
    MoveRequest,
    ReadRequest,
    RowsAre,
    TableRequest,
    field_name,
)
from macrof1.web.moving import moved_class
from macrof1.web.uploads import ReadMatrix, UploadedTable, check_labels, read_matrix, read_own

if TYPE_CHECKING:
    from macrof1.comparing.result import CompareResult


def scored(request: MatrixRequest) -> ScoreResult:
    """Score the matrix of a request from its per-class counts, which needs only plain Python."""
    table = request.matrix
    if any(isinstance(cell, float) for row in table for cell in row):
        table = [list(map(float, row)) for row in table]
    columns = [list(column) for column in zip(*table, strict=True)]
    predicted, actual = (table, columns) if request.rows == "predicted" else (columns, table)
    total = _sum([_sum(row) for row in table])
    if not total:
        raise EmptyError("the confusion matrix holds only zeros", expected="at least one row of data")
    counts = ClassCounts.of(
        request.labels,
        tp=[row[place] for place, row in enumerate(table)],
        predicted=[_sum(row) for row in predicted],
        actual=[_sum(row) for row in actual],
        n_rows=total if isinstance(total, int) else None,
    )
    return score_counts(counts, undefined=request.undefined, beta=request.beta)


def _sum(numbers: Sequence[int | float]) -> int | float:
    return sum(numbers) if all(isinstance(number, int) for number in numbers) else math.fsum(numbers)


def score_answer(request: MatrixRequest) -> dict[str, Any]:
    """Score a confusion matrix under both formulas."""
    result = scored(request)
    content = result.to_dict()
    columns = select(result.counts, result.convention)
    leanings = spread(columns, result.convention).leanings()
    for record, leaning in zip(content["per_class"], leanings, strict=True):
        record["leaning"] = "over-precise" if leaning > 0 else "over-recalled" if leaning < 0 else "neither"
    possible = None
    if result.beta == 1:  # what averaged F1 could be, given macro precision and macro recall alone: known for F1 only
        low = lowest_averaged_f1(result.macro_precision, result.macro_recall, result.n_classes)
        # Averaged F1 may equal the lower bound, but the two are rounded differently.
        possible = {"low": min(low, result.averaged_f1), "high": result.f1_of_averages}
    drawn = result.n_classes <= MOST_CLASSES_DRAWN
    return {
        **content,
        "range": possible,
        "pairs": [pair.to_dict() for pair in result.pairs(most=None if drawn else 40)],
        "all_pairs": drawn,
        "conventions": score_conventions(result.counts).to_dict() if result.beta == 1 else None,
    }


def scored_cells(request: MatrixRequest) -> ScoreResult:
    """Score the matrix of a request with its cells, from which intervals are computed."""
    return macrof1.score_matrix(
        request.matrix, rows=request.rows, labels=request.labels, undefined=request.undefined, beta=request.beta
    )


def interval_answer(request: MatrixRequest) -> dict[str, Any]:
    """Compute the uncertainty of both scores of a matrix: intervals, and the sampling noise of the gap."""
    result = scored_cells(request)
    try:
        found = {formula: result.interval(formula) for formula in FORMULAS}
    except MacroF1Error as error:  # weights are no rows: there is nothing to sample
        return {**dict.fromkeys(FORMULAS), "noise_floor": None, "notes": [error.worded(field_name)]}
    return {
        **{formula: [interval.low, interval.high] for formula, interval in found.items()},
        "noise_floor": result.noise_floor,
        "notes": [note for interval in found.values() for note in interval.notes],
    }


def move_answer(request: MoveRequest) -> dict[str, Any]:
    """Return the matrix that gives a class a new precision and recall, keeping the gold sizes."""
    is_gold = request.rows == "gold"
    table = [list(column) for column in zip(*request.matrix, strict=True)] if is_gold else request.matrix
    found = moved_class(table, request.place, precision=request.precision, recall=request.recall)
    matrix = [list(column) for column in zip(*found, strict=True)] if is_gold else found
    return {"labels": request.labels, "matrix": matrix, "rows": request.rows}


def read_answer(request: ReadRequest) -> dict[str, Any]:
    """Read a confusion matrix as printed by some tool, or count predictions, or say that it is a report."""
    found = read_matrix(request)
    if found is None:
        return {"read_as": "report"}
    codes = [getattr(note, "code", "") for note in found.notes]
    facts = {"read_as": found.kind, "rows_were": found.rows, "notes": found.notes, "note_codes": codes}
    return {**_matrix(found), **facts}


def own_matrix(file: str, *, rows: RowsAre | None) -> dict[str, Any]:
    """Return the matrix of the file that the explorer was started with."""
    return _matrix(read_own(file, rows=rows))


def _matrix(found: ReadMatrix) -> dict[str, Any]:
    if max(map(max, found.matrix)) > MOST_COUNT:
        raise InputError(
            f"a cell holds more than {MOST_COUNT:,}", expected="counts up to that", hint="mf1 score takes more"
        )
    return {"labels": found.labels, "matrix": found.matrix, "rows": "predicted"}


@cache
def plane_answer() -> dict[str, Any]:
    """Return the F1 contours in the precision–recall plane."""
    from macrof1.reporting.charts.result_charts import f1_contours

    lines: dict[float, list[list[float]]] = {}
    for point in f1_contours():
        lines.setdefault(point["level"], []).append([point["p"], point["r"]])
    return {"contours": [{"level": level, "points": points} for level, points in lines.items()]}


def compared(request: CompareRequest, told: Progress | None = None) -> CompareResult:
    """Compare the systems of a request."""
    with UploadedTable.received(request).opened() as table:
        plain = not (request.gold or request.systems or request.weight) and request.missing == "error"
        if plain and len(published_classes(table.columns)) >= 2:  # a leaderboard, which needs only plain Python
            from macrof1.comparing.published import compare_published

            systems = read_published(table, by=request.by or None)
            _check_most_systems(len(systems))
            return compare_published(systems)
        from macrof1.comparing.inputs import compare_inputs
        from macrof1.request import Request

        by = columns_of(table, [request.by])[request.by] if request.by in table.columns else None
        _check_most_systems(len(table.columns) - 1 if by is None else len(set(map(str, by))))
        with contextlib.suppress(ColumnError):  # a leaderboard does not have this column
            check_labels(table, {"gold": request.gold or None})
        asked = Request(
            files=(table,),
            gold=request.gold or None,
            systems=tuple(next(csv.reader([request.systems]), [])) or None,
            by=(request.by,) if request.by else (),
            count=(request.weight or None) if request.by else None,
            sample_weight=None if request.by else request.weight or None,
            labels_are_text=True,
            missing=request.missing,
        )
        return compare_inputs(asked, test=request.test, progress=told)


def _check_most_systems(n: int) -> None:
    """Reject more systems than can be compared interactively."""
    if n > MOST_SYSTEMS:
        raise InputError(f"{n:,} systems", expected=f"at most {MOST_SYSTEMS}", hint="mf1 compare takes more")


def compare_answer(request: CompareRequest, told: Progress | None = None) -> dict[str, Any]:
    """Compare the systems of a table under both formulas."""
    from macrof1.reporting.comparison_documents import headline, verdict
    from macrof1.reporting.rendering import document, render

    result = compared(request, told)
    return {
        **result.to_dict(),
        "headline": headline(result),
        "verdict": verdict(result),
        "latex": render(document(result), "latex"),
    }


def audited(request: AuditRequest) -> AuditResult:
    """Audit the figures in the form."""
    per_class = {}
    for figures in request.per_class:
        if not figures.label.strip():
            raise InputError("a class has no name", expected="a name beside its figures")
        if figures.label in per_class:
            raise InputError(f"class {figures.label!r} is there twice", expected="every class once")
        per_class[figures.label] = _printed(figures, "precision", "recall", "f1")
    support = {figures.label: figures.support for figures in request.per_class if figures.support.strip()}
    return macrof1.audit(
        **_printed(request, "precision", "recall", "f1", "accuracy", "correct", "total"),
        n_classes=request.n_classes,
        per_class={label: figures for label, figures in per_class.items() if figures},
        support=support,
        percent=request.percent,
        rounding=request.rounding,
        task=request.task,
    )


def _printed(form: AuditRequest | ClassFigures, *names: str) -> dict[str, Any]:
    """Return the figures that were printed, by their names."""
    return {name: value for name in names if (value := getattr(form, name).strip())}


def audit_answer(request: AuditRequest) -> dict[str, Any]:
    """Determine which macro F1 was published, and the range of values that round to the printed one."""
    result = audited(request)
    ranges: dict[str, tuple[float, float] | None] = {formula: getattr(result, formula) for formula in FORMULAS}
    printed = None
    if result.published is not None:
        figure = read_ratio(result.published, "macro F1", percent=result.percent, rounding=request.rounding)
        printed = (float(figure.bounds[0]), float(figure.bounds[1]))
    shown: dict[str, str | None] = {}
    for name, ends in {**ranges, "published": printed}.items():  # printed as the reason of the verdict does
        if ends is not None:
            low, high = (Fraction(repr(end)) for end in ends)  # the shortest digits, as they were read
            ends_shown = shown_interval((low, high), decimals=result.decimals, scale=100 if result.percent else 1)
        shown[name] = None if ends is None else ends_shown
    return {"kind": "figures", **result.to_dict(), "published_interval": printed, "shown": shown}


def audited_table(request: TableRequest, told: Progress | None = None) -> AuditTableResult | AuditTextResult:
    """Audit a leaderboard, or the reports in a text as printed by some tool."""
    upload = UploadedTable.received(request)
    if upload.text is not None and not is_delimited(upload.text):
        return macrof1.audit_text(upload.text, rounding=request.rounding)
    return macrof1.audit_table(
        upload.rows(),
        support=named_values(request.support or None, "the field", "cat=120,dog=80"),
        columns=named_values(request.columns or None, "the field", "macro_f1=F-Score,name=Team"),
        rounding=request.rounding,
        progress=told,
    )


def table_answer(request: TableRequest, told: Progress | None = None) -> dict[str, Any]:
    """Audit a leaderboard row by row, or every report in a text."""
    result = audited_table(request, told)
    content = result.to_dict()
    if isinstance(result, AuditTableResult):
        found, rows = [row.result for row in result.rows], content["rows"]
    else:
        found, rows = [report.result for report in result.reports], content["reports"]
    for row, one in zip(rows, found, strict=True):
        row["shown"] = {formula: range_text(one, formula) for formula in FORMULAS}
    return {"kind": "table" if isinstance(result, AuditTableResult) else "text", **content}


_CAPTIONS = {
    "fig1a": "Figure 1a: a random classifier on 1,000 data sets, classes 95/5",
    "fig1b": "Figure 1b: the gap for other class distributions",
    "fig2": "Figure 2: skewed gold classes, errors spread evenly",
    "fig3": "Figure 3: balanced gold classes, skewed errors",
    "plane": "Where Figure 2's gap comes from: the 13 classes at its maximum",
    "theorem3": "Theorem 3: the gap approaches its supremum",
}


_paper: dict[str, Any] = {}


def paper_answer(told: Progress | None = None) -> dict[str, Any]:
    """Re-run the paper's experiments once, quickly: few seeds and coarse grids."""
    if _paper:
        return _paper
    from macrof1.paper.claims import claims
    from macrof1.paper.experiments import PARTS
    from macrof1.paper.paper_figures import Settings
    from macrof1.reporting.charts.look import following

    settings = Settings(seed=0, seeds=3, quick=True)
    parts = {}
    for done, (name, part) in enumerate(PARTS.items(), start=1):
        parts[name] = part(settings)
        if told is not None:
            told(done / len(PARTS))
    drawn = {
        name.removesuffix(".svg"): following(content.decode("utf-8"))
        for part in parts.values()
        for name, content in part.files.items()
        if name.endswith(".svg")
    }
    _paper.update(
        claims=[claim.to_dict() for claim in claims({name: part.summary for name, part in parts.items()})],
        tables=parts["tables"].summary["tables"],
        figures=[{"name": name, "caption": _CAPTIONS.get(name, name), "chart": svg} for name, svg in drawn.items()],
        seeds=settings.seeds,
        command="mf1 reproduce",
    )
    return _paper
