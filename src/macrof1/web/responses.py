"""What the page is told: results of the library as plain JSON types, and charts as drawings."""

from __future__ import annotations

import csv
from functools import cache
from threading import Lock
from typing import Any

import macrof1
from macrof1.auditing.figures import Rounding, read_ratio
from macrof1.bounding.closed_forms import lowest_averaged_f1
from macrof1.comparing.inputs import Inputs, compare_inputs
from macrof1.counting.confusion import Confusion
from macrof1.errors import InputError
from macrof1.labels import dropped_note, label_text
from macrof1.reading.leaderboards import published_classes
from macrof1.reading.rows import columns_of
from macrof1.reading.tables import TableFile
from macrof1.reporting.charts.look import following, picture
from macrof1.scoring.definitions import score_conventions
from macrof1.scoring.gap import spread
from macrof1.scoring.ratios import select
from macrof1.scoring.result import ScoreResult
from macrof1.web.limits import MOST_CLASSES_DRAWN, MOST_COUNT, MOST_SYSTEMS, MOST_TABLE_ROWS
from macrof1.web.models import AuditRequest, CompareRequest, MatrixRequest, TableRequest
from macrof1.web.uploads import DroppedTable


def scored(request: MatrixRequest) -> ScoreResult:
    """Score the matrix of a request."""
    return macrof1.score_matrix(
        request.matrix, rows=request.rows, labels=request.labels, undefined=request.undefined, beta=request.beta
    )


def score_answer(result: ScoreResult) -> dict[str, Any]:
    """Say everything that the Matrix view shows."""
    content = result.to_dict()
    columns = select(result.counts, result.convention)
    leanings = spread(columns, result.convention).leanings()
    for record, leaning in zip(content["per_class"], leanings, strict=True):
        record["leaning"] = "over-precise" if leaning > 0 else "over-recalled" if leaning < 0 else "neither"
    drawn = result.n_classes <= MOST_CLASSES_DRAWN
    return {
        **content,
        "range": _range(result),
        "pairs": [
            {
                "over_precise": label_text(pair.over_precise),
                "over_recalled": label_text(pair.over_recalled),
                "contribution": pair.contribution,
            }
            for pair in result.pairs(most=None if drawn else 40)
        ],
        "all_pairs": drawn,
        "conventions": score_conventions(result.counts).to_dict() if result.beta == 1 else None,
    }


def _range(result: ScoreResult) -> dict[str, float] | None:
    """Return what macro precision and macro recall alone leave for averaged F1; known for F1 only."""
    if result.beta != 1:
        return None
    low = lowest_averaged_f1(result.macro_precision, result.macro_recall, result.n_classes)
    # Averaged F1 can be the lowest possible one, and the two are rounded differently.
    return {"low": min(low, result.averaged_f1), "high": result.f1_of_averages}


def matrix_answer(cells: Confusion, kind: str) -> dict[str, Any]:
    """Hand over a matrix that was read, predictions as rows."""
    labels = [label_text(label) for label in cells.labels]
    if len(set(labels)) != len(labels):
        raise InputError("two labels differ in type only, such as 1 and '1': expected labels that differ as text")
    matrix = cells.to_matrix(rows="predicted").tolist()
    if max(map(max, matrix)) > MOST_COUNT:
        raise InputError(f"a cell holds more than {MOST_COUNT:,}: expected counts up to that; mf1 score takes more")
    notes = [dropped_note(cells.n_dropped)] if cells.n_dropped else []
    return {"labels": labels, "matrix": matrix, "rows": "predicted", "read_as": kind, "notes": notes}


@cache
def plane_answer() -> dict[str, Any]:
    """Return the contours of equal F1."""
    from macrof1.reporting.charts.plane import f1_contours

    lines: dict[float, list[list[float]]] = {}
    for point in f1_contours():
        lines.setdefault(point["level"], []).append([point["p"], point["r"]])
    return {"contours": [{"level": level, "points": points} for level, points in lines.items()]}


def drawing(chart: Any) -> str:
    """Draw a chart; the page shows it as an image, where nothing in it can act."""
    return following(picture(chart, "svg").decode("utf-8"))


def compared(request: CompareRequest) -> macrof1.results.CompareResult:
    """Compare the systems of a request."""
    dropped = DroppedTable.received(request)
    with dropped.opened() as table:
        inputs = Inputs(
            files=[table],
            gold=request.gold or None,
            systems=next(csv.reader([request.systems]), []) or None,
            by=request.by or None,
            weight=request.weight or None,
        )
        _check_number_of_systems(request, table)
        return compare_inputs(
            inputs,
            classes="union",
            undefined=0,
            beta=1.0,
            confidence_level=0.95,
            method="delta",
            test=request.test,
            n_resamples=1000,
            rng=0,
        )


