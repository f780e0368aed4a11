"""The public calls that read files and data frames, each by a request, and those for groups of rows in memory."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, overload

from macrof1.convention import UNKNOWN_GOLD
from macrof1.counting.cells import group_value, groups_in_order
from macrof1.counting.confusion import Confusion
from macrof1.counting.engines import count_frame_groups, distinct_frame_rows, names_of, opened
from macrof1.counting.named_tables import check_same_index
from macrof1.counting.unit_tables import check_units, count_unit_cells, fact_columns
from macrof1.counting.units import is_over_units, over_of
from macrof1.counts import COLUMN, ROWS, ClassCounts, Group, GroupedCounts, class_counts_of
from macrof1.entry import GoldRows, known_cells, score
from macrof1.errors import EmptyError, InputError, LengthError
from macrof1.message import Argument, Message
from macrof1.options import options_of
from macrof1.request import Request
from macrof1.running import jobs
from macrof1.running.jobs import Counted, WeightedRows
from macrof1.sampling.joint import KeptRows
from macrof1.sampling.policies import apply_to_groups
from macrof1.scoring.group_scores import GroupScore, GroupsResult, score_grouped_counts
from macrof1.scoring.score_result import ScoreResult

if TYPE_CHECKING:
    from macrof1.comparing.compared import CompareResult
    from macrof1.reading.files import Source

_Columns = dict[str, Any]
_Call = TypeVar("_Call", bound=Callable[..., Any])
_KINDS = ("spans", "matrix", "published")
_OF_COMMANDS = {
    "fail_under", "fail_under_pooled", "fail_under_low", "baseline_file", "verify", "non_inferior", "strict", "config",
}  # fmt: skip
_NAMES = {*_KINDS, *(field.name for field in fields(Request))} - _OF_COMMANDS
_NOT_OF_SCORES = ("prevalence", "confidence_level", "matrix", "rows")
_OF_LOGS = ("records", "repeats")
_OF_FILES = (*_OF_LOGS, "id", "no_id", "header", "file_format", "multilabel", "spans", "scheme", "mode", "tag_names")


def _takes(job: str, *but: str) -> Callable[[_Call], _Call]:
    """Show the options of a job, as the table has them, in the signature of a call that takes them all."""

    def shown(call: _Call) -> _Call:
        own = inspect.signature(call)
        *first, _ = own.parameters.values()
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default)
            for name, option in options_of(job).items()
            if name in _NAMES and name not in (*but, *own.parameters)
        ]
        call.__signature__ = own.replace(parameters=[*first, *more])  # type: ignore[attr-defined]  # Python reads it
        return call

    return shown


def _of_files(call: Callable[..., Any], files: Any, options: dict[str, Any], **more: Any) -> Request:
    for name in options:
        if name not in inspect.signature(call).parameters:
            raise TypeError(f"{call.__name__}() got an unexpected keyword argument {name!r}")
    kind = next((name for name in _KINDS if options.get(name)), "rows")
    own = {name: value for name, value in options.items() if name not in _KINDS}
    return Request(files=files, kind=kind, **own, **more)  # type: ignore[arg-type]  # one of the kinds


@_takes("count")
def count_file(source: Source, **options: Any) -> Confusion | ClassCounts:
    r"""Count a prediction file, to be merged and scored later.

    Parameters
    ----------
    source, **options
        As in `macrof1.score_file`: ``gold``, ``pred``, ``sample_weight``, ``count``, ``labels``, ``missing``, ….

    Returns
    -------
    Confusion or ClassCounts
        The cells of the confusion matrix; for several labels per row, counts per label. Both add with ``+``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "preds.csv"
    >>> _ = path.write_text("gold,pred,n\ncat,cat,3\ncat,dog,1\ndog,dog,4\n")
    >>> count_file(path, count="n")
    Confusion(labels=('cat', 'dog'), cells=[('cat', 'cat', 3), ('cat', 'dog', 1), ('dog', 'dog', 4)])
    """
    return jobs.run_count(_of_files(count_file, source, options)).counts


@overload
def score_file(
    source: Source, predictions: Source | None = None, *, by: None = None, **options: Any
) -> ScoreResult: ...


@overload
def score_file(source: Source, *, by: str | Sequence[str], **options: Any) -> GroupsResult: ...


@_takes("score", *_NOT_OF_SCORES)
def score_file(
    source: Source, predictions: Source | None = None, *, by: str | Sequence[str] | None = None, **options: Any
) -> ScoreResult | GroupsResult:
    r"""Score a prediction file under both macro F1s.

    Parameters
    ----------
    source
        Path of a CSV, TSV, JSON, JSON-lines, Parquet or Arrow file or of an evaluation log, plain or compressed; a
        pattern (``"preds/*.csv.gz"``); a folder of Parquet files; ``"-"`` for standard input; or a sequence of these,
        scored as one table. With `predictions`, the file with gold.
    predictions
        The file with the predictions, if they are not in `source`.
    id, no_id
        The column that matches the rows of both files. By default, an id column that both have; without one, rows are
        matched by position, with `no_id` in any case.
    missing_predictions
        Gold rows whose id has no prediction: ``"error"``, ``"wrong"`` or ``"drop"`` (both are reported).
    gold, pred, sample_weight
        Column names, or 1-based positions as text; in JSON also paths (``"doc.label"``). By default, columns
        with the usual names are used (``gold``, ``y_true``, …; ``pred``, ``y_pred``, …), or the fields in which
        evaluation tools log them; every row counts once.
    count
        Column that says how many rows a line stands for, in a table of counts.
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
    header
        Whether the first line of a CSV or TSV file names the columns.
    file_format
        ``"csv"``, ``"tsv"``, ``"jsonl"``, ``"json"``, ``"parquet"`` or ``"arrow"``, if it cannot be inferred from the
        file.
    records
        The path of the records in a JSON file that holds other data too: ``"results.outputs"``.
    repeats
        What becomes of several answers to an item, in a log of lm-evaluation-harness or Inspect: the most common one
        counts (``"vote"``), the right one if it is among them (``"any"``), or each is a row (``"cluster"``).
    spans, scheme, mode, tag_names
        Whether to score entities: tokens with tags in columns (CoNLL), in one file or in parallel files for gold and
        predicted, or records with lists of tags or spans; the rest as in `macrof1.count_spans`. ``by="document"``
        scores every document.
    over
        What the means are taken over: ``"classes"``, ``"rows"`` with several labels each, or a column of units, such as
        documents. A column with one of these names is ``"column:rows"``.
    missing, normalize, outside, classes, undefined, beta, exclude, positive, empty, convention
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
    columns = () if by is None else (by,) if isinstance(by, str) and by else tuple(InputError.listed("by", by))
    if by is not None and not columns:
        raise EmptyError("no column to group by", argument="by", expected="at least one")
    files = source if predictions is None else [source, predictions]
    return jobs.run_score(_of_files(score_file, files, options, by=columns))


