"""Why two systems flip: their classes side by side, and the class that decides."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import macrof1
from macrof1.bounding.closed_forms import harmonic_mean
from macrof1.errors import InputError
from macrof1.labels import label_text
from macrof1.reading.leaderboards import published_classes, read_published
from macrof1.web.models import FlipRequest
from macrof1.web.uploads import UploadedTable, read_pair, read_predictions, read_printed


class ClassScore(NamedTuple):
    """One class of one system, and its share of the system's gap."""

    precision: float
    recall: float
    f1: float
    gap_share: float


def flip_answer(request: FlipRequest) -> dict[str, Any]:
    """Compare two systems class by class: both scores, and the class that makes the formulas disagree."""
    found = {name: _classes(request, name) for name in (request.a, request.b)}
    ours, theirs = found[request.a], found[request.b]
    labels = [label for label in ours if label in theirs]
    systems = {name: _scores([classes[label] for label in labels]) for name, classes in found.items()}
    records = [{"label": label, "a": ours[label]._asdict(), "b": theirs[label]._asdict()} for label in labels]
    # The formulas disagree by the difference of the gaps: the class with the largest part of it decides.
    wider, other = sorted((request.a, request.b), key=lambda name: -systems[name]["gap"])
    decides = max(labels, key=lambda label: found[wider][label].gap_share - found[other][label].gap_share)
    return {
        "a": {"name": request.a, **systems[request.a]},
        "b": {"name": request.b, **systems[request.b]},
        "classes": records,
        "decides": decides,
        "sentence": _sentence(decides, wider, found[wider][decides], other, found[other][decides]),
    }


def _sentence(label: str, wider: str, ours: ClassScore, other: str, theirs: ClassScore) -> str:
    high, low = ("precision", "recall") if ours.precision >= ours.recall else ("recall", "precision")
    return (
        f"Class {label} decides: {wider} has {high} {getattr(ours, high):.4f} but {low} {getattr(ours, low):.4f} "
        f"there, so F1 {ours.f1:.4f}; {other} has F1 {theirs.f1:.4f}. Averaged F1 counts that F1; F1 of averages lets "
        f"the {high} of one class make up for the {low} of another."
    )


def _scores(classes: list[ClassScore]) -> dict[str, float]:
    n = len(classes)
    precision, recall = (math.fsum(getattr(one, side) for one in classes) / n for side in ("precision", "recall"))
    averaged = math.fsum(one.f1 for one in classes) / n
    return {
        "averaged_f1": averaged,
        "f1_of_averages": harmonic_mean(precision, recall),
        "gap": math.fsum(one.gap_share for one in classes),
        "macro_precision": precision,
        "macro_recall": recall,
    }


def _classes(request: FlipRequest, name: str) -> dict[str, ClassScore]:
    """Return the classes of one system, read from wherever its predictions or figures are."""
    uploads = [UploadedTable.received(one) for one in (request, *request.more)]
    if len(uploads) > 1:
        matrices = all(one.is_matrix() for one in uploads)
        own = _known({one.shown.partition(".")[0]: one for one in (uploads if matrices else uploads[1:])}, name)
        found = (
            read_printed(own.text or "", own.shown, "gold")
            if matrices
            else read_pair(uploads[0], own, gold=request.gold or None, pred=None)
        )
        return _of_matrix(found.labels, found.matrix)
    with uploads[0].opened() as table:
        if len(published_classes(table.columns)) >= 2 and not request.gold:
            systems = read_published(table, by=request.by or None)
            return _of_ratios({str(label): pair for label, pair in _known(systems, name).items()})
    if request.by:
        from macrof1.counting.tables import count_file_groups

        with uploads[0].opened() as table:
            groups = count_file_groups(
                [table], by=[request.by], gold=request.gold or None, weight=request.weight or None
            ).groups
        counts = _known({str(key[0]): counts for key, counts in groups}, name)
        return _of_ratios(
            {label_text(one.label): (one.precision, one.recall) for one in macrof1.score_counts(counts).per_class}
        )
    matrix = read_predictions(uploads[0], gold=request.gold or None, pred=name, weight=request.weight or None)
    return _of_matrix(matrix.labels, matrix.matrix)


def _known(systems: dict[str, Any], name: str) -> Any:
    if name not in systems:
        raise InputError.unknown_value("system", name, systems)
    return systems[name]


def _of_matrix(labels: list[str], matrix: list[list[int | float]]) -> dict[str, ClassScore]:
    found = macrof1.score_matrix(matrix, rows="predicted", labels=labels).per_class
    return _of_ratios({str(one.label): (one.precision, one.recall) for one in found})


def _of_ratios(classes: dict[str, tuple[float, float]]) -> dict[str, ClassScore]:
    """Add F1 and the share of the gap: 2/n times the squared distance from the common leaning, weighted by P + R."""
    total = math.fsum(p + r for p, r in classes.values())
    centre = math.fsum(p for p, _ in classes.values()) / total if total else 0.0
    return {
        label: ClassScore(
            p, r, harmonic_mean(p, r), 2 / len(classes) * (p + r) * (p / (p + r) - centre) ** 2 if p + r else 0.0
        )
        for label, (p, r) in classes.items()
    }
