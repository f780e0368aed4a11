"""Documents as text for a terminal of any width, and the breaking of lines that everything printed shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from shutil import get_terminal_size

from macrof1.errors import InputError
from macrof1.reporting.document import Code, Facts, Part, Sentences, Table

# The narrowest text column.
_LEAST_TEXT = 16
# Narrower terminals get lines of this width and wrap them themselves.
_NARROWEST = 40


def text_width() -> int:
    """Return the width of the terminal; 80 columns for a pipe or a file, unless COLUMNS says otherwise."""
    return max(_NARROWEST, get_terminal_size().columns)


def printable(text: str) -> str:
    """Escape control characters, so that a label cannot break a line or control the terminal."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def shown_width(text: str) -> int:
    """Return how many terminal columns a text takes; non-ASCII characters may take two, or none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    # Marks and joiners take no column of their own.
    return sum(1 + (east_asian_width(one) in "WF") for one in text if category(one) not in {"Mn", "Me", "Cf"})


def wrapped(text: str, *, first: str = "", after: str = "", width: int | None = None) -> str:
    """Break a sentence between words, never in a path or a signature; `first` starts the first line, `after` others."""
    most = text_width() if width is None else width
    lines: list[str] = []
    line, space = first, ""
    for word in text.split(" "):
        longer = f"{line}{space}{word}"
        if space and shown_width(longer) > most:
            lines.append(line.rstrip())
            line, space = f"{after}{word}", " " if word else ""
        else:
            line, space = longer, " "
    return "\n".join([*lines, line.rstrip()])


def ended(sentence: str) -> str:
    """Return a sentence with a full stop, for formats that do not print one per line."""
    return sentence if sentence.endswith((".", ":", "?", "!", "…")) else f"{sentence}."


def broken(text: str, width: int) -> list[str]:
    """Break a table cell into lines, splitting words longer than the column."""
    if shown_width(text) <= width:
        return [text]
    pieces = []
    for line in wrapped(text, width=width).split("\n"):
        pieces.append("")
        for character in line:
            if pieces[-1] and shown_width(pieces[-1] + character) > width:
                pieces.append("")
            pieces[-1] += character
    return pieces


def text_of(parts: Sequence[Part]) -> str:
    """Print the parts of a document, with a blank line between them."""
    return "\n\n".join(filter(None, map(_part_text, parts)))


def _part_text(part: Part) -> str:
    if isinstance(part, Facts):
        wide, lines = max(shown_width(fact.name) for fact in part.rows) + 2, []
        for fact in part.rows:
            value = "   ".join(filter(None, (fact.value, fact.beside, fact.advice)))
            lines.append(wrapped(printable(value), first=f"{fact.name:<{wide}}", after=" " * wide))
        return "\n".join(lines)
    if isinstance(part, Sentences):
        if part.flowing:
            return wrapped(printable(" ".join(part.items)))
        hidden = part.most is not None and len(part.items) > part.most
        sentences = [*part.items[: part.most], part.more] if hidden else part.items
        return "\n".join(wrapped(printable(sentence), after="  ") for sentence in sentences)
    if isinstance(part, Code):
        return "\n".join(part.lines)
    if not isinstance(part, Table):
        return ""
    above = wrapped(printable(part.caption)) if part.caption else ""
    return "\n".join(filter(None, (above, table_text(part.in_terminal()), part.more)))


def table_text(table: Table, width: int | None = None) -> str:
    """Align columns for a width: long text is wrapped, and if that is not enough, the table is split into parts."""
    most = text_width() if width is None else width
    lines = [[printable(field) for field in line] for line in (table.header, *table.rows)]
    widths = _widths(lines)
    if _total(widths) > most:
        least = []
        for column, (title, *cells) in enumerate(zip(*lines, strict=True)):
            # Numbers stay whole; titles break between words.
            longest = max(map(shown_width, cells), default=0)
            word = max(map(shown_width, title.split(" ")))
            least.append(max(word, min(longest, _LEAST_TEXT) if table.is_text(column) else longest))
        if _total(least) > most and len(least) > 2:
            tables = table.split(lambda places: _total([least[place] for place in places]) <= most)
            if table.spare:
                missing = dict.fromkeys(title for title in table.header if title not in tables[0].header)
                hint = wrapped(f"(in a wider terminal, or with details: {', '.join(missing)})", width=most)
                return f"{table_text(tables[0], most)}\n{hint}"
            return "\n\n".join(table_text(each, most) for each in tables)
        # Distribute the rest: wrap titles before the cells below them; the narrowest column is next.
        goals, widths, left = (_widths(lines[1:]), widths), least, most - _total(least)
        for goal in goals:
            while left > 0 and (short := [place for place, wide in enumerate(widths) if wide < goal[place]]):
                widths[min(short, key=widths.__getitem__)] += 1
                left -= 1
    header, *rows = ([broken(field, wide) for field, wide in zip(line, widths, strict=True)] for line in lines)
    # Titles are aligned to the bottom, on the rule.
    tallest = max(map(len, header))
    titles = _aligned(table, [[""] * (tallest - len(field)) + field for field in header], widths)
    rule = "  ".join("─" * wide for wide in widths)
    return "\n".join([*titles, rule, *(line for row in rows for line in _aligned(table, row, widths))])


def _aligned(table: Table, fields: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    found = []
    for pieces in zip_longest(*fields, fillvalue=""):
        parts = []
        for column, (piece, wide) in enumerate(zip(pieces, widths, strict=True)):
            space = " " * (wide - shown_width(piece))
            parts.append(piece + space if table.is_text(column) else space + piece)
        found.append("  ".join(parts).rstrip())
    return found


def _widths(lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(shown_width, column)) for column in zip(*lines, strict=True)]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + 2 * (len(widths) - 1)


def shown_digits(digits: int | None) -> int:
    """Return the number of decimals to print for people, 4 unless requested otherwise, or reject an invalid one."""
    if digits is not None and not 0 <= digits <= 17:
        raise InputError.bad_value("digits", digits, expected="0 to 17 decimals")
    return 4 if digits is None else digits


def machine_number(digits: int | None) -> Callable[[float | None], str]:
    """Return how to print numbers for programs: in full, or rounded to `digits`; nothing for None."""
    return lambda value: "" if value is None else repr(value) if digits is None else f"{value:.{digits}f}"


def range_of(ends: tuple[float, float] | None, digits: int, to: str = " to ") -> str:
    """Print both ends of an interval; an empty string if there is none."""
    return "" if ends is None else f"{ends[0]:.{digits}f}{to}{ends[1]:.{digits}f}"
