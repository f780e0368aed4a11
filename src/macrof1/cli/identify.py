"""`mf1 identify`: which definitions give a number on this data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from macrof1.cli.options import File, Format, MatrixOptions, PolicyOptions, PredictionOptions, SpanOptions, names_of
from macrof1.cli.printing import print_result
from macrof1.cli.reading import read_groups, read_one_matrix, read_parts
from macrof1.errors import ColumnError, InputError
from macrof1.message import Argument, Message

if TYPE_CHECKING:
    from macrof1.scoring.identification import IdentifyResult, IdentifyTableResult


def identify(
    file: File = None,
    number: Annotated[
        str | None, "The number as printed: 0.7123, or 71.23; trailing zeros count. A leaderboard has its own."
    ] = None,
    /,
    *,
    reading: PredictionOptions,
    policies: PolicyOptions,
    by: Annotated[str | None, "Columns to group by: fold. Means over groups are then tried too."] = None,
    matrix: MatrixOptions,
    spans: SpanOptions,
    support: Annotated[
        str | None, "Of a leaderboard: gold rows of each class, where it does not print them: cat=120,dog=80."
    ] = None,
    format: Format = "text",
) -> None:
    """Find out which F1 a number is: every definition that gives it on this data, and the nearest that do not.

    - `mf1 identify preds.csv 0.7123`
    - `mf1 identify preds.csv 71.2 --by fold`
    - `mf1 identify --matrix confusion.csv --rows gold 0.7123`
    - `mf1 identify leaderboard.csv`
    """
    from macrof1.reporting.identified import render_identified

    if matrix.given() and number is None:
        file, number = None, file
    result: IdentifyResult | IdentifyTableResult
    if number is None:
        grouped = [] if by is None else [Argument("by", by)]
        result = _leaderboard(file, support, [*reading.given(), *policies.given(), *grouped, *spans.given()])
    elif support is not None:
        raise InputError.beside(Argument("support", support), Message("a number"), expected="a leaderboard alone")
    else:
        result = _number(file, number, reading, policies, by, matrix, spans)
    print_result(render_identified(result, format), format, [])


def _number(
    file: str | None,
    number: str,
    reading: PredictionOptions,
    policies: PolicyOptions,
    by: str | None,
    matrix: MatrixOptions,
    spans: SpanOptions,
) -> IdentifyResult:
    from macrof1.identifying.inputs import identify_read

    counts: Any
    if spans.wanted():
        from macrof1.counting.span_files import count_span_file

        others = [*policies.given(), *matrix.given()]
        found = count_span_file([str(file)], **spans.arguments(reading, by, others))
        counts = found.groups or found.total
    elif matrix.given():
        counts = read_one_matrix(matrix, [] if file is None else [file], reading, by)
    elif by is not None:
        counts = read_groups([str(file)], names_of(by) or [], **reading.arguments())
    else:
        counts = read_parts([str(file)], reading).counts
    return identify_read(counts, number, **policies.arguments())


def _leaderboard(file: str | None, support: str | None, others: list[Argument]) -> IdentifyTableResult:
    from macrof1.auditing.audited_tables import audit_table
    from macrof1.identifying.inputs import identify_table
    from macrof1.reading.leaderboards import named_values

    usual = "a file and a number, mf1 identify preds.csv 0.7123, or a leaderboard with a macro F1 in every row"
    if file is None:
        raise InputError("no file given", expected=usual)
    try:
        table = audit_table(file, support=named_values(support, "support", "cat=120,dog=80"))
    except ColumnError:
        raise InputError(f"no number given, and {file} is not a leaderboard", expected=usual) from None
    for given in others:
        raise InputError.beside(given, Message("a leaderboard"), expected=usual)
    return identify_table(table)
