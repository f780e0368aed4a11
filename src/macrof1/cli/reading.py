"""What commands that read predictions share: options that become counts."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from macrof1.cli.spelling import option
from macrof1.cli.streams import say
from macrof1.errors import InputError
from macrof1.message import Argument

if TYPE_CHECKING:
    from macrof1.counting.cells import GroupedCounts
    from macrof1.counting.confusion import ClassCounts, Confusion
    from macrof1.counting.saved import SavedCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Which columns of predictions are read, and how; the defaults are those of every command."""

    gold: str | None = None
    pred: str | None = None
    weight: str | None = None
    labels: str | None = None
    multilabel: str | None = None
    missing: str = "error"
    header: bool = True
    input_format: str | None = None

    def given(self, *beside: str) -> list[str]:
        """Return the options that were given, as they are typed; those of `beside` go with what is read."""
        found = [each for each in fields(self) if getattr(self, each.name) != each.default and each.name not in beside]
        return ["--no-header" if each.name == "header" else option(Argument(each.name)) for each in found]

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the functions that count files."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        found.update(labels=names_of(self.labels), file_format=found.pop("input_format"))
        return found


def given_files(file: str | None, more: Sequence[str]) -> list[str]:
    """Return all files of a call."""
    return [*([] if file is None else [file]), *more]


def names_of(text: str | None) -> list[str] | None:
    """Split names that are given as a,b,c; quotes protect commas."""
    try:
        return None if text is None else next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error:
        raise InputError(f"{text!r} has a quote that does not end, or that ends too soon: expected a,b,c") from None


def read_counts(files: Sequence[str], reading: Reading) -> Confusion | ClassCounts:
    """Count prediction files, or merge saved counts."""
    return read_parts(files, reading).counts


def read_parts(files: Sequence[str], reading: Reading) -> SavedCounts:
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
    return SavedCounts(counts=counts, missing=reading.missing, weight=reading.weight)  # type: ignore[arg-type]  # checked


def read_one_matrix(
    matrix: str | None, rows: Any, files: Sequence[str], reading: Reading, by: str | None = None
) -> Confusion:
    """Read the confusion matrix of ``--matrix`` and ``--rows``; what serves predictions alone is refused."""
    from macrof1.reading.matrices import read_matrix

    if matrix is None:
        raise InputError("--rows given without --matrix: expected it only where a confusion matrix is read")
    for given in (*files, *(["--by"] if by is not None else []), *reading.given("labels")):
        raise InputError(f"{given} given beside --matrix: expected it with predictions, or the matrix alone")
    if rows is None:
        raise InputError(
            "--matrix needs --rows: expected --rows predicted (as in the paper) or --rows gold (scikit-learn)"
        )
    return read_matrix(matrix, rows=rows, labels=names_of(reading.labels))


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


def _saved_paths(files: Sequence[str]) -> list[str]:
    """Return the paths of saved counts; refuse them beside predictions."""
    from glob import glob, has_magic

    from macrof1.counting.saved import is_saved

    saved = [file for file in files if is_saved(file)]
    if saved and len(saved) < len(files):
        other = next(file for file in files if not is_saved(file))
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
