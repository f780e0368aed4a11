"""The two formulas in exact fractions, written exactly as the paper defines them."""

import re
from fractions import Fraction
from itertools import combinations

from macrof1.counting.engines import count_frame_groups
from macrof1.counting.label_tables import count_tables
from macrof1.request import Request


def without_digests(value):
    """Return what a result says except for digests of gold, which lines of several rows do not have."""
    if isinstance(value, dict):
        return {name: without_digests(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_digests(part) for part in value]
    return re.sub(r"\|gold:[^|]*", "", value) if isinstance(value, str) else value


def over(part, whole, undefined=0):
    return Fraction(part) / Fraction(whole) if whole else Fraction(undefined)


def f_beta(p, r, beta=1):
    square = Fraction(beta) ** 2
    return (1 + square) * p * r / (square * p + r) if square * p + r else Fraction(0)


class Exact:
    """All scores of tp, predicted and actual."""

    def __init__(self, tp, predicted, actual, *, beta=1, undefined=0):
        n = len(tp)
        self.n = n
        self.precision = [over(t, p, undefined) for t, p in zip(tp, predicted, strict=True)]
        self.recall = [over(t, g, undefined) for t, g in zip(tp, actual, strict=True)]
        self.f = [f_beta(p, r, beta) for p, r in zip(self.precision, self.recall, strict=True)]
        self.macro_precision = sum(self.precision) / n
        self.macro_recall = sum(self.recall) / n
        self.averaged_f1 = sum(self.f) / n
        self.f1_of_averages = f_beta(self.macro_precision, self.macro_recall, beta)
        self.gap = self.f1_of_averages - self.averaged_f1

    @classmethod
    def of_matrix(cls, matrix, *, beta=1, undefined=0):
        """Take a matrix with predictions as rows."""
        n = len(matrix)
        tp = [matrix[x][x] for x in range(n)]
        predicted = [sum(row) for row in matrix]
        actual = [sum(row[x] for row in matrix) for x in range(n)]
        return cls(tp, predicted, actual, beta=beta, undefined=undefined)

    def lemma(self):
        """The paper's Lemma: the gap as a sum over pairs of classes."""
        sums = [p + r for p, r in zip(self.precision, self.recall, strict=True)]
        some = [x for x in range(self.n) if sums[x]]
        pairs = sum(
            (self.precision[x] * self.recall[y] - self.precision[y] * self.recall[x]) ** 2 / (sums[x] * sums[y])
            for x, y in combinations(some, 2)
        )
        return 2 * Fraction(pairs) / (self.n * sum(sums)) if pairs else Fraction(0)


def close(value: float, exact: Fraction, *, relative=1e-15):
    """Whether a float is within a relative error of an exact value; 0 must be 0."""
    if exact == 0:
        return value == 0
    return abs(Fraction(value) - exact) <= Fraction(relative) * abs(exact)


def count_file(source, **options):
    """Count prediction files, as every job does, and each group of rows if there are groups."""
    found = count_tables(source, Request(**options))
    return found if found.by else found.total


def count_frame(df, **options):
    """Count a data frame in its own engine."""
    return count_frame_groups(df, by=(), **options).total
