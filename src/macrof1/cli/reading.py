"""What commands that read predictions share: options that become counts."""

from __future__ import annotations

import csv
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from macrof1.counting.confusion import Confusion
from macrof1.counting.matrix import Rows
from macrof1.counting.saved import SavedCounts, is_saved, merge_saved, read_saved
from macrof1.counts import ClassCounts, GroupedCounts
from macrof1.errors import InputError, nearest


def given_files(file: str | None, more: Sequence[str]) -> list[str]:
    """Return all files of a call; refuse a mistyped option that stands where the first file does."""
    if file is not None and file.startswith("-") and file != "-" and not Path(file).exists():
        guess = nearest(file.partition("=")[0], _options())
        hint = f"did you mean {guess}?" if guess else "--help shows the options"
        raise InputError(f"{file} is no option and no file: expected a file of predictions, or an option; {hint}")
    return [*([] if file is None else [file]), *more]


def _options() -> set[str]:
    """Return the long options of all commands."""
    from macrof1.cli.app import app

    commands = [app[name] for name in app.resolved_commands() if not name.startswith("-")]
    arguments = [argument for command in commands for argument in command.assemble_argument_collection()]
    return {name for argument in arguments for name in argument.names if name.startswith("--")}


def names_of(text: str | None) -> list[str] | None:
    """Split names that are given as a,b,c; quotes protect commas."""
    try:
        return None if text is None else next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error:
        raise InputError(f"{text!r} has a quote that does not end, or that ends too soon: expected a,b,c") from None


def reading_options(missing: str, header: bool, input_format: str | None) -> list[str]:
    """Return the options, of those that say how rows are read, that were given."""
    given = {"--missing": missing != "error", "--no-header": not header, "--input-format": input_format is not None}
    return [option for option, was_given in given.items() if was_given]


def read_counts(files: Sequence[str], **options: Any) -> Confusion | ClassCounts:
    """Count prediction files, or merge saved counts."""
    return read_parts(files, **options).counts


def read_parts(files: Sequence[str], **options: Any) -> SavedCounts:
    """Count prediction files, or merge saved counts, and keep what must agree before more is merged."""
    if not files:
        raise InputError("no file given: expected a file of predictions, - for standard input, or --matrix FILE")
    paths = _saved_paths(files)
    if paths:
        names = ("gold", "pred", "weight", "labels", "multilabel")
        given = [f"--{name}" for name in names if options.get(name) is not None]
        given += reading_options(
            options.get("missing", "error"), options.get("header", True), options.get("file_format")
        )
        if given:
            raise InputError(f"{given[0]} given with saved counts: expected it where rows are counted, with mf1 count")
        return merge_saved([(path, read_saved(path)) for path in paths])
    from macrof1.cli.progress import progress_bar
    from macrof1.counting.tables import count_file

    with _warnings_as_lines(), progress_bar() as progress:
        counts = count_file(list(files), **options, labels_are_text=True, progress=progress)
    return SavedCounts(counts=counts, missing=options.get("missing", "error"), weight=options.get("weight"))


def read_one_matrix(
    matrix: str | None,
    rows: Rows | None,
    labels: list[str] | None,
    *,
    files: Sequence[str],
    missing: str = "error",
    header: bool = True,
    input_format: str | None = None,
    **columns: str | None,
) -> Confusion:
    """Read the confusion matrix of ``--matrix`` and ``--rows``; the rest serves predictions, and is refused."""
    from macrof1.reading.matrices import read_matrix

    if matrix is None:
        raise InputError("--rows given without --matrix: expected it only where a confusion matrix is read")
    given = [f"--{name.replace('_', '-')}" for name, value in columns.items() if value is not None]
    given += reading_options(missing, header, input_format)
    for what in (*files, *given):
        raise InputError(f"{what} given beside --matrix: expected it with predictions, or the matrix alone")
    if rows is None:
        raise InputError(
            "--matrix needs --rows: expected --rows predicted (as in the note) or --rows gold (scikit-learn)"
        )
    return read_matrix(matrix, rows=rows, labels=labels)


def read_groups(files: Sequence[str], by: list[str], **options: Any) -> GroupedCounts:
    """Count prediction files group by group."""
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
            print(f"mf1: warning: {warning.message}", file=sys.stderr)
