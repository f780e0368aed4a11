"""Answers for the page: results of the library as plain JSON types.

Modules that need NumPy or Polars are imported where they are used, so that the rest also runs in a browser.
"""

from __future__ import annotations

import contextlib
import csv
from contextlib import ExitStack
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import macrof1
from macrof1.auditing.audit_results import AuditResult
from macrof1.auditing.audited_tables import AuditTableResult
from macrof1.auditing.audited_texts import AuditTextResult
from macrof1.auditing.printed_figures import read_ratio, shown_interval
from macrof1.convention import FORMULAS
from macrof1.errors import ColumnError, InputError
from macrof1.reading.distinct import columns_of
from macrof1.reading.leaderboards import is_delimited, named_values, published_classes, read_published
from macrof1.reading.progress import Progress
from macrof1.reporting.audit_documents import range_text
from macrof1.web.models import (
    MOST_SYSTEMS,
    AuditRequest,
    ClassFigures,
    CompareRequest,
    TableRequest,
)
from macrof1.web.uploads import UploadedTable, check_labels, have_headers, read_printed, shared_id

if TYPE_CHECKING:
    from macrof1.comparing.result import CompareResult


def compared(request: CompareRequest, told: Progress | None = None) -> CompareResult:
    """Compare the systems of a request."""
    uploads = [UploadedTable.received(one) for one in (request, *request.more)]
    with ExitStack() as stack:
        if len(uploads) > 1 and all(one.is_matrix() for one in uploads):
            matrices = {one.shown.partition(".")[0] or one.shown: _matrix_counts(one) for one in uploads}
            found: CompareResult = macrof1.compare(matrices, test=request.test)
            return found
        header = len(uploads) == 1 or have_headers(uploads)
        tables = [stack.enter_context(one.opened(header=header)) for one in uploads]
        plain = not (request.gold or request.systems or request.weight) and request.missing == "error"
        if plain and len(tables) == 1 and len(published_classes(tables[0].columns)) >= 2:  # needs only plain Python
            from macrof1.comparing.published import compare_published

            systems = read_published(tables[0], by=request.by or None)
            _check_most_systems(len(systems))
            return compare_published(systems)
        from macrof1.comparing.inputs import compare_inputs
        from macrof1.request import Request

        first = tables[0]
        by = columns_of(first, [request.by])[request.by] if request.by in first.columns else None
        if len(tables) == 1:
            _check_most_systems(len(first.columns) - 1 if by is None else len(set(map(str, by))))
        for table in tables:
            with contextlib.suppress(ColumnError):  # a leaderboard does not have this column
                check_labels(table, {"gold": request.gold or None})
        asked = Request(
            files=tuple(tables),
            gold=request.gold or None,
            systems=tuple(next(csv.reader([request.systems]), [])) or None,
            by=(request.by,) if request.by else (),
            count=(request.weight or None) if request.by else None,
            sample_weight=None if request.by else request.weight or None,
            labels_are_text=True,
            missing=request.missing,
            id=shared_id(tables) if len(tables) > 1 else None,
        )
        return compare_inputs(asked, test=request.test, progress=told)


def _matrix_counts(upload: UploadedTable) -> Any:
    """Return the counts of a system's matrix; both scores are the same whatever its rows are."""
    found = read_printed(upload.text or "", upload.shown, "gold")
    return macrof1.score_matrix(found.matrix, rows="predicted", labels=found.labels).counts


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
    from macrof1.paper.experiments import PARTS
    from macrof1.paper.simulation import Settings
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
        claims=[claim.to_dict() for part in parts.values() for claim in part.claims],
        tables=parts["tables"].summary["tables"],
        figures=[{"name": name, "caption": _CAPTIONS.get(name, name), "chart": svg} for name, svg in drawn.items()],
        seeds=settings.seeds,
        command="mf1 reproduce",
    )
    return _paper
