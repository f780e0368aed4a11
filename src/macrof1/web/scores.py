"""Answers about one matrix: its scores, what other tools print, intervals, and moving a class.

Scores need only plain Python, and few modules: a browser waits for every import.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import macrof1
from macrof1.bounding.closed_forms import lowest_averaged_f1
from macrof1.convention import FORMULAS
from macrof1.counting.confusion import normalized_notes
from macrof1.counts import ClassCounts, Making, noun_of
from macrof1.errors import EmptyError, InputError, MacroF1Error
from macrof1.scoring.gap import spread
from macrof1.scoring.macro import select
from macrof1.scoring.score_result import ScoreResult, score_counts
from macrof1.web.models import MOST_CLASSES_DRAWN, MatrixRequest, MoveRequest, field_name

Matrix = list[list[int | float]]


def scored(request: MatrixRequest) -> ScoreResult:
    """Score the matrix of a request from its per-class counts, which needs only plain Python."""
    if request.counts:
        tp, predicted, actual = request.counts
        counts = ClassCounts(
            labels=request.labels, tp=tp, predicted=predicted, actual=actual, n_rows=request.n_rows, task=request.task,
            making=Making(facts=tuple((name, value) for name, value in request.facts)),
        )  # fmt: skip
        return score_counts(counts, undefined=request.undefined, beta=request.beta)
    real = any(isinstance(cell, float) for row in request.matrix for cell in row)
    table = [list(map(float, row)) for row in request.matrix] if real else request.matrix
    add: Callable[[Iterable[float]], Any] = math.fsum if real else sum
    rows, columns = ([add(line) for line in side] for side in (table, zip(*table, strict=True)))
    predicted, actual = (rows, columns) if request.rows == "predicted" else (columns, rows)
    total = add(rows)
    if not total:
        raise EmptyError("the confusion matrix holds only zeros", expected="at least one row of data")
    hits = [row[place] for place, row in enumerate(table)]
    n_rows = total if isinstance(total, int) else None
    counts = ClassCounts.of(request.labels, tp=hits, predicted=predicted, actual=actual, n_rows=n_rows)
    return score_counts(counts, undefined=request.undefined, beta=request.beta)


def score_answer(request: MatrixRequest) -> dict[str, Any]:
    """Score a confusion matrix under both formulas."""
    result = scored(request)
    content = result.to_dict()
    # As a matrix gets on the command line.
    doubts = () if request.counts else normalized_notes(result.counts.actual, result.counts.predicted)
    content["notes"] += map(str, doubts)
    content["note_codes"] += [note.code for note in doubts]
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
        "unit": noun_of(result.counts.over),
        "range": possible,
        "pairs": [pair.to_dict() for pair in result.pairs(most=None if drawn else 40)],
        "all_pairs": drawn,
    }


def conventions_answer(request: MatrixRequest) -> dict[str, Any]:
    """Return what other systems would print for a matrix, grouped by value, each with its reason."""
    from macrof1.scoring.system_scores import score_conventions

    if request.beta != 1:
        return {"groups": [], "notes": []}
    content = score_conventions(scored(request).counts).to_dict()
    return {"groups": content["groups"], "notes": content["notes"]}


def scored_cells(request: MatrixRequest) -> ScoreResult:
    """Score the matrix of a request with its cells, from which intervals are computed; or units, which are a sample."""
    if request.counts:
        return scored(request)
    return macrof1.score_matrix(
        request.matrix, rows=request.rows, labels=request.labels, undefined=request.undefined, beta=request.beta
    )


def interval_answer(request: MatrixRequest) -> dict[str, Any]:
    """Compute the uncertainty of both scores of a matrix: intervals, and the sampling noise of the gap."""
    result = scored_cells(request)
    try:
        found = {formula: result.interval(formula) for formula in FORMULAS}
    except MacroF1Error as error:  # weights are no rows: there is nothing to sample
        why = "Intervals need the rows: mf1 score prints them." if request.counts else error.worded(field_name)
        return {**dict.fromkeys(FORMULAS), "noise_floor": None, "notes": [why]}
    return {
        **{formula: [interval.low, interval.high] for formula, interval in found.items()},
        "noise_floor": result.noise_floor,
        "notes": list(dict.fromkeys(note for interval in found.values() for note in interval.notes)),
    }


def move_answer(request: MoveRequest) -> dict[str, Any]:
    """Return the matrix that gives a class a new precision and recall, keeping the gold sizes."""
    given = _turned(request.matrix) if request.rows == "gold" else request.matrix
    found = moved_class(given, request.place, precision=request.precision, recall=request.recall)
    matrix = _turned(found) if request.rows == "gold" else found
    return {"labels": request.labels, "matrix": matrix, "rows": request.rows}


def _turned(matrix: Matrix) -> Matrix:
    return [list(column) for column in zip(*matrix, strict=True)]


def moved_class(matrix: Matrix, place: int, *, precision: float, recall: float) -> Matrix:
    """Return an integer matrix, predictions as rows, in which the class has about this precision and recall.

    The gold size of every class stays the same. Recall determines how many gold rows of the class are found; the missed
    ones are predicted as the other classes, in proportion to where they went before. Precision determines how many rows
    of other classes are predicted as this one: these come from, or return to, the correct rows of those classes.
    """
    n = len(matrix)
    if not 0 <= place < n:
        raise InputError(f"class {place} of {n}", expected="one of the classes")
    found = [list(row) for row in matrix]
    others = [other for other in range(n) if other != place]
    actual = sum(row[place] for row in found)
    if not actual or not others:
        return found
    hits = min(actual, max(0, round(recall * actual)))
    missed = _shared(actual - hits, [found[other][place] for other in others])
    found[place][place] = hits
    for other, rows in zip(others, missed, strict=True):
        found[other][place] = rows
    # What each other class can give: its correct rows and those currently predicted as this class.
    room = [found[other][other] + found[place][other] for other in others]
    wanted = hits / precision - hits if precision > 0 else sum(room)
    before = [found[place][other] for other in others]
    given = _shared(round(min(wanted, sum(room))), before if any(before) else room, room)
    for other, rows, most in zip(others, given, room, strict=True):
        found[place][other] = rows
        found[other][other] = most - rows
    return found


def _shared(total: float, weights: list[int | float], most: list[int | float] | None = None) -> list[int | float]:
    """Distribute rows in proportion to weights, in integers, and within each one's maximum."""
    bounds = most or [total] * len(weights)
    scale = sum(weights)
    shares = [weight / scale if scale else 1 / len(weights) for weight in weights]
    given: list[int | float] = [min(bound, int(total * share)) for bound, share in zip(bounds, shares, strict=True)]
    rest = total - sum(given)
    for place in sorted(range(len(weights)), key=lambda place: -shares[place]):
        more = min(rest, bounds[place] - given[place])
        given[place] += more
        rest -= more
    return given


@cache
def plane_answer() -> dict[str, Any]:
    """Return the F1 contours in the precision–recall plane."""
    from macrof1.reporting.charts import f1_contours

    lines: dict[float, list[list[float]]] = {}
    for point in f1_contours():
        lines.setdefault(point["level"], []).append([point["p"], point["r"]])
    return {"contours": [{"level": level, "points": points} for level, points in lines.items()]}
