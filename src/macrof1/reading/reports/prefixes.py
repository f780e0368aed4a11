"""Prefixes that a log, a quotation or a comment puts before every line of a report."""

from __future__ import annotations

import re
from itertools import groupby

from macrof1.reading.reports.vocabulary import key_of, role_of

_CLOCK = r"(?:[.,]\d+)?(?:\s?(?:Z|UTC|[AP]M|[+-]\d{2}:?\d{2}))?"
_DATE = r"(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|(?:\w{3},? )?\w{3} +\d{1,2}(?: \d{4})?|[IWEF]\d{4})"
_LEVEL = r"(?:INFO|DEBUG|WARNING|WARN|ERROR|CRITICAL|NOTICE|TRACE)\b"
_TIME = rf"[\[(]?(?:{_DATE}[T ,|-]+\d{{1,2}}:\d{{2}}(?::\d{{2}})?|\d{{1,2}}:\d{{2}}:\d{{2}}){_CLOCK}[\])]?"
# A class may be called ERROR: a log level on its own needs punctuation after it.
_FIRST = re.compile(rf"\s*(?:{_TIME}|[\[(]{_LEVEL}[\])]|{_LEVEL}(?=\s*[:|]|\s+-\s)|\[[^\[\]]*\]<std(?:out|err)>)")
_NEXT = re.compile(rf"[\s|:,-]*(?:{_TIME}|[\[(]?{_LEVEL}[\])]?)")
_SOURCE = re.compile(r"[\s|:,-]*(?P<name>\[[^\[\]]*\]|\d+ [\w./]+:\d+\]|[\w./<>]+)(?:(?<=\])|\s*[:|]|\s+-(?=\s|$))")
_END = re.compile(r"^(?: ?[|:-])? ?")
_AFTER_SOURCE = re.compile(r"^(?: ?[:-])? ?")  # here a bar belongs to a table
_QUOTED = re.compile(r"\s*(?:>+ ?|(?:#+|//|\*|--|%|;)(?:[ \t]|$))")
_RANK = re.compile(r"\s*(?:\d+|\[\w+\]|wandb):(?: |$)")  # of a process: every line has the same one
_FEWEST = 2


def without_prefixes(text: str) -> str:
    r"""Remove the prefixes of log lines, or those of every line of a quotation or a comment.

    Examples
    --------
    >>> without_prefixes("2024-05-01 10:00:01 - INFO - eval -   F1: 0.5\n2024-05-01 10:00:02 - INFO - eval -   P: 0.4")
    '  F1: 0.5\n  P: 0.4'
    """
    lines = text.splitlines()
    logged = {number: end for number, line in enumerate(lines) if (end := _end_of_marks(line))}
    if logged:
        return "\n".join(_without_sources(lines, logged))
    said = [line for line in lines if line.strip()]
    if len(said) <= _FEWEST:
        return text
    ranks = {found[0].strip() if (found := _RANK.match(line)) else None for line in said}
    if len(ranks) == 1 and None not in ranks:
        return "\n".join(_RANK.sub("", line, count=1) for line in lines)
    return "\n".join(_without_quotes(lines))


def _without_quotes(lines: list[str]) -> list[str]:
    """Remove the marks of blocks of quoted or commented lines, in the middle of code too."""
    kept = []
    for is_quoted, block in groupby(lines, key=lambda line: bool(_QUOTED.match(line) or not line.strip())):
        found = list(block)
        several = is_quoted and sum(bool(line.strip()) for line in found) > _FEWEST
        kept += [_QUOTED.sub("", line, count=1) for line in found] if several else found
    return kept


def _end_of_marks(line: str) -> int:
    """Return where dates, times and levels at the start of a line end; 0 if there are none."""
    found, end = _FIRST.match(line), 0
    while found is not None:
        end = found.end()
        found = _NEXT.match(line, end)
    return end


def _without_sources(lines: list[str], logged: dict[int, int]) -> list[str]:
    """Remove these prefixes, and module names that all lines share, from log lines."""
    separator = _END
    while len(logged) >= _FEWEST:
        found = {number: _SOURCE.match(lines[number], end) for number, end in logged.items()}
        names = {re.sub(r"\d+", "0", match["name"]) if match else "" for match in found.values()}
        # A word that all lines share may be "macro".
        if len(names) != 1 or not all(names) or any(role_of(name) or key_of(name) for name in names):
            break
        logged = {number: match.end() for number, match in found.items() if match is not None}
        separator = _AFTER_SOURCE
    rest = [line[logged.get(number, 0) :] for number, line in enumerate(lines)]
    return [separator.sub("", line, count=1) if number in logged else line for number, line in enumerate(rest)]
