"""`mf1 identify`: which definitions give a number on this data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from macrof1.cli.parsing import Given
from macrof1.cli.printing import print_document
from macrof1.cli.reading import request_of, running
from macrof1.errors import ColumnError, InputError
from macrof1.message import Message

if TYPE_CHECKING:
    from macrof1.request import Request
    from macrof1.scoring.identification import IdentifyResult, IdentifyTableResult


def identify(given: Given) -> None:
    """Find out which F1 a number is: every definition that gives it on this data, and the nearest that do not.

    - `mf1 identify preds.csv 0.7123`
    - `mf1 identify preds.csv 71.2 --by fold`
    - `mf1 identify --matrix confusion.csv --rows gold 0.7123`
    - `mf1 identify leaderboard.csv`
    """
    from macrof1.reporting.rendering import document
    from macrof1.running.identifying import run_identify

    words = list(given.words)
    number = words.pop() if len(words) == (1 if given["matrix"] else 2) else None
    request = request_of(Given(given.command, words, given.options))
    result: IdentifyResult | IdentifyTableResult
    if number is None:
        result = _leaderboard(request, given["support"])
    else:
        with running(request) as asked:
            result = run_identify(asked, number)
    print_document(given, document(result))


def _leaderboard(request: Request, support: str | None) -> IdentifyTableResult:
    from macrof1.auditing.audited_tables import audit_table
    from macrof1.reading.leaderboards import named_values
    from macrof1.running.identifying import identify_table

    usual = "a file and a number, mf1 identify preds.csv 0.7123, or a leaderboard with a macro F1 in every row"
    if not request.files:
        raise InputError("no file given", expected=usual)
    try:
        table = audit_table(request.files[0], support=named_values(support, "support", "cat=120,dog=80"))
    except ColumnError:
        raise InputError(f"no number given, and {request.files[0]} is not a leaderboard", expected=usual) from None
    if request.kind != "rows":
        raise InputError.beside(request.kind, Message("a leaderboard"), expected=usual)
    request.check("identify", "published")
    return identify_table(table)
