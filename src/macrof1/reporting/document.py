"""What a result says: figures, sentences, tables, charts, a signature.

A result becomes one document; text, Markdown, LaTeX, HTML, CSV and JSON all render it, so no format can say less than
another, and adding a section to a result is one edit in one place. Text is kept as it is in the data: each renderer
escapes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from macrof1.message import Argument

OutputFormat: TypeAlias = Literal["text", "json", "csv", "markdown", "latex", "html"]
# Which formats show a part unless it is asked for: all, all but text, or none.
Where: TypeAlias = Literal["everywhere", "documents", "asked"]

AS_CSV = Argument("format", "csv")


@dataclass(frozen=True, slots=True)
class Fact:
    """A named figure, what stands beside it (an interval, say), and advice that nobody would print in a paper."""

    name: str
    value: str
    beside: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The first thing to read: figures by name. In LaTeX they stand in the caption of the table if `in_caption`."""

    rows: Sequence[Fact]
    name: str = ""
    title: str = ""
    in_caption: bool = False
    where: Where = "everywhere"

    def table(self) -> Table:
        """Return the figures as a table."""
        rows = [[fact.name, fact.value, ", ".join(filter(None, (fact.beside, fact.advice)))] for fact in self.rows]
        width = 3 if any(more for _, _, more in rows) else 2
        n_text = 1 if all(fact.value[:1].isdigit() for fact in self.rows) else 2
        cells = [row[:width] for row in rows]
        return Table(["", "value", ""][:width], cells, n_text, words=2 if width == 3 else None, title=self.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentences:
    """Sentences, one per line in a terminal."""

    items: Sequence[str]
    title: str = ""
    flowing: bool = False  # one paragraph
    lead: bool = False  # the summary: first in a page, and last in a terminal, which shows its last lines
    most: int | None = None  # how many a terminal shows
    more: str = ""  # the sentence behind those
    where: Where = "everywhere"


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns; the first `n_text` are left-aligned text, the others numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_text: int = 1
    words: int | None = None  # the index of a column of sentences, which is wrapped if space is short
    name: str = ""  # what it is asked for by
    title: str = ""
    caption: str = ""  # a sentence right above it
    shown: Sequence[int] | None = None  # the rows that a terminal shows
    more: str = ""  # the sentence that says how to see the others
    clip: int | None = None  # the longest first cell in a terminal
    instead: str = ""  # a sentence for the formats that do not show the table
    breaks: Sequence[int] = ()  # the columns before which a table that is too wide is split; none: before any
    spare: bool = False  # whether a terminal shows only the columns that fit, until details are asked for
    folded: bool = False  # whether a page shows it only on request
    sorts: bool = False  # whether a page sorts it by a chosen column
    where: Where = "everywhere"

    def is_text(self, column: int) -> bool:
        """Return whether a column is left-aligned."""
        return column < self.n_text or column == self.words

    def columns(self, places: Sequence[int]) -> Table:
        """Return some of the columns."""
        header, *rows = ([line[place] for place in places] for line in (self.header, *self.rows))
        words = places.index(self.words) if self.words in places else None
        n_text = sum(place < self.n_text for place in places)
        return replace(self, header=header, rows=rows, n_text=n_text, words=words, breaks=())

    def split(self, fits: Callable[[Sequence[int]], bool]) -> list[Table]:
        """Return the table as several whose columns fit, each with the first column."""
        n, found = len(self.header), [[0]]
        for group in map(range, self.breaks or range(1, n), [*(self.breaks or range(1, n))[1:], n]):
            if len(found[-1]) > 1 and not fits([*found[-1], *group]):
                found.append([0])
            found[-1] += group
        return [self.columns(places) for places in found]

    def in_terminal(self) -> Table:
        """Return the table with the rows that a terminal shows."""
        rows = self.rows if self.shown is None else [self.rows[place] for place in self.shown]
        if self.clip is not None:
            rows = [[clipped(row[0], self.clip), *row[1:]] for row in rows]
        return replace(self, rows=rows)


def clipped(text: str, most: int) -> str:
    """Shorten a long text in the middle, so that its start and its end can still be read."""
    end = (most - 1) // 2
    return text if len(text) <= most else f"{text[: most - end - 1]}…{text[-end:]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Lines to copy: signatures, commands."""

    lines: Sequence[str]
    title: str = ""
    where: Where = "everywhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A drawing, which only a page shows: the function of `charts` that draws a result, or its SVG."""

    caption: str
    kind: str = ""
    of: Any = None
    svg: str = ""
    title: str = ""
    where: Where = "everywhere"


Part: TypeAlias = Facts | Sentences | Table | Code | Chart


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A result in words and figures; parts are made when a format asks for them."""

    title: str  # the heading of a page, and the caption of its main table in print
    parts: Callable[[], Sequence[Part]]  # what people read, in order
    data: Callable[[], Any]  # what JSON holds
    records: Callable[[str], Table]  # the table that CSV holds, by its name ("" by default)
    notes: Callable[[], Sequence[str]] = tuple  # what CSV has no column for
    details: Callable[[], Sequence[Part]] = tuple  # what a page has beyond that; other formats on request