@overload
def score_frame(df: Any, *, by: None = None, **options: Any) -> ScoreResult: ...


@overload
def score_frame(df: Any, *, by: str | Sequence[str], **options: Any) -> GroupsResult: ...


@_takes("score", *_NOT_OF_SCORES, *_OF_FILES)  # type: ignore[misc]  # the stubs do not repeat what must be given
def score_frame(
    df: Any,
    *,
    gold: str,
    pred: str,
    by: str | Sequence[str] | None = None,
    **options: Any,
) -> ScoreResult | GroupsResult:
    """Score a data frame of any engine supported by Narwhals under both macro F1s.

    The engine groups the rows where the data is; only the cells of the confusion matrix come back.

    Parameters
    ----------
    df
        pandas, Polars (eager or lazy), a PyArrow table, a DuckDB relation, Dask, Ibis or PySpark.
    gold, pred
        Names of the label columns. For several labels per row: two columns of lists; one column per label is an
        indicator matrix, ``score(df[golds], df[preds])``.
    by, sample_weight, count, cluster
        Names of columns, as in `macrof1.score_file`.
    labels
        The class set, in order.
    over
        The column of units that means are taken over, such as documents; or ``"rows"``; by default classes.
    missing, normalize, outside, classes, undefined, beta, exclude, positive, empty, convention
        As in `macrof1.score`.

    Notes
    -----
    Integer-valued floats are read as integers on every engine, since pandas stores integers with nulls as floats.
    Integer weights are added exactly, real ones by the engine in double precision, in its own order.

    Examples
    --------
    >>> import polars as pl
    >>> df = pl.LazyFrame({"gold": ["cat", "cat", "dog", "dog"], "pred": ["cat", "dog", "dog", "dog"]})
    >>> result = score_frame(df, gold="gold", pred="pred")
    >>> round(result.averaged_f1, 4), result.n_rows
    (0.7333, 4)
    """
    names = [] if by is None else names_of(by)
    if by is not None and not names:
        raise InputError(Message(Argument("by"), " is empty"), given=by, expected="at least one column to group by")
    request = _of_files(score_frame, (), options, gold=gold, pred=pred, by=names)
    weight, cluster = request.sample_weight, request.cluster
    wanted: dict[str, Any] = {"gold": gold, "pred": pred, "labels": request.labels, "missing": request.missing}
    if request.over is not None:
        check_units(request)
        frame = opened(df)
        if request.over == ROWS and not frame.implementation.is_pandas_like():
            df = frame.lazy().collect("pyarrow").to_native()  # rows that were grouped would have no order
        rows_of_units = distinct_frame_rows(df, by=fact_columns(request), count=request.count, **wanted)
        found = Counted.of_units(count_unit_cells(*rows_of_units, request, text=False))
        return jobs.scored(found, jobs.convention_of(request, found))
    counts = count_frame_groups(df, by=names, weight=weight, count=request.count, **wanted)
    counts, making = apply_to_groups(counts, **request.policies())
    rows = None
    if cluster is not None and not isinstance(counts.total, Confusion):
        raise jobs.clusters_of_sets()
    facts = [name for name in (cluster, weight) if name is not None]
    if facts and isinstance(counts.total, Confusion):
        read = cache(lambda: distinct_frame_rows(df, by=[*names, *facts], **wanted))
        rows = WeightedRows(read=read, text=False, request=request)
    digest = UNKNOWN_GOLD if request.count is not None else GoldRows.of_frame(df, gold)
    found = Counted(kind="rows", counts=counts if names else counts.total, making=making, rows=rows, gold=digest)
    return jobs.scored(found, jobs.convention_of(request, found))


