"""Both macro F1s of small matrices in exact fractions, straight from the paper's definitions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from macrof1.bounding.closed_forms import harmonic_mean

Margins: TypeAlias = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class ExactScores:
    """Per-class precision and recall as fractions, and what follows from them."""

    precision: tuple[Fraction, ...]
    recall: tuple[Fraction, ...]

    @classmethod
    def of(cls, margins: Sequence[tuple[int, int, int]]) -> ExactScores:
        """Take (tp, predicted, actual) of every class; undefined ratios are 0, as the paper says."""
        return cls(
            tuple(Fraction(t, p) if p else Fraction() for t, p, _ in margins),
            tuple(Fraction(t, g) if g else Fraction() for t, _, g in margins),
        )

    @classmethod
    def of_matrix(cls, matrix: Sequence[Sequence[int]]) -> ExactScores:
        """Take a matrix with predictions as rows."""
        return cls.of(margins_of(matrix))

    @property
    def averaged_f1(self) -> Fraction:
        """Mean of the per-class F1 scores."""
        f1 = (harmonic_mean(p, r) for p, r in zip(self.precision, self.recall, strict=True))
        return sum(f1, Fraction()) / len(self.precision)

    @property
    def f1_of_averages(self) -> Fraction:
        """Harmonic mean of macro precision and macro recall."""
        return harmonic_mean(sum(self.precision, Fraction()), sum(self.recall, Fraction())) / len(self.precision)

    @property
    def gap(self) -> Fraction:
        """F1 of averages minus averaged F1."""
        return self.f1_of_averages - self.averaged_f1

    @property
    def lemma(self) -> Fraction:
        """The gap as given by the paper's Lemma: a sum over pairs of classes."""
        some = [(p, r) for p, r in zip(self.precision, self.recall, strict=True) if p + r]
        pairs = sum(
            ((p * s - q * r) ** 2 / ((p + r) * (q + s)) for (p, r), (q, s) in itertools.combinations(some, 2)),
            Fraction(),
        )
        return 2 * pairs / (len(self.precision) * sum(p + r for p, r in some)) if pairs else Fraction()


def margins_of(matrix: Sequence[Sequence[int]]) -> Margins:
    """Return (tp, predicted, actual) of every class of a matrix with predictions as rows."""
    return tuple((matrix[x][x], sum(matrix[x]), sum(row[x] for row in matrix)) for x in range(len(matrix)))