def _check_number_of_systems(request: CompareRequest, table: TableFile) -> None:
    """Refuse more systems than can be compared while somebody waits."""
    if request.by in table.columns:
        n = len(set(map(str, columns_of(table, [request.by])[request.by])))
    elif len(published_classes(table.columns)) >= 2:
        n = len(columns_of(table, table.columns[:1])[table.columns[0]])
    else:
        n = len(table.columns) - 1
    if n > MOST_SYSTEMS:
        raise InputError(f"{n:,} systems: expected at most {MOST_SYSTEMS}; mf1 compare takes more")


def compare_answer(result: macrof1.results.CompareResult) -> dict[str, Any]:
    """Say everything that the Compare view shows."""
    from macrof1.reporting.charts.slope import slope_chart
    from macrof1.reporting.comparisons import headline, render_comparison, verdict

    return {
        **result.to_dict(),
        "headline": headline(result),
        "verdict": verdict(result),
        "latex": render_comparison(result, "latex"),
        "chart": drawing(slope_chart(result)),
    }


def audited(request: AuditRequest) -> macrof1.results.AuditResult:
    """Audit what was typed."""
    per_class = {}
    for figures in request.per_class:
        if not figures.label.strip():
            raise InputError("a class without a name: expected a name beside its figures")
        if figures.label in per_class:
            raise InputError(f"class {figures.label!r} is there twice: expected every class once")
        per_class[figures.label] = {
            name: value for name in ("precision", "recall", "f1") if (value := getattr(figures, name).strip())
        }
    support = {figures.label: figures.support for figures in request.per_class if figures.support.strip()}
    printed = {
        name: value
        for name in ("precision", "recall", "f1", "accuracy", "correct", "total")
        if (value := getattr(request, name).strip())
    }
    return macrof1.audit(
        **printed,
        n_classes=request.n_classes,
        per_class={label: figures for label, figures in per_class.items() if figures},
        support=support,
        percent=request.percent,
        rounding=request.rounding,
        task=request.task,
    )


def audit_answer(result: macrof1.results.AuditResult, *, rounding: Rounding = "round") -> dict[str, Any]:
    """Say everything that the Audit view shows of one report; also which values are printed as macro F1 is."""
    printed = None
    if result.published is not None:
        figure = read_ratio(result.published, "macro F1", percent=result.percent, rounding=rounding)
        printed = [float(end) for end in figure.bounds]
    return {"kind": "figures", **result.to_dict(), "published_interval": printed}


def audited_table(request: TableRequest) -> macrof1.results.AuditTableResult:
    """Audit a leaderboard."""
    dropped = DroppedTable.received(request)
    table = dropped.rows()
    if len(table.rows) > MOST_TABLE_ROWS:
        raise InputError(f"{len(table.rows):,} rows: expected at most {MOST_TABLE_ROWS:,}; mf1 audit takes more")
    return macrof1.audit_table(
        table,
        support=_pairs(request.support, "cat=120,dog=80"),
        columns=_pairs(request.columns, "macro_f1=F-Score,name=Team"),
        rounding=request.rounding,
    )


def table_answer(result: macrof1.results.AuditTableResult) -> dict[str, Any]:
    """Say everything that the Audit view shows of a leaderboard."""
    from macrof1.reporting.charts.audits import formulas_chart

    rows = [row for row in result.rows if row.result.averaged_f1 is not None][:60]
    return {"kind": "table", **result.to_dict(), "chart": drawing(formulas_chart(rows)) if rows else None}


def _pairs(text: str, example: str) -> dict[str, str]:
    from macrof1.reading.leaderboards import named_values

    return named_values(text or None, "the field", example)


_note: dict[str, Any] = {}
_note_lock = Lock()

_CAPTIONS = {
    "fig1a": "Figure 1a: a random classifier on 1,000 data sets, classes 95/5",
    "fig1b": "Figure 1b: the gap for other class distributions",
    "fig2": "Figure 2: skewed gold classes, errors spread evenly",
    "fig3": "Figure 3: balanced gold classes, skewed errors",
    "plane": "Where Figure 2's gap comes from: the 13 classes at its maximum",
    "theorem3": "Theorem 3: the gap approaches its supremum",
}


def note_answer() -> dict[str, Any]:
    """Run the note's experiments again, once: quickly, with few seeds and coarse grids."""
    with _note_lock:
        if not _note:
            from macrof1.paper.claims import claims
            from macrof1.paper.experiments import PARTS
            from macrof1.paper.figures import Settings

            settings = Settings(seed=0, seeds=3, quick=True)
            parts = {name: part(settings) for name, part in PARTS.items()}
            drawn = {
                name.removesuffix(".svg"): following(content.decode("utf-8"))
                for part in parts.values()
                for name, content in part.files.items()
                if name.endswith(".svg")
            }
            _note.update(
                {
                    "claims": [claim.to_dict() for claim in claims({name: p.summary for name, p in parts.items()})],
                    "tables": parts["tables"].summary["tables"],
                    "figures": [
                        {"name": name, "caption": _CAPTIONS.get(name, name), "chart": svg}
                        for name, svg in drawn.items()
                    ],
                    "seeds": settings.seeds,
                    "command": "mf1 reproduce",
                }
            )
    return _note
