"""The end-to-end calls: read, count, score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from macrof1.catalogue.reader import chosen_convention
from macrof1.convention import UNKNOWN_GOLD, ClassSet, Convention, Empty, Task, Undefined
from macrof1.counting import engines
from macrof1.counting.arrays import confusion, tally
from macrof1.counting.batches import CountAccumulator
from macrof1.counting.confusion import Confusion
from macrof1.counting.doubts import check_that_labels_meet, checked_differences
from macrof1.counting.encoding import counted_from_zero, encode
from macrof1.counting.matrix import checked_weights
from macrof1.counting.multilabel import as_rows, count_multilabel, is_matrix, looks_multilabel, paired_rows
from macrof1.counting.named_tables import check_same_index
from macrof1.counting.units import check_over, count_units, holds_sets, is_over_units, rows_of
from macrof1.counts import ClassCounts, Rows, RowSource
from macrof1.errors import CountError, InputError
from macrof1.labels import Missing, checked_labels, label_key
from macrof1.reading.columns import id_column
from macrof1.reading.gold_digest import GoldDigest
from macrof1.sampling.joint import KeptRows, checked_clusters, distinct_sets
from macrof1.sampling.patterns import numbered
from macrof1.sampling.policies import OUTSIDE, Outside, apply_policies
from macrof1.scoring.macro import check_excluded
from macrof1.scoring.score_result import ScoreResult, check_weights, score_counts, warned


def score(
    gold: Any,
    pred: Any,
    *,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
    count: Any = None,
    cluster: Any = None,
    missing: Missing = "error",
    normalize: str | Iterable[str] = (),
    extract: bool = False,
    outside: Outside = "wrong",
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    exclude: Iterable[object] = (),
    convention: str | Convention | None = None,
    over: Any = "classes",
    positive: object = None,
    empty: Empty | None = None,
) -> ScoreResult:
    """Score predictions under both macro F1s.

    Parameters
    ----------
    gold, pred
        One label per row: lists, tuples, NumPy arrays, pandas and Polars Series, categoricals, Arrow arrays.
        For several labels per row: indicator matrices (NumPy, SciPy sparse) or sequences of sets.
    labels
        The class set, in order; by default, the labels that occur. Labels outside it count as errors of the
        classes they are confused with, are not averaged over, and are reported in ``result.notes``.
    sample_weight
        A non-negative number per row.
    count
        How many rows each pair of labels stands for, in a table of counts; for one label per row.
    cluster
        The cluster (document, user, …) of each row, for rows that are not independent: intervals then treat
        clusters as the sampling unit. Scores stay the same. With `over`, a unit lies in one cluster.
    missing
        Rows without a label: ``"error"``, ``"drop"`` (and report) or ``"label"`` (a class of its own).
    normalize
        Differences between labels to ignore: any of case, space, unicode, punctuation (quotes, brackets, final
        marks) and number (1.0 and 1), as ``"case,space"``. Off by default; the signature records it when on.
    extract
        Whether to read the class out of free-text answers: ``{"label": "spam"}``, ``Answer: B``, ``(B)``. A note says
        how many could not be read; they are predictions outside the classes, which are `labels` or else those of gold.
    outside
        With `labels`, a predicted label outside them counts as ``"wrong"``, is an ``"error"``, leaves its row out
        (``"drop"``), or becomes a ``"class"`` of its own, which is averaged over if any such answer occurs.
        ``result.unusable_share`` is the fraction of such answers.
    classes
        The class set averaged over: ``"union"`` of gold and predicted (or `labels`), or ``"gold"``: only classes
        that occur in gold.
    undefined
        The value of precision, recall and F1 when their denominator is 0.
    beta
        Weight of recall relative to precision in both formulas.
    exclude
        Classes to leave out of the averages, such as ``["O"]``. Their rows stay: a row predicted as another class
        is still an error of that class.
    convention
        The class set and undefined-ratio policy of a real system, instead of `classes` and `undefined`: ``"weka"``, …
        (see `macrof1.conventions`), or a `Convention`.
    over
        What the means are taken over: ``"classes"``; ``"rows"``, where each row has a set of gold and a set of
        predicted labels; or the unit of each row (document, query, fold), as a column or as ``{"document": [...]}``:
        labels and rows are pooled inside a unit. `labels` and `exclude` then say which labels count in a unit, and
        `classes` which units: all (``"union"``), or those with a gold label (``"gold"``). With ``"rows"``, a weight
        weighs its row in the means; with a column, it multiplies the counts of its row inside the unit.
    positive
        With `over`, the one label that counts, in a table of pairs: of a query and a document, relevant or not.
    empty
        With `over`, what a unit with nothing gold and nothing predicted counts as: 0, 1 or ``"drop"``; by default as
        `undefined` says.

    Returns
    -------
    ScoreResult
        ``averaged_f1``, ``f1_of_averages``, ``gap``, ``per_class``, ``signature(...)`` and more.

    Examples
    --------
    >>> result = score(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])
    >>> round(result.averaged_f1, 4), round(result.f1_of_averages, 4), round(result.gap, 4)
    (0.7333, 0.7895, 0.0561)
    >>> result.explanation
    'The formulas differ by 5.6 points: class cat is over-precise, class dog is over-recalled.'
    """
    if type(outside) is not str:
        InputError.one_of("outside", outside, OUTSIDE)
    if is_over_units(over):
        for name, given in (("count", count is not None), ("outside", outside != "wrong"), ("extract", extract)):
            if given:
                raise InputError.beside(name, "over", expected="one of them")
        chosen = chosen_convention(
            convention, classes=classes, undefined=undefined, beta=beta, exclude=exclude, empty=empty, over="units"
        )
        gold = list(gold) if isinstance(gold, Iterator) else gold
        units = count_units(
            gold, pred, over, labels=labels, positive=positive, exclude=chosen.exclude, normalize=normalize,
            sample_weight=sample_weight, cluster=cluster, missing=missing,
        )  # fmt: skip
        return replace(score_counts(units, convention=replace(chosen, exclude=())), gold=GoldRows(gold))
    if positive is not None or empty is not None:
        check_over(positive=positive, empty=empty)
    gold, pred = paired_rows(gold, pred, sample_weight=sample_weight, cluster=cluster)
    several = looks_multilabel(gold, pred)
    task: Task = "multilabel" if several else "multiclass"
    chosen = chosen_convention(convention, classes=classes, undefined=undefined, beta=beta, exclude=exclude, task=task)
    listed = None if labels is None else checked_labels(labels)
    rules: dict[str, Any] = {"labels": listed, "sample_weight": sample_weight, "missing": missing}
    if several and (count is not None or outside != "wrong" or extract):
        other = "count" if count is not None else "extract" if extract else "outside"
        raise InputError.beside(other, "gold", expected="it with one label per row, not with sets")
    if type(normalize) is not tuple or normalize or extract:
        normalize = checked_differences(normalize, extract=extract)
    if count is not None or normalize or outside != "wrong":
        if count is not None:
            known: Confusion | ClassCounts = _of_pairs(gold, pred, count, cluster, **rules)
        elif cluster is None:
            known = known_cells(gold, pred, normalize=normalize, **rules)
        else:
            other = "extract" if extract else "normalize" if normalize else "outside"
            raise InputError.beside("cluster", other, expected="labels that are ready to be compared")
        made, making = apply_policies(known, normalize=normalize, outside=outside)
        found = UNKNOWN_GOLD if count is not None else GoldRows(gold)
        return replace(score_counts(made, convention=chosen), making=making, gold=found)
    rows: RowSource | None = None
    if several:
        counts = count_multilabel(gold, pred, **rules)
    else:
        counts, rows = tally(gold, pred, labels=listed, sample_weight=sample_weight, missing=missing, cells=None)
    check_that_labels_meet(counts)
    if sample_weight is not None or cluster is not None:
        check_weights(counts)
        if cluster is not None:
            check_same_index({"gold": gold, "pred": pred, "sample_weight": sample_weight, "cluster": cluster})
            cluster = numbered(checked_clusters(cluster, (counts.n_rows or 0) + counts.n_dropped))
    if rows is None or sample_weight is not None or cluster is not None:
        # An interval may be asked for when the user's own rows have changed.
        gold, pred, rules["sample_weight"] = map(_copy_of, (gold, pred, sample_weight))
        rows = KeptRows(gold=gold, pred=pred, cluster=cluster, counts=counts, cells=rows, **rules)
    if chosen.exclude:
        check_excluded(chosen, counts.labels)
    return ScoreResult(counts=counts, convention=chosen, rows=rows, gold=GoldRows(gold, counts))


# Copying more would take longer than counting it. That larger arrays have changed is noticed if a count has.
_MOST_COPIED = 1 << 20


def _copy_of(values: Any) -> Any:
    """Copy what can change in place, unless it is a large array: lists, arrays and series have one of these methods."""
    if (getattr(values, "nbytes", 0) or 8 * getattr(values, "nnz", 0)) > _MOST_COPIED:
        return values
    return next((getattr(values, name)() for name in ("copy", "clone", "__copy__") if hasattr(values, name)), values)


class GoldRows:
    """Prints the digest of gold labels in memory, which takes longer than counting: only when it is asked for."""

    __slots__ = ("_counts", "_found", "_gold", "_ids")

    def __init__(self, gold: Any, counts: ClassCounts | None = None, ids: Any = None) -> None:
        # Labels that have changed since are not those that were counted, and have no digest.
        self._counts = counts if counts is not None and not counts.weighted and not counts.n_dropped else None
        self._gold, self._found, self._ids = gold, "", ids

    @classmethod
    def of_frame(cls, df: Any, gold: Any) -> GoldRows | str:
        """Return the digest of a column of a frame in memory, with its ids if it has some; other rows have no order."""
        import narwhals.stable.v2 as nw

        frame = engines.opened(df)
        if not isinstance(frame, nw.DataFrame):
            return UNKNOWN_GOLD
        ids = id_column([name for name in frame.columns if isinstance(name, str) and name != gold])
        golds = frame[gold].to_native()
        if engines.holds_sets(frame, gold, frame[gold].dtype):
            golds = [frozenset(() if row is None else row) for row in frame[gold].to_list()]
        return cls(golds, ids=None if ids is None else frame[ids].to_native())

    def __str__(self) -> str:
        """Return the digest."""
        if not self._found:
            self._found, self._gold, self._ids = self._digest(as_rows(self._gold)), None, None
        return self._found

    def _digest(self, gold: Any) -> str:
        digest, ids = GoldDigest("gold", None if self._ids is None else "id"), self._ids
        if is_matrix(gold):
            return UNKNOWN_GOLD
        gold = rows_of(gold)
        if holds_sets(gold, gold):
            digest.add([sorted(map(str, row)) for row in gold])
            return digest.text()
        found = counted_from_zero(encode(gold, "gold"))
        labels, codes = [None, *found.labels], found.codes.astype(np.int64) + 1
        if self._counts is not None:
            now = zip(labels, np.bincount(codes).tolist(), strict=False)
            before = zip(self._counts.labels, map(int, self._counts.actual), strict=True)
            times, known = ({label_key(label): n for label, n in part if n} for part in (now, before))
            if times != known:
                return UNKNOWN_GOLD
        digest.add_codes(codes, labels, None if ids is None else list(ids))
        return digest.text()


def known_cells(
    gold: Any, pred: Any, *, sample_weight: Any, normalize: str | Iterable[str] = (), **options: Any
) -> Confusion | ClassCounts:
    """Count what policies need: the cells of a confusion matrix, or the distinct pairs of label sets."""
    gold, pred = paired_rows(gold, pred, sample_weight=sample_weight)
    if not looks_multilabel(gold, pred):
        return confusion(gold, pred, sample_weight=sample_weight, **options)
    counts = count_multilabel(gold, pred, sample_weight=sample_weight, **options)
    return distinct_sets(gold, pred, counts, sample_weight, checked_differences(normalize))


def _of_pairs(gold: Any, pred: Any, count: Any, cluster: Any, *, sample_weight: Any, **options: Any) -> Confusion:
    """Count pairs of labels that each stand for some rows."""
    for name, given in (("sample_weight", sample_weight), ("cluster", cluster)):
        if given is not None:
            raise InputError.beside("count", name, expected="one of them")
    gold, pred = paired_rows(gold, pred, count=count)
    check_same_index({"gold": gold, "count": count})
    if getattr(gold, "ndim", 1) == 1 and hasattr(gold, "__len__"):
        count = checked_weights(count, len(gold), "count")
    lines = confusion(gold, pred, sample_weight=count, **options)
    if lines.real:
        raise CountError("some pairs stand for a fraction of a row", argument="count", expected="whole numbers")
    return replace(lines, weighted=False, n_rows=sum(lines.cells.tolist()))


def averaged_f1(gold: Any, pred: Any, **options: Any) -> float:
    """Arithmetic mean of the per-class F1 scores: the recommended macro F1, as one float.

    (1/n) Σ 2 tp / (predicted + actual); a class whose ratio is 0/0 counts as `undefined`. Parameters as in `score`.

    Notes
    -----
    In [0, 1]. Also known as macro F1, macro-averaged F1, and ``average="macro"`` in scikit-learn.
    With `beta`, the mean of (1 + beta²) tp / (predicted + beta² actual).

    References
    ----------
    Opitz & Burst, "Macro F1 and Macro F1", arXiv 1911.03347.

    Examples
    --------
    >>> averaged_f1([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2])
    0.8222222222222223
    """
    return warned(score(gold, pred, **options)).averaged_f1


def f1_of_averages(gold: Any, pred: Any, **options: Any) -> float:
    """Harmonic mean of macro precision and macro recall, as one float.

    2 P̄ R̄ / (P̄ + R̄), with P̄ and R̄ averaged over all classes; 0 when both are 0. Parameters as in `score`.

    Notes
    -----
    In [0, 1] and never below `averaged_f1`: the harmonic mean is concave (Jensen). Also known as macro F1.
    With `beta`, (1 + beta²) P̄ R̄ / (beta² P̄ + R̄).

    References
    ----------
    Sokolova & Lapalme 2009; Opitz & Burst, "Macro F1 and Macro F1", arXiv 1911.03347.

    Examples
    --------
    >>> f1_of_averages([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2])
    0.8602150537634408
    """
    return warned(score(gold, pred, **options)).f1_of_averages


def score_matrix(
    matrix: object,
    *,
    rows: Rows,
    labels: Iterable[object] | None = None,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    exclude: Iterable[object] = (),
    convention: str | Convention | None = None,
) -> ScoreResult:
    """Score a confusion matrix under both macro F1s.

    Parameters
    ----------
    matrix
        Square: nested sequences, a NumPy array or a data frame, of counts or non-negative real weights.
    rows
        What a row is: ``"predicted"`` as in the paper, or ``"gold"`` as in scikit-learn. Both macro F1s are
        the same either way; precision and recall of a class are not.
    labels
        Names of the classes, in the order of rows and columns.
    classes, undefined, beta, exclude, convention
        As in `score`.

    Examples
    --------
    >>> print(score_matrix([[100, 10_000], [0, 100]], rows="predicted").f1_of_averages)
    0.504950495049505
    """
    cells = Confusion.from_matrix(matrix, rows=rows, labels=labels)
    return score_counts(cells, classes=classes, undefined=undefined, beta=beta, exclude=exclude, convention=convention)


class Accumulator(CountAccumulator):
    """Both macro F1s of data that arrives in batches; exact however the data is split into batches.

    Parameters
    ----------
    labels
        The class set, in order; by default, the labels that occur.
    missing
        Rows without a label: ``"error"``, ``"drop"`` (and report) or ``"label"`` (a class of its own).

    Notes
    -----
    Memory grows with the distinct pairs of labels. Weights are added without rounding, integer or real, so
    neither the size or order of the batches nor the order of merges changes a single bit.

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

    def score(self, **options: Any) -> ScoreResult:
        """Score all batches so far; `classes`, `undefined`, `beta`, `exclude`, `convention` as in `macrof1.score`."""
        counts = self.counts()
        check_that_labels_meet(counts)
        return score_counts(counts, **options)
