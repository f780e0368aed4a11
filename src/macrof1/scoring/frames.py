"""Data frames scored where they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from macrof1.convention import ClassSet, Undefined
from macrof1.counting.frames import count_frame
from macrof1.counting.labels import Missing
from macrof1.scoring.macro import score_counts
from macrof1.scoring.result import ScoreResult


def score_frame(
    df: Any,
    *,
    gold: str | Sequence[str],
    pred: str | Sequence[str],
    weight: str | None = None,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
) -> ScoreResult:
    """Score a data frame of any engine that Narwhals speaks, under both macro F1s.

    The engine groups the rows where they are; only the cells of the confusion matrix come back.

    Parameters
    ----------
    df
        pandas, Polars (eager or lazy), a PyArrow table, a DuckDB relation, Dask, Ibis or PySpark.
    gold, pred
        Names of the label columns. For several labels per row: two columns of lists, or two sequences of
        columns, one per label, that hold 0 and 1 or booleans.
    weight
        Name of a column with a non-negative number per row. Integers are added exactly; reals are added by the
        engine in double precision, in its own order.
    labels
        The class set, in order; with one column per label, the names of these columns.
    missing
        Rows without a label (null, NaN, NA): ``"error"``, ``"drop"`` (and report) or ``"label"`` (a class).
    classes, undefined, beta
        As in `macrof1.score`.

    Notes
    -----
    Whole floats are integers here, on every engine, since pandas stores integers with nulls as floats.

    Examples
    --------
    >>> import polars as pl
    >>> df = pl.LazyFrame({"gold": ["cat", "cat", "dog", "dog"], "pred": ["cat", "dog", "dog", "dog"]})
    >>> result = score_frame(df, gold="gold", pred="pred")
    >>> round(result.averaged_f1, 4), result.n_rows
    (0.7333, 4)
    """
    counts = count_frame(df, gold=gold, pred=pred, weight=weight, labels=labels, missing=missing)
    return score_counts(counts, classes=classes, undefined=undefined, beta=beta)
