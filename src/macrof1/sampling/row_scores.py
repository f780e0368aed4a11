"""Scores per row of label sets: known as sample-averaged or example-based F1."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from macrof1.counting.set_counts import SetRows
from macrof1.sampling.patterns import Patterns
from macrof1.scoring.definitions import DefinedScore
from macrof1.scoring.macro import f_of_means


class RowSizes(NamedTuple):
    """Label counts of the distinct kinds of rows: gold, predicted and both; and how many such rows there are."""

    gold: NDArray[Any]
    predicted: NDArray[Any]
    hits: NDArray[Any]
    amounts: NDArray[Any]

    @classmethod
    def of(cls, patterns: Patterns) -> RowSizes:
        """Count the labels of patterns."""
        n, told = len(patterns.amounts), patterns.systems[0].pattern
        return cls(
            np.bincount(patterns.gold.pattern, minlength=n),
            np.bincount(told, minlength=n),
            np.bincount(told, weights=patterns.hits[0], minlength=n),
            patterns.amounts,
        )

    @classmethod
    def of_rows(cls, rows: object) -> RowSizes | None:
        """Count the labels of the sets behind counts; None for rows with one label, or if only columns were summed."""
        if not isinstance(rows, SetRows) or not rows.cells:
            return None
        sizes = [(len(each.gold), len(each.pred), len(each.gold & each.pred), each.amount) for each in rows.cells]
        return cls(*map(np.array, zip(*sizes, strict=True)))


def per_row_scores(sizes: RowSizes | None) -> list[DefinedScore]:
    """Return the mean F1 of rows, and the F1 of their mean precision and recall; undefined ratios as 0, and as 1."""
    if sizes is None:
        return []
    gold, predicted, hits, amounts = sizes
    found = []
    for undefined in (0, 1):
        ratios = [
            np.where(below > 0, above / np.maximum(below, 1), float(undefined))
            for above, below in ((2 * hits, gold + predicted), (hits, predicted), (hits, gold))
        ]
        f1, precision, recall = (float(np.average(ratio, weights=amounts)) for ratio in ratios)
        option, words = ("", "") if not undefined else ("(undefined=1)", " where undefined ratios count as 1")
        found += [
            DefinedScore(definition=f"mean over rows of f1{option}", value=f1, words=f"mean F1 of rows{words}"),
            DefinedScore(
                definition=f"f1 of mean precision and recall over rows{option}",
                value=f_of_means(precision, recall, 1.0),
                words=f"F1 of the mean precision and recall of rows{words}",
            ),
        ]
        if np.all(gold) and np.all(predicted):
            break
    return found