def score_groups(df: Any = None, *, gold: Any, pred: Any, by: Any, **options: Any) -> GroupsResult:
    """Score each group of rows, and all rows together: of a data frame in one pass, or of labels in memory.

    Parameters
    ----------
    df, gold, pred, **options
        As in `macrof1.score_frame`; without `df`, labels and options as in `macrof1.score`, except `count`.
    by
        One or more columns to group by: domain, fold, seed, annotator, …; nulls form a group of their own. Without
        `df`, the group of each row, or several by name: ``{"fold": folds, "domain": domains}``.

    References
    ----------
    Forman & Scholz 2010, "Apples-to-apples in cross-validation studies".

    Examples
    --------
    >>> result = score_groups(gold=["a", "b", "a", "b"], pred=["a", "b", "a", "a"], by={"fold": [1, 1, 2, 2]})
    >>> result[1].averaged_f1, round(result[2].averaged_f1, 4)
    (1.0, 0.3333)
    >>> round(result.mean_of_scores("averaged_f1"), 4), round(result.score_of_pooled_counts("averaged_f1"), 4)
    (0.6667, 0.7333)
    """
    if df is not None:
        of_frame: GroupsResult = score_frame(df, gold=gold, pred=pred, by=by, **options)
        return of_frame
    facts = {name: options.pop(name, None) for name in ("sample_weight", "cluster")}
    if is_over_units(options.get("over")):
        return _score_units(gold, pred, by, facts, **options)
    sides, places = _rows_by_group(gold, pred, by, **facts)
    total = score(**sides, **options)
    rules: _Columns = {name: options[name] for name in ("labels", "missing") if name in options}
    given = {name: options[name] for name in ("normalize", "extract", "outside") if name in options}
    policies = Request(**given).policies()
    counts, making = apply_to_groups(_counts(sides, by, places, **rules), **policies)
    found = jobs.scored(Counted(kind="rows", counts=counts, making=making), total.convention)
    assert isinstance(found, GroupsResult)  # there are groups
    if sides["sample_weight"] is None and sides["cluster"] is None:
        return found if found.repeated else replace(found, total=total)
    if not policies["normalize"] and policies["outside"] == "wrong":
        groups, usual = [], {"labels": None, "missing": "error", **rules}
        for group, at in zip(found.groups, places.values(), strict=True):
            own = group.result
            rows = KeptRows(**_taken_all(sides, at), **usual, counts=class_counts_of(own.counts), cells=own.cells)
            groups.append(GroupScore(key=group.key, result=replace(own, rows=rows)))
        found = replace(found, groups=tuple(groups))
    # Clusters that occur in every group show how the groups are paired.
    return found if found.repeated and sides["cluster"] is None else replace(found, total=total)


def _score_units(gold: Any, pred: Any, by: Any, facts: _Columns, *, over: Any, **options: Any) -> GroupsResult:
    """Score the units of each group of rows, and of all together."""
    name, units = over_of(over)
    sides, places = _rows_by_group(gold, pred, by, **facts, over=units)

    def scored_rows(rows: _Columns) -> ScoreResult:
        own = {**rows, "over": name if units is None else {name.removeprefix(COLUMN): rows["over"]}}
        return score(**own, **options)

    total = scored_rows(sides)
    groups = tuple((key, scored_rows(_taken_all(sides, at)).counts) for key, at in places.items())
    counts = GroupedCounts(by=tuple(_named(by)), groups=groups, total=total.counts)
    found = score_grouped_counts(counts, total.convention)
    return replace(found, total=replace(found.total, gold=total.gold))


