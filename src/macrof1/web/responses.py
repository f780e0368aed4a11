"""Answers for the page: results of the library as plain JSON types.

Modules that need NumPy or Polars are imported where they are used, so that the rest also runs in a browser.
"""

from __future__ import annotations

import contextlib
import csv
import math
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import macrof1
from macrof1.auditing.audit_results import AuditResult
from macrof1.auditing.audited_tables import AuditTableResult
from macrof1.auditing.audited_texts import AuditTextResult
from macrof1.auditing.printed_figures import read_ratio, shown_interval
from macrof1.bounding.closed_forms import harmonic_mean
from macrof1.convention import FORMULAS
from macrof1.counts import noun_of
from macrof1.errors import ColumnError, InputError
from macrof1.labels import label_text
from macrof1.message import Note
from macrof1.reading.distinct import columns_of
from macrof1.reading.files import Progress
from macrof1.reading.leaderboards import is_delimited, named_values, published_classes, read_published
from macrof1.reading.matrix_files import parse_printed_matrix
from macrof1.reporting.audit_documents import range_text
from macrof1.request import Request
from macrof1.web.models import MOST_SYSTEMS, AuditRequest, ClassFigures, CompareRequest, FlipRequest, TableRequest
from macrof1.web.uploads import UploadedTable, check_labels, have_headers, read_pair, read_predictions

if TYPE_CHECKING:
    from macrof1.comparing.compared import CompareResult

_CAPTIONS = {
    "fig1a": "Figure 1a: a random classifier on 1,000 data sets, classes 95/5",
    "fig1b": "Figure 1b: the gap for other class distributions",
    "fig2": "Figure 2: skewed gold classes, errors spread evenly",
    "fig3": "Figure 3: balanced gold classes, skewed errors",
}
_paper: dict[str, Any] = {}
Found = TypeVar("Found")
Classes = dict[str, dict[str, float]]


def compared(request: CompareRequest, told: Progress | None = None) -> CompareResult:
    """Compare the systems of a request."""
    uploads = [UploadedTable.received(one) for one in (request, *request.more)]
    if len(uploads) > 1 and all(one.is_matrix() for one in uploads):
        scores = {one.system: one.scores() for one in uploads}
        found: CompareResult = macrof1.compare({name: one.counts for name, one in scores.items()}, test=request.test)
        doubts = ((name, note) for name, one in scores.items() for note in one.notes)
        notes = [Note(f"{name}: {note}", code="normalized_matrix") for name, note in doubts]
        return replace(found, notes=(*found.notes, *notes))
    with ExitStack() as stack:
        header = len(uploads) == 1 or have_headers(uploads)
        tables = [stack.enter_context(one.opened(header=header)) for one in uploads]
        plain = not (request.gold or request.systems or request.weight) and request.missing == "error"
        if plain and len(tables) == 1 and len(published_classes(tables[0].columns)) >= 2:  # needs only plain Python
            from macrof1.comparing.ranking import compare_published

            systems = read_published(tables[0], by=request.by or None)
            _check_most_systems(len(systems))
            return compare_published(systems)
        from macrof1.running.jobs import run_compare

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
            over=request.over or None,
            positive=request.positive or None,
            missing=request.missing,
        )
        return run_compare(asked, test=request.test, progress=told)


def _check_most_systems(n: int) -> None:
    if n > MOST_SYSTEMS:
        raise InputError(f"{n:,} systems", expected=f"at most {MOST_SYSTEMS}", hint="mf1 compare takes more")


def compare_answer(request: CompareRequest, told: Progress | None = None) -> dict[str, Any]:
    """Compare the systems of a table under both formulas."""
    from macrof1.reporting.comparison_documents import headline, verdict
    from macrof1.reporting.rendering import document, render

    result = compared(request, told)
    latex = render(document(result), "latex")
    return {**result.to_dict(), "headline": headline(result), "verdict": verdict(result), "latex": latex}


