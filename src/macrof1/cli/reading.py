"""Shared by commands that read predictions: from options to counts."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from macrof1.cli.options import MatrixOptions, PredictionOptions, names_of
from macrof1.cli.streams import say_at_the_end
from macrof1.errors import InputError
from macrof1.message import Argument, Message, Part

if TYPE_CHECKING:
    from macrof1.counting.confusion import Confusion
    from macrof1.counting.saved import SavedCounts
    from macrof1.counts import ClassCounts, GroupedCounts
    from macrof1.reading.files import InputFile


def given_files(file: str | None, more: Sequence[str]) -> list[str]:
    """Return all files of a call."""
    return [*([] if file is None else [file]), *more]


def refuse_without_file(given: Sequence[Argument], command: str) -> None:
    """Reject options about a file if there is none."""
    for each in given:
        expected = Message(f"mf1 {command} FILE ", each.bare, " …")
        raise InputError(Message(each.bare, " needs a file"), given=each.value, expected=expected)


def read_parts(files: Sequence[str] | Sequence[InputFile], reading: PredictionOptions) -> SavedCounts:
    """Count prediction files, or merge saved counts, and keep what must agree in later merges."""
    from macrof1.counting.saved import SavedCounts, holds_counts, merge_saved, parse_saved
    from macrof1.reading.files import opened_files

    if not files:
        raise InputError("no file given", expected="a file of predictions, - for standard input, or --matrix FILE")
    with opened_files(files) as opened:
        saved = [file for file in opened if holds_counts(file)]
        if saved and len(saved) < len(opened):
            other = next(file.name for file in opened if file not in saved)
            raise InputError.beside(
                Message(other),
                Message("saved counts"),
                expected="predictions or *.counts.json, not both",
                hint="count it first",
            )
        if saved:
            for given in reading.given():
                raise InputError.beside(
                    given,
                    Message("saved counts"),
                    expected="the counts alone",
                    hint="it applies where rows are counted (mf1 count)",
                )
            return merge_saved([(file.name, parse_saved(file.text(), file.name)) for file in saved])
        from macrof1.cli.progress import progress_bar
        from macrof1.counting.tables import count_file

        with _warnings_as_lines(), progress_bar() as progress:
            counts = count_file(opened, **reading.arguments(), labels_are_text=True, progress=progress)
    return SavedCounts(counts=counts, missing=reading.missing, weight=reading.weight)


def read_one_matrix(
    options: MatrixOptions, files: Sequence[str], reading: PredictionOptions, by: str | None = None
) -> Confusion:
    """Read the confusion matrix of ``--matrix`` and ``--rows``; reject options that only apply to predictions."""
    from macrof1.counting.matrix_tables import read_matrix

    if options.matrix is None:
        raise InputError("--rows needs --matrix FILE", argument="rows", given=options.rows)
    for given in (*_rows(files, by), *reading.given("labels")):
        raise InputError.beside(given, "matrix", expected="either predictions or a matrix")
    return read_matrix(options.matrix, rows=options.rows, labels=names_of(reading.labels))


def read_report_counts(
    source: str, matrix: MatrixOptions, files: Sequence[str], reading: PredictionOptions, by: str | None
) -> ClassCounts:
    """Read the counts behind the report of ``--report``; reject options that apply to predictions or a matrix."""
    from macrof1.auditing.audited_texts import report_counts
    from macrof1.reading.files import whole_text

    for given in (*_rows(files, by), *matrix.given(), *reading.given()):
        raise InputError.beside(given, "report", expected="the report alone")
    text, _ = whole_text(source, expected="a report or a table of figures")
    return report_counts(text)


def read_groups(files: Sequence[str], by: list[str], **options: Any) -> GroupedCounts:
    """Count prediction files group by group; options as in `count_file_groups`."""
    if not files:
        raise InputError("no file given", expected="a file of predictions, or - for standard input")
    from macrof1.cli.progress import progress_bar
    from macrof1.counting.saved import is_saved
    from macrof1.counting.tables import count_file_groups

    if any(isinstance(file, str) and is_saved(file) for file in files):
        saved = Message("saved counts, which have no groups")
        raise InputError.beside(Argument("by", by), saved, expected="files of predictions")
    with _warnings_as_lines(), progress_bar() as progress:
        return count_file_groups(list(files), by=by, **options, labels_are_text=True, progress=progress)


def _rows(files: Sequence[str], by: str | None) -> list[Part]:
    """Return what was given about rows: files and a grouping."""
    return [*map(Message, files), *([] if by is None else [Argument("by", by)])]


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Print warnings as one line each, once the work is done."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in caught:
        if issubclass(warning.category, UserWarning):
            say_at_the_end(f"warning: {warning.message}")
