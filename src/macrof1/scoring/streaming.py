"""Scoring batches in a loop: the accumulator of `macrof1.counting.batches`, with scores."""

from __future__ import annotations

from macrof1.convention import ClassSet, Undefined
from macrof1.counting.batches import CountAccumulator
from macrof1.scoring.macro import score_counts
from macrof1.scoring.result import ScoreResult


class Accumulator(CountAccumulator):
    """Both macro F1s of data that arrives in batches; exact however the batches are cut.

    Parameters
    ----------
    labels
        The class set, in order; what was seen, when left out.
    missing
        Rows without a label: ``"error"``, ``"drop"`` (and report) or ``"label"`` (a class of its own).

    Notes
    -----
    Memory grows with the distinct pairs of labels. Weights are added without rounding, whole or real, so that
    neither the size nor the order of the batches, nor the order of merges, changes a bit.

    Examples
    --------
    >>> accumulator = Accumulator()
    >>> for gold, pred in [(["cat", "cat"], ["cat", "dog"]), (["dog", "dog"], ["dog", "dog"])]:
    ...     _ = accumulator.update(gold, pred)
    >>> round(accumulator.score().averaged_f1, 4), accumulator.n_rows
    (0.7333, 4)
    >>> other = Accumulator().update(["bird"], ["bird"])
    >>> accumulator.merge(other).score().n_classes
    3
    """

    def score(self, *, classes: ClassSet = "union", undefined: Undefined = 0, beta: float = 1.0) -> ScoreResult:
        """Score all batches so far; parameters as in `macrof1.score`."""
        return score_counts(self.counts(), classes=classes, undefined=undefined, beta=beta)
