"""Both macro F1s from the precision and recall of each class, as papers and leaderboards print them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from macrof1.bounding.closed_forms import harmonic_mean
from macrof1.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedScore:
    """Scores computed from published precision and recall."""

    averaged_f1: float
    f1_of_averages: float
    gap: float
    labels: tuple[str, ...]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.labels)


def published_score(name: str, classes: Mapping[str, tuple[float, float]]) -> PublishedScore:
    """Compute both macro F1s of one system.

    The gap is 2 (P̄ + R̄) times the variance of P / (P + R) over classes, weighted by P + R: never negative.

    Examples
    --------
    >>> round(published_score("x", {"yes": (0.5, 1.0), "no": (1.0, 0.5)}).gap, 4)
    0.0833
    """
    if not classes:
        raise InputError(f"system {name!r} has no classes", expected="precision and recall of each class")
    for label, pair in classes.items():
        usable = len(pair) == 2 and all(isinstance(value, (int, float)) and 0 <= value <= 1 for value in pair)
        if not usable:
            raise InputError(
                f"system {name!r}, class {label!r}: found {pair!r}",
                given=pair,
                expected="precision and recall between 0 and 1",
            )
    n = len(classes)
    mean_p = math.fsum(p for p, _ in classes.values()) / n
    mean_r = math.fsum(r for _, r in classes.values()) / n
    weights = [(p + r, p / (p + r)) for p, r in classes.values() if p + r]
    total = math.fsum(weight for weight, _ in weights)
    centre = math.fsum(weight * lean for weight, lean in weights) / total if total else 0.0
    return PublishedScore(
        averaged_f1=math.fsum(harmonic_mean(float(p), float(r)) for p, r in classes.values()) / n,
        f1_of_averages=harmonic_mean(mean_p, mean_r),
        gap=2 / n * math.fsum(weight * (lean - centre) ** 2 for weight, lean in weights),
        labels=tuple(classes),
    )
