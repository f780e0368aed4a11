"""Files scored in one call, as `mf1 score` does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from macrof1.convention import ClassSet, Convention, Undefined
from macrof1.counting.labels import Missing
from macrof1.scoring.groups import GroupsResult, score_grouped_counts
from macrof1.scoring.macro import score_counts
from macrof1.scoring.result import ScoreResult

if TYPE_CHECKING:
    from macrof1.reading.files import Source
    from macrof1.reading.tables import FileFormat


def score_file(
    source: Source,
    *,
    gold: str | None = None,
    pred: str | None = None,
    weight: str | None = None,
    labels: Iterable[object] | None = None,
    multilabel: str | None = None,
    missing: Missing = "error",
    header: bool = True,
    file_format: FileFormat | None = None,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    convention: str | Convention | None = None,
) -> ScoreResult:
    r"""Score a prediction file of any size, under both macro F1s; memory grows with distinct pairs of labels.

    Parameters
    ----------
    source
        Path of a CSV, TSV, JSON-lines, Parquet or Arrow file, plain or compressed (.gz, .zst); a pattern
        (``"preds/*.csv.gz"``); a folder of Parquet files; ``"-"`` for standard input; or a sequence of these, which
        are scored as one table.
    gold, pred, weight
        Column names, or positions counted from 1, as text. Without them, columns with usual names are taken
        (``gold``, ``y_true``, …; ``pred``, ``y_pred``, …), and every row counts once.
    labels
        The class set, in order. In CSV and TSV files labels are text; typed files keep their types.
    multilabel
        The mark between the labels of a field, where rows carry several: ``";"``. An empty field then is a row without
        labels. Columns of lists, in Parquet, Arrow and JSON lines, need no mark.
    missing
        Rows without a label: ``"error"``, ``"drop"`` (and report) or ``"label"`` (a class).
    header
        Whether the first line of a CSV or TSV file names the columns.
    file_format
        ``"csv"``, ``"tsv"``, ``"jsonl"``, ``"parquet"`` or ``"arrow"``, where neither name nor content tells.
    classes, undefined, beta, convention
        As in `macrof1.score`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "preds.csv"
    >>> _ = path.write_text("gold,pred\ncat,cat\ncat,dog\ndog,dog\ndog,dog\n")
    >>> result = score_file(path)
    >>> round(result.averaged_f1, 4), round(result.f1_of_averages, 4), result.n_rows
    (0.7333, 0.7895, 4)
    """
    from macrof1.counting.tables import count_file  # loads Polars

    counts = count_file(
        source,
        gold=gold,
        pred=pred,
        weight=weight,
        labels=labels,
        multilabel=multilabel,
        missing=missing,
        header=header,
        file_format=file_format,
    )
    return score_counts(counts, classes=classes, undefined=undefined, beta=beta, convention=convention)


def score_file_groups(
    source: Source,
    *,
    by: str | Sequence[str],
    gold: str | None = None,
    pred: str | None = None,
    weight: str | None = None,
    labels: Iterable[object] | None = None,
    multilabel: str | None = None,
    missing: Missing = "error",
    header: bool = True,
    file_format: FileFormat | None = None,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    convention: str | Convention | None = None,
) -> GroupsResult:
    r"""Score every group of rows of a file and all rows together, in one pass.

    Parameters
    ----------
    source, gold, pred, weight, labels, multilabel, missing, header, file_format
        As in `macrof1.score_file`.
    by
        One or more columns to group by, by name or position. In CSV and TSV files groups are text.
    classes, undefined, beta, convention
        As in `macrof1.score`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "preds.csv"
    >>> _ = path.write_text("fold,gold,pred\n1,a,a\n1,b,b\n2,a,a\n2,b,a\n")
    >>> result = score_file_groups(path, by="fold")
    >>> result["1"].averaged_f1, round(result.mean_of_scores("averaged_f1"), 4)
    (1.0, 0.6667)
    """
    from macrof1.counting.tables import count_file_groups  # loads Polars

    counts = count_file_groups(
        source,
        by=by,
        gold=gold,
        pred=pred,
        weight=weight,
        labels=labels,
        multilabel=multilabel,
        missing=missing,
        header=header,
        file_format=file_format,
    )
    return score_grouped_counts(counts, classes=classes, undefined=undefined, beta=beta, convention=convention)
