"""Documents as text for a terminal of any width."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from macrof1.reporting.document import Code, Facts, Part, Sentences, Table
from macrof1.reporting.lines import broken, listed, paragraphs, printable, shown_width, text_width, wrapped

# The narrowest text column.
_LEAST_TEXT = 16


def text_of(parts: Sequence[Part]) -> str:
    """Print the parts of a document, with a blank line between them."""
    return "\n\n".join(filter(None, map(_part_text, parts)))


def _part_text(part: Part) -> str:
    if isinstance(part, Facts):
        beside = [[fact.value, fact.beside, fact.advice] for fact in part.rows]
        return listed((fact.name, "   ".join(filter(None, more))) for fact, more in zip(part.rows, beside, strict=True))
    if isinstance(part, Sentences):
        if part.flowing:
            return wrapped(printable(" ".join(part.items)))
        hidden = part.most is not None and len(part.items) > part.most
        return paragraphs([*part.items[: part.most], part.more] if hidden else part.items)
    if isinstance(part, Code):
        return "\n".join(part.lines)
    return _shown_table(part) if isinstance(part, Table) else ""


def _shown_table(table: Table) -> str:
    """Print what a terminal shows of a table, split if it is too wide."""
    shown = table.in_terminal()
    tables: Sequence[Table] = [shown]
    if shown.narrow is not None and table_width(shown) > text_width():
        tables = shown.narrow(shown, text_width())
    text = "\n\n".join(map(list_text if table.listed else table_text, tables))
    above = wrapped(printable(table.caption)) if table.caption else ""
    return "\n".join(filter(None, (above, text, table.more)))


def list_text(table: Table) -> str:
    """Print every row as an entry below its first cell, which is printed once for rows that share it."""
    indent = " " * (max(shown_width(row[0]) for row in table.rows) + 2)
    blocks = []
    for first, rows in groupby(table.rows, key=lambda row: row[0]):
        lines, start = [], f"{printable(first):<{len(indent)}}"
        for row in rows:
            lines.append(wrapped(printable(row[1]), first=start, after=indent))
            lines += [wrapped(printable(cell), first=f"{indent}  ", after=f"{indent}  ") for cell in row[2:]]
            start = indent
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _printable(table: Table) -> list[list[str]]:
    return [[printable(field) for field in line] for line in (table.header, *table.rows)]


def table_width(table: Table) -> int:
    """Return how many terminal columns a table takes at full width."""
    return _total(_widths(_printable(table)))


def table_text(table: Table, width: int | None = None) -> str:
    """Align columns for a terminal width, by default that of the current terminal.

    If that is too narrow, long text is wrapped; if that is not enough, the table is split into parts, each starting
    with the first column.
    """
    most = text_width() if width is None else width
    lines = _printable(table)
    widths = _widths(lines)
    if _total(widths) > most:
        least = [_least(table, column, [line[column] for line in lines]) for column in range(len(widths))]
        if _total(least) > most and len(least) > 2:
            return "\n\n".join(table_text(part, most) for part in _split(table, least, most))
        # Wrap titles before the cells below them.
        widths = _shared(least, _widths(lines[1:]), widths, most=most)
    header, *rows = ([broken(field, wide) for field, wide in zip(line, widths, strict=True)] for line in lines)
    tallest = max(map(len, header))
    # Titles are aligned to the bottom, on the rule.
    titles = _aligned(table, [[""] * (tallest - len(field)) + field for field in header], widths)
    rule = "  ".join("─" * wide for wide in widths)
    return "\n".join([*titles, rule, *(line for row in rows for line in _aligned(table, row, widths))])


def _least(table: Table, column: int, fields: Sequence[str]) -> int:
    """Return how narrow a column may be: numbers stay whole, titles break between words."""
    title = max(map(shown_width, fields[0].split(" ")))
    longest = max(map(shown_width, fields[1:]), default=0)
    return max(title, min(longest, _LEAST_TEXT) if table.is_text(column) else longest)


def _split(table: Table, least: Sequence[int], most: int) -> list[Table]:
    """Split a table into groups of columns that fit."""
    groups: list[list[int]] = [[0]]
    for column in range(1, len(least)):
        if len(groups[-1]) > 1 and _total([least[place] for place in (*groups[-1], column)]) > most:
            groups.append([0])
        groups[-1].append(column)
    return [table.columns(group) for group in groups]


def _aligned(table: Table, fields: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    """Return the lines of one row, whose fields may have several lines."""
    found = []
    for place in range(max(map(len, fields))):
        parts = []
        for column, (pieces, wide) in enumerate(zip(fields, widths, strict=True)):
            piece = pieces[place] if place < len(pieces) else ""
            space = " " * (wide - shown_width(piece))
            parts.append(piece + space if table.is_text(column) else space + piece)
        found.append("  ".join(parts).rstrip())
    return found


def _widths(lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(shown_width, column)) for column in zip(*lines, strict=True)]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + 2 * (len(widths) - 1)


def _shared(least: Sequence[int], *wanted: Sequence[int], most: int) -> list[int]:
    """Distribute the space beyond the minimum widths: earlier wishes first, and the narrowest column next."""
    widths, left = list(least), most - _total(least)
    for goal in wanted:
        while left > 0 and (short := [place for place, wide in enumerate(widths) if wide < goal[place]]):
            widths[min(short, key=widths.__getitem__)] += 1
            left -= 1
    return widths
