"""The end-to-end calls: read, count, score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from macrof1.catalogue.reader import chosen_convention
from macrof1.convention import ClassSet, Convention, Task, Undefined
from macrof1.counting.arrays import confusion, tally
from macrof1.counting.batches import CountAccumulator
from macrof1.counting.confusion import Confusion
from macrof1.counting.doubts import checked_differences
from macrof1.counting.engines import names_of
from macrof1.counting.frames import count_frame_groups
from macrof1.counting.meeting import check_that_labels_meet
from macrof1.counting.multilabel import as_rows, count_multilabel, looks_multilabel
from macrof1.counting.named_tables import check_same_index
from macrof1.counting.policies import Outside, apply_policies, apply_to_groups
from macrof1.counts import NO_ROWS, ClassCounts, GroupedCounts, Making, Rows, RowSource
from macrof1.errors import InputError
from macrof1.labels import Missing, checked_labels
from macrof1.message import Argument, Message
from macrof1.sampling.clusters import checked_clusters, score_clusters, score_grouped_clusters
from macrof1.sampling.kept_rows import KeptRows
from macrof1.sampling.label_sets import RowSets
from macrof1.sampling.patterns import numbered
from macrof1.scoring.checks import check_excluded, check_weights
from macrof1.scoring.group_scores import GroupsResult, score_grouped_counts
from macrof1.scoring.score_result import ScoreResult, score_counts

if TYPE_CHECKING:
    from macrof1.counting.tags import Scheme, SpanMode
    from macrof1.reading.files import Source
    from macrof1.reading.tables import FileFormat


def score(
    gold: Any,
    pred: Any,
    *,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
    cluster: Any = None,
    missing: Missing = "error",
    normalize: str | Iterable[str] = (),
    outside: Outside = "wrong",
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    exclude: Iterable[object] = (),
    convention: str | Convention | None = None,
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
    cluster
        The cluster (document, user, …) of each row, for rows that are not independent: intervals then treat
        clusters as the sampling unit. Scores stay the same.
    missing
        Rows without a label: ``"error"``, ``"drop"`` (and report) or ``"label"`` (a class of its own).
    normalize
        Differences between labels to ignore: any of case, space, unicode, punctuation (quotes, brackets, final
        marks) and number (1.0 and 1), as ``"case,space"``. Off by default; the signature records it when on.
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
    gold, pred = as_rows(gold), as_rows(pred)
    several = looks_multilabel(gold, pred)
    task: Task = "multilabel" if several else "multiclass"
    chosen = chosen_convention(convention, classes=classes, undefined=undefined, beta=beta, exclude=exclude, task=task)
    listed = None if labels is None else checked_labels(labels)
    rows: RowSource = NO_ROWS
    if several:
        if outside != "wrong":
            raise InputError.beside("outside", "gold", expected="it with one label per row, not with sets")
        counts = count_multilabel(gold, pred, labels=listed, sample_weight=sample_weight, missing=missing)
        rows = RowSets(gold, pred, counts)
    if normalize or outside != "wrong":
        if cluster is not None:
            raise InputError.beside(
                "cluster", "normalize" if normalize else "outside", expected="labels that are ready to be compared"
            )
        rules: dict[str, Any] = {"sample_weight": sample_weight, "missing": missing, "normalize": normalize}
        known = known_cells(gold, pred, labels=listed, **rules)
        return _scored(*apply_policies(known, normalize=normalize, outside=outside), chosen)
    if not several:
        counts, cells = tally(gold, pred, labels=listed, sample_weight=sample_weight, missing=missing, cells=None)
        assert cells is not None  # they are left out only if they are not wanted
        rows = cells
    check_that_labels_meet(counts)
    if sample_weight is not None or cluster is not None:
        check_weights(counts)
        if cluster is not None:
            check_same_index({"gold": gold, "pred": pred, "cluster": cluster})
            numbered(checked_clusters(cluster, (counts.n_rows or 0) + counts.n_dropped))
        rows = KeptRows(
            gold=gold,
            pred=pred,
            labels=listed,
            missing=missing,
            sample_weight=sample_weight,
            cluster=cluster,
            counts=counts,
            cells=rows if rows.has_cells else None,
        )
    if chosen.exclude:
        check_excluded(chosen, counts.labels)
    return ScoreResult(counts=counts, convention=chosen, rows=rows)


def known_cells(
    gold: Any, pred: Any, *, sample_weight: Any, normalize: str | Iterable[str] = (), **options: Any
) -> Confusion | ClassCounts:
    """Count what policies need: the cells of a confusion matrix, or the distinct pairs of label sets."""
    gold, pred = as_rows(gold), as_rows(pred)
    if not looks_multilabel(gold, pred):
        return confusion(gold, pred, sample_weight=sample_weight, **options)
    counts = count_multilabel(gold, pred, sample_weight=sample_weight, **options)
    return RowSets(gold, pred, counts).distinct(sample_weight, checked_differences(normalize))


def _scored(counts: Confusion | ClassCounts, making: Making, convention: Convention) -> ScoreResult:
    return replace(score_counts(counts, convention=convention), making=making)


def averaged_f1(
    gold: Any,
    pred: Any,
    *,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
    missing: Missing = "error",
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    exclude: Iterable[object] = (),
    convention: str | Convention | None = None,
) -> float:
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
    return score(**locals()).averaged_f1


def f1_of_averages(
    gold: Any,
    pred: Any,
    *,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
    missing: Missing = "error",
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    exclude: Iterable[object] = (),
    convention: str | Convention | None = None,
) -> float:
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
    return score(**locals()).f1_of_averages


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


def _made_groups(found: GroupsResult, making: Making) -> GroupsResult:
    """Record in every result how its rows became counts; what was noticed along the way concerns all of them."""
    each = replace(making, notes=(), unusable=None)
    groups = tuple(replace(group, result=replace(group.result, making=each)) for group in found.groups)
    return replace(found, groups=groups, total=replace(found.total, making=making))


@overload
def score_file(source: Source, *, by: None = None, **options: Any) -> ScoreResult: ...


@overload
def score_file(source: Source, *, by: str | Sequence[str], **options: Any) -> GroupsResult: ...


def score_file(  # type: ignore[misc]  # the two stubs do not repeat the options
    source: Source,
    *,
    gold: str | None = None,
    pred: str | None = None,
    by: str | Sequence[str] | None = None,
    sample_weight: str | None = None,
    cluster: str | None = None,
    labels: Iterable[object] | None = None,
    multilabel: str | None = None,
    missing: Missing = "error",
    normalize: str | Iterable[str] = (),
    outside: Outside = "wrong",
    header: bool = True,
    file_format: FileFormat | None = None,
    records: str | None = None,
    spans: bool = False,
    scheme: Scheme = "iob2",
    mode: SpanMode = "conll",
    tag_names: Sequence[str] | None = None,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    exclude: Iterable[object] = (),
    convention: str | Convention | None = None,
) -> ScoreResult | GroupsResult:
    r"""Score a prediction file of any size under both macro F1s; memory grows with the distinct pairs of labels.

    Parameters
    ----------
    source
        Path of a CSV, TSV, JSON, JSON-lines, Parquet or Arrow file or of an evaluation log, plain or compressed; a
        pattern (``"preds/*.csv.gz"``); a folder of Parquet files; ``"-"`` for standard input; or a sequence of these,
        scored as one table.
    gold, pred, sample_weight
        Column names, or 1-based positions as text; in JSON also paths (``"doc.label"``). By default, columns
        with the usual names are used (``gold``, ``y_true``, …; ``pred``, ``y_pred``, …), or the fields in which
        evaluation tools log them; every row counts once.
    by
        One or more columns to group by: each group of rows is then scored, as well as all rows together. In CSV and TSV
        files groups are text.
    cluster
        Column with the cluster (document, user, …) of each row, for rows that are not independent: intervals then treat
        clusters as the sampling unit.
    labels
        The class set, in order. In CSV and TSV files labels are text; typed files keep their types.
    multilabel
        The separator between the labels in a field, if rows have several: ``";"``. An empty field is then a row with no
        labels. List columns in Parquet, Arrow and JSON lines need no separator.
    missing
        Rows without a label: ``"error"``, ``"drop"`` (and report) or ``"label"`` (a class).
    header
        Whether the first line of a CSV or TSV file names the columns.
    file_format
        ``"csv"``, ``"tsv"``, ``"jsonl"``, ``"json"``, ``"parquet"`` or ``"arrow"``, if it cannot be inferred from the
        file.
    records
        The path of the records in a JSON file that holds other data too: ``"results.outputs"``.
    spans, scheme, mode, tag_names
        Whether to score entities: tokens with tags in columns (CoNLL), in one file or in parallel files for gold and
        predicted, or records with lists of tags or spans; `scheme`, `mode` and `tag_names` as in
        `macrof1.count_spans`.
        ``by="document"`` scores every document.
    normalize, outside, classes, undefined, beta, exclude, convention
        As in `macrof1.score`.

    Returns
    -------
    ScoreResult or GroupsResult
        A `GroupsResult` if `by` is given.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "preds.csv"
    >>> _ = path.write_text("fold,gold,pred\n1,cat,cat\n1,cat,dog\n2,dog,dog\n2,dog,dog\n")
    >>> result = score_file(path)
    >>> round(result.averaged_f1, 4), round(result.f1_of_averages, 4), result.n_rows
    (0.7333, 0.7895, 4)
    >>> score_file(path, by="fold")["2"].averaged_f1
    1.0
    """
    from macrof1.counting.tables import count_file, count_file_groups  # loads Polars

    options: dict[str, Any] = {
        "gold": gold,
        "pred": pred,
        "weight": sample_weight,
        "labels": labels,
        "multilabel": multilabel,
        "missing": missing,
        "header": header,
        "file_format": file_format,
        "records": records,
    }
    chosen = chosen_convention(convention, classes=classes, undefined=undefined, beta=beta, exclude=exclude)
    if spans:
        names = () if by is None else names_of(by)
        return score_span_file(
            source, gold=gold, pred=pred, scheme=scheme, mode=mode, tag_names=tag_names, labels=labels, by=names,
            records=records, convention=chosen,
        )  # fmt: skip
    policies: dict[str, Any] = {"normalize": normalize, "outside": outside}
    if by is None and cluster is None:
        return _scored(*apply_policies(count_file(source, **options), **policies), chosen)
    groups = [*([] if by is None else names_of(by)), *([] if cluster is None else [cluster])]
    counts, making = apply_to_groups(count_file_groups(source, by=groups, **options), **policies)
    return scored_groups(counts, making, chosen, by=by, cluster=cluster)


def scored_groups(
    counts: GroupedCounts,
    making: Making,
    convention: Convention,
    *,
    by: str | Sequence[str] | None,
    cluster: str | None,
) -> ScoreResult | GroupsResult:
    """Score all rows, groups, clusters, or clusters within groups; the cluster is the last column."""
    if by is None and cluster is None:
        return _scored(counts.total, making, convention)
    if by is None:
        return replace(score_clusters(counts, convention), making=making)
    score_each = score_grouped_counts if cluster is None else score_grouped_clusters
    return _made_groups(score_each(counts, convention), making)


def score_span_file(
    source: Source, *, convention: Convention, by: Sequence[str] = (), **options: Any
) -> ScoreResult | GroupsResult:
    """Score the entities of a file per type; options as in `count_span_file`."""
    from macrof1.counting.span_files import count_span_file

    found = count_span_file(source, by=by, **options)
    if found.groups is not None:
        return _made_groups(score_grouped_counts(found.groups, convention), found.making)
    return _scored(found.total, found.making, convention)


@overload
def score_frame(df: Any, *, by: None = None, **options: Any) -> ScoreResult: ...


@overload
def score_frame(df: Any, *, by: str | Sequence[str], **options: Any) -> GroupsResult: ...


def score_frame(  # type: ignore[misc]  # as above
    df: Any,
    *,
    gold: str | Sequence[str],
    pred: str | Sequence[str],
    by: str | Sequence[str] | None = None,
    sample_weight: str | None = None,
    cluster: str | None = None,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
    normalize: str | Iterable[str] = (),
    outside: Outside = "wrong",
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    exclude: Iterable[object] = (),
    convention: str | Convention | None = None,
) -> ScoreResult | GroupsResult:
    """Score a data frame of any engine supported by Narwhals under both macro F1s.

    The engine groups the rows where the data is; only the cells of the confusion matrix come back.

    Parameters
    ----------
    df
        pandas, Polars (eager or lazy), a PyArrow table, a DuckDB relation, Dask, Ibis or PySpark.
    gold, pred
        Names of the label columns. For several labels per row: two columns of lists, or two sequences of
        columns, one per label, that hold 0 and 1 or booleans.
    by
        One or more columns to group by, as in `score_groups`.
    sample_weight
        Name of a column with a non-negative number per row. Integers are added exactly; reals are added by the
        engine in double precision, in its own order.
    cluster
        Name of the column with the cluster (document, user, …) of each row, as in `score_file`.
    labels
        The class set, in order; with one column per label, the names of these columns.
    missing
        Rows without a label (null, NaN, NA): ``"error"``, ``"drop"`` (and report) or ``"label"`` (a class).
    normalize, outside, classes, undefined, beta, exclude, convention
        As in `macrof1.score`.

    Notes
    -----
    Integer-valued floats are read as integers on every engine, since pandas stores integers with nulls as floats.

    Examples
    --------
    >>> import polars as pl
    >>> df = pl.LazyFrame({"gold": ["cat", "cat", "dog", "dog"], "pred": ["cat", "dog", "dog", "dog"]})
    >>> result = score_frame(df, gold="gold", pred="pred")
    >>> round(result.averaged_f1, 4), result.n_rows
    (0.7333, 4)
    """
    chosen = chosen_convention(convention, classes=classes, undefined=undefined, beta=beta, exclude=exclude)
    names = [] if by is None else names_of(by)
    if by is not None and not names:
        raise InputError(Message(Argument("by"), " is empty"), given=by, expected="at least one column to group by")
    names += [] if cluster is None else [cluster]
    counts = count_frame_groups(
        df, gold=gold, pred=pred, by=names, weight=sample_weight, labels=labels, missing=missing
    )
    grouped, making = apply_to_groups(counts, normalize=normalize, outside=outside)
    return scored_groups(grouped, making, chosen, by=by, cluster=cluster)


def score_groups(
    df: Any,
    *,
    gold: str | Sequence[str],
    pred: str | Sequence[str],
    by: str | Sequence[str],
    sample_weight: str | None = None,
    cluster: str | None = None,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
    normalize: str | Iterable[str] = (),
    outside: Outside = "wrong",
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    exclude: Iterable[object] = (),
    convention: str | Convention | None = None,
) -> GroupsResult:
    """Score each group of rows of a data frame, and all rows together, in one pass over the data.

    Parameters
    ----------
    df, gold, pred, sample_weight, cluster, labels, missing, normalize, outside, classes, undefined, beta, exclude
    convention
        As in `macrof1.score_frame`.
    by
        One or more columns to group by: domain, fold, seed, annotator, …; nulls form a group of their own.

    References
    ----------
    Forman & Scholz 2010, "Apples-to-apples in cross-validation studies".

    Examples
    --------
    >>> import polars as pl
    >>> df = pl.DataFrame({"fold": [1, 1, 2, 2], "gold": ["a", "b", "a", "b"], "pred": ["a", "b", "a", "a"]})
    >>> result = score_groups(df, gold="gold", pred="pred", by="fold")
    >>> result[1].averaged_f1, round(result[2].averaged_f1, 4)
    (1.0, 0.3333)
    >>> round(result.mean_of_scores("averaged_f1"), 4), round(result.score_of_pooled_counts("averaged_f1"), 4)
    (0.6667, 0.7333)
    """
    found: GroupsResult = score_frame(**locals())
    return found


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

    def score(
        self,
        *,
        classes: ClassSet = "union",
        undefined: Undefined = 0,
        beta: float = 1.0,
        exclude: Iterable[object] = (),
        convention: str | Convention | None = None,
    ) -> ScoreResult:
        """Score all batches so far; parameters as in `macrof1.score`."""
        counts = self.counts()
        check_that_labels_meet(counts)
        return score_counts(
            counts, classes=classes, undefined=undefined, beta=beta, exclude=exclude, convention=convention
        )
