"""What commands that read predictions share: options that become counts."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from macrof1.cli.options import MatrixOptions, PredictionOptions, names_of
from macrof1.cli.streams import say
from macrof1.errors import InputError

if TYPE_CHECKING:
    from macrof1.counting.confusion import Confusion
    from macrof1.counting.saved import SavedCounts
    from macrof1.counts import ClassCounts, GroupedCounts


def given_files(file: str | None, more: Sequence[str]) -> list[str]:
    """Return all files of a call."""
    return [*([] if file is None else [file]), *more]


def read_counts(files: Sequence[str], reading: PredictionOptions) -> Confusion | ClassCounts:
    """Count prediction files, or merge saved counts."""
    return read_parts(files, reading).counts


def read_parts(files: Sequence[str], reading: PredictionOptions) -> SavedCounts:
    """Count prediction files, or merge saved counts, and keep what must agree before more is merged."""
    from macrof1.counting.saved import SavedCounts, merge_saved, read_saved

    if not files:
        raise InputError("no file given: expected a file of predictions, - for standard input, or --matrix FILE")
    paths = _saved_paths(files)
    if paths:
        for given in reading.given():
            raise InputError(f"{given} given with saved counts: expected it where rows are counted, with mf1 count")
        return merge_saved([(path, read_saved(path)) for path in paths])
    from macrof1.cli.progress import progress_bar
    from macrof1.counting.tables import count_file

    with _warnings_as_lines(), progress_bar() as progress:
        counts = count_file(list(files), **reading.arguments(), labels_are_text=True, progress=progress)
    return SavedCounts(counts=counts, missing=reading.missing, weight=reading.weight)


def read_one_matrix(
    options: MatrixOptions, files: Sequence[str], reading: PredictionOptions, by: str | None = None
) -> Confusion:
    """Read the confusion matrix of ``--matrix`` and ``--rows``; what serves predictions alone is refused."""
    from macrof1.counting.matrix_tables import read_matrix

    if options.matrix is None:
        raise InputError("--rows given without --matrix: expected it only where a confusion matrix is read")
    for given in (*files, *(["--by"] if by is not None else []), *reading.given("labels")):
        raise InputError(f"{given} given beside --matrix: expected it with predictions, or the matrix alone")
    return read_matrix(options.matrix, rows=options.rows, labels=names_of(reading.labels))


def read_report_counts(
    source: str, matrix: MatrixOptions, files: Sequence[str], reading: PredictionOptions, by: str | None
) -> ClassCounts:
    """Read the counts behind the report of ``--report``; what serves predictions or a matrix is refused."""
    from macrof1.auditing.text import report_counts
    from macrof1.reading.reports.files import report_text

    others = [*(["--by"] if by is not None else []), *(["--matrix"] if matrix.given else [])]
    for given in (*files, *others, *reading.given()):
        raise InputError(f"{given} given beside --report: expected the report alone")
    return report_counts(report_text(source))


def read_groups(files: Sequence[str], by: list[str], **options: Any) -> GroupedCounts:
    """Count prediction files group by group; options as in `count_file_groups`."""
    if not files:
        raise InputError("no file given: expected a file of predictions, or - for standard input")
    if _saved_paths(files):
        raise InputError("--by given with saved counts, which know no groups: expected files of predictions")
    from macrof1.cli.progress import progress_bar
    from macrof1.counting.tables import count_file_groups

    with _warnings_as_lines(), progress_bar() as progress:
        return count_file_groups(list(files), by=by, **options, labels_are_text=True, progress=progress)


def holds_counts(file: str) -> bool:
    """Tell saved counts by the name of the file; on standard input by how they begin."""
    from macrof1.counting.saved import is_saved

    if file != "-":
        return is_saved(file)
    peek = getattr(getattr(sys.stdin, "buffer", None), "peek", None)
    return peek is not None and b'"macrof1 counts"' in peek(200)[:200]


def _saved_paths(files: Sequence[str]) -> list[str]:
    """Return the paths of saved counts; refuse them beside predictions."""
    from glob import glob, has_magic

    saved = [file for file in files if holds_counts(file)]
    if saved and len(saved) < len(files):
        other = next(file for file in files if not holds_counts(file))
        raise InputError(
            f"{other} given beside saved counts: expected either predictions or *.counts.json; count it first"
        )
    paths: list[str] = []
    for file in saved:
        matches = sorted(glob(file)) if has_magic(file) else []  # noqa: PTH207  # may be absolute
        paths += matches or [file]
    if len(set(paths)) < len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        raise InputError(f"{twice} is named twice: expected every file once; its rows would count double")
    return paths


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Print warnings as one line each, once the work is done."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in caught:
        if issubclass(warning.category, UserWarning):
            say(f"warning: {warning.message}")