def grouped_counts(gold: Any, pred: Any, by: Any, sample_weight: Any, **options: Any) -> GroupedCounts:
    """Count labels in memory by the group of each row, and all together."""
    sides, places = _rows_by_group(gold, pred, by, sample_weight=sample_weight)
    return _counts(sides, by, places, **options)


def _counts(sides: _Columns, by: Any, places: dict[Group, list[int]], **options: Any) -> GroupedCounts:
    def counted(rows: _Columns) -> Confusion | ClassCounts:
        return known_cells(rows["gold"], rows["pred"], sample_weight=rows["sample_weight"], **options)

    groups = tuple((key, counted(_taken_all(sides, at))) for key, at in places.items())
    return GroupedCounts(by=tuple(_named(by)), groups=groups, total=counted(sides))


def _named(by: Any) -> _Columns:
    return dict(by) if isinstance(by, Mapping) else {"group": by}


def _rows_by_group(gold: Any, pred: Any, by: Any, **facts: Any) -> tuple[_Columns, dict[Group, list[int]]]:
    """Return what each row has, and the places of the rows of every group."""
    columns = _named(by)
    if not columns:
        raise EmptyError("no column to group by", argument="by", expected="at least one")
    given = {"gold": gold, "pred": pred, **facts}
    known = {name: side for name, side in given.items() if side is not None}
    named = {f"by[{name!r}]" if isinstance(by, Mapping) else "by": values for name, values in columns.items()}
    check_same_index(known | named)
    sides = {name: side if side is None or hasattr(side, "__getitem__") else list(side) for name, side in given.items()}
    n_rows = sides["gold"].shape[0] if hasattr(sides["gold"], "shape") else len(sides["gold"])
    values = [column.tolist() if hasattr(column, "tolist") else list(column) for column in columns.values()]
    for column in values:
        if len(column) != n_rows:
            raise LengthError.differ(gold=n_rows, by=len(column))
    places: dict[Group, list[int]] = {}
    for place, key in enumerate(zip(*values, strict=True)):
        places.setdefault(tuple(map(group_value, key)), []).append(place)
    return sides, {key: places[key] for key in groups_in_order(places)}


def _taken_all(sides: _Columns, at: list[int]) -> _Columns:
    """Return some rows of every column by their places, whatever its index."""
    found: _Columns = {}
    for name, side in sides.items():
        if hasattr(side, "dtype") or hasattr(side, "shape"):
            rows = side.iloc if hasattr(side, "iloc") else side.tocsr() if hasattr(side, "tocsr") else side
            found[name] = rows[at]
        else:
            found[name] = side.take(at) if hasattr(side, "take") else side and [side[place] for place in at]
    return found


@_takes("compare")
def compare_file(source: Source, *, by: str | None = None, **options: Any) -> CompareResult:
    r"""Compare systems whose predictions are in one file, or in a file per system beside one with gold.

    Parameters
    ----------
    source
        One file with all systems, or a sequence: a gold file and a file per system, files that all have gold, or, with
        `systems`, parts of one table; as in `macrof1.score_file`.
    systems
        Columns of the systems in one table; by default all but gold and ids of one file. With `id`, the column that
        names the system of each row.
    id, no_id
        The column that matches the rows of several files, or of systems below each other. By default, an id column that
        all files have; without one, rows are matched by position, with `no_id` in any case.
    by
        The column that names the system, in a table of counts, predictions or published figures.
    runs
        The column that tells the runs (seeds) of a system apart.
    matrix, rows
        Whether the files are confusion matrices, one per system, and what their rows are.
    published
        Whether the file has published precision and recall of every class, a line per system.
    gold, pred, sample_weight, count, cluster, labels, multilabel, missing, normalize, outside, header, file_format
    classes, undefined, beta, exclude, convention
        As in `macrof1.score_file`.
    baseline, equivalent, confidence_level, method, test, n_resamples, rng
        As in `macrof1.compare`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "both.csv"
    >>> _ = path.write_text("gold,a,b\nx,x,y\nx,x,x\ny,y,y\ny,x,x\n")
    >>> [(system.name, round(system.averaged_f1, 4)) for system in compare_file(path).systems]
    [('a', 0.7333), ('b', 0.5)]
    """
    return jobs.run_compare(_of_files(compare_file, source, options, by=() if by is None else by))