def flip_answer(request: FlipRequest) -> dict[str, Any]:
    """Compare two systems class by class: both scores, and the class that makes the formulas disagree."""
    uploads = [UploadedTable.received(one) for one in (request, *request.more)]
    matrices = len(uploads) > 1 and all(one.is_matrix() for one in uploads)
    found = {name: _classes(request, name, uploads, matrices=matrices) for name in (request.a, request.b)}
    labels = [label for label in found[request.a] if label in found[request.b]]
    systems = {}
    for name, classes in found.items():
        own = [classes[label] for label in labels]
        means = {key: math.fsum(one[key] for one in own) / len(own) for key in ("precision", "recall", "f1")}
        systems[name] = {
            "averaged_f1": means["f1"],
            "f1_of_averages": harmonic_mean(means["precision"], means["recall"]),
            "gap": math.fsum(one["gap_share"] for one in own),
            "macro_precision": means["precision"],
            "macro_recall": means["recall"],
        }
    # The formulas disagree by the difference of the gaps: the class with the largest part of it decides.
    wider, other = sorted((request.a, request.b), key=lambda name: -systems[name]["gap"])
    decides = max(labels, key=lambda label: found[wider][label]["gap_share"] - found[other][label]["gap_share"])
    ours, theirs = found[wider][decides], found[other][decides]
    high, low = ("precision", "recall") if ours["precision"] >= ours["recall"] else ("recall", "precision")
    unit = noun_of(request.over or None).one
    untold = matrices and not all(parse_printed_matrix(upload.text or "").rows for upload in uploads)
    return {
        "a": {"name": request.a, **systems[request.a]},
        "b": {"name": request.b, **systems[request.b]},
        "classes": [{"label": one, "a": found[request.a][one], "b": found[request.b][one]} for one in labels],
        "unit": unit,
        "decides": decides,
        "sentence": (
            f"{unit.capitalize()} {decides} decides: {wider} has {high} {ours[high]:.4f} but {low} {ours[low]:.4f} "
            f"there, so F1 {ours['f1']:.4f}; {other} has F1 {theirs['f1']:.4f}. Averaged F1 counts that F1; F1 of "
            f"averages lets the {high} of one {unit} make up for the {low} of another."
            + (" Rows of the matrices are read as gold classes; if not, swap precision and recall." if untold else "")
        ),
    }


def _classes(request: FlipRequest, name: str, uploads: list[UploadedTable], *, matrices: bool) -> Classes:
    """Return the classes of one system, read from wherever its predictions or figures are, with their gap shares."""
    gold, weight = request.gold or None, request.weight or None
    how = {"over": request.over or None, "positive": request.positive or None, "missing": request.missing}
    if len(uploads) > 1:
        own = _known({one.system: one for one in (uploads if matrices else uploads[1:])}, name)
        scores = own.scores() if matrices else read_pair(uploads[0], own, gold=gold, pred=None, **how).scores()
    else:
        with uploads[0].opened() as table:
            if len(published_classes(table.columns)) >= 2 and not gold:
                return _with_shares(_known(read_published(table, by=request.by or None), name))
            if request.by:
                from macrof1.counting.label_tables import count_tables

                groups = count_tables([table], Request(by=(request.by,), gold=gold, count=weight)).groups
                scores = macrof1.score_counts(_known({str(key[0]): counts for key, counts in groups}, name))
        if not request.by:
            scores = read_predictions(uploads[0], gold=gold, pred=name, weight=weight, **how).scores()
    return _with_shares({one.label: (one.precision, one.recall) for one in scores.per_class})


def _known(systems: dict[str, Found], name: str) -> Found:
    found: Found = systems[InputError.one_of("system", name, systems)]
    return found


def _with_shares(classes: dict[Any, tuple[float, float]]) -> Classes:
    """Add F1 and the share of the gap: 2/n times the squared distance from the common leaning, weighted by P + R."""
    total = math.fsum(p + r for p, r in classes.values())
    centre = math.fsum(p for p, _ in classes.values()) / total if total else 0.0
    found = {}
    for label, (p, r) in classes.items():
        share = 2 / len(classes) * (p + r) * (p / (p + r) - centre) ** 2 if p + r else 0.0
        found[label_text(label)] = {"precision": p, "recall": r, "f1": harmonic_mean(p, r), "gap_share": share}
    return found


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
    return {name: value for name in names if (value := getattr(form, name).strip())}


def audit_answer(request: AuditRequest) -> dict[str, Any]:
    """Determine which macro F1 was published, and the range of values that round to the printed one."""
    result = audited(request)
    printed, scale = None, 100 if result.percent else 1
    if result.published is not None:
        figure = read_ratio(result.published, "macro F1", percent=result.percent, rounding=request.rounding)
        printed = (float(figure.bounds[0]), float(figure.bounds[1]))
    shown: dict[str, str | None] = dict.fromkeys((*FORMULAS, "published"))
    for name in shown:  # printed as the reason of the verdict does
        ends = printed if name == "published" else getattr(result, name)
        if ends is not None:
            low, high = (Fraction(repr(end)) for end in ends)  # the shortest digits, as they were read
            shown[name] = shown_interval((low, high), decimals=result.decimals, scale=scale)
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
    kind, rows = ("table", "rows") if isinstance(result, AuditTableResult) else ("text", "reports")
    for row, one in zip(content[rows], getattr(result, rows), strict=True):
        row["shown"] = {formula: range_text(one.result, formula) for formula in FORMULAS}
    return {"kind": kind, **content}


def paper_answer(told: Progress | None = None) -> dict[str, Any]:
    """Re-run the paper's experiments once, quickly: few seeds and coarse grids."""
    if _paper:
        return _paper
    from macrof1.paper.experiments import PARTS
    from macrof1.paper.simulation import Settings
    from macrof1.reporting.charts import following

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
