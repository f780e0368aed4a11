"""Scores per row of label sets: what is called sample-averaged or example-based F1."""

from __future__ import annotations

import numpy as np

from macrof1.sampling.patterns import Patterns
from macrof1.scoring.definitions import DefinedScore
from macrof1.scoring.macro import f_of_means


def per_row_scores(patterns: Patterns) -> list[DefinedScore]:
    """Return the mean F1 of rows, and the F1 of their mean precision and recall; rows without labels as 0, and as 1."""
    n = len(patterns.amounts)
    gold = np.bincount(patterns.gold.pattern, minlength=n)
    predicted = np.bincount(patterns.systems[0].pattern, minlength=n)
    hits = np.bincount(patterns.systems[0].pattern, weights=patterns.hits[0], minlength=n)
    found = []
    for undefined in (0, 1):
        ratios = [
            np.where(below > 0, above / np.maximum(below, 1), float(undefined))
            for above, below in ((2 * hits, gold + predicted), (hits, predicted), (hits, gold))
        ]
        f1, precision, recall = (float(np.average(ratio, weights=patterns.amounts)) for ratio in ratios)
        option, words = ("", "") if not undefined else ("(undefined=1)", ", undefined ratios as 1")
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
