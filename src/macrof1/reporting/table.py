"""One table, printed as text, CSV, Markdown or LaTeX."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from macrof1.errors import InputError
from macrof1.message import Argument
from macrof1.reporting.lines import broken, printable, shown_width, text_width

OutputFormat: TypeAlias = Literal["text", "json", "csv", "markdown", "latex"]
AS_CSV = Argument("format", "csv")

# The narrowest text column.
_LEAST_TEXT = 16


def checked_digits(digits: int | None) -> int | None:
    """Return the number of decimals, or reject an invalid one."""
    if digits is not None and not 0 <= digits <= 17:
        raise InputError.bad_value("digits", digits, expected="0 to 17 decimals")
    return digits


def shown_digits(digits: int | None) -> int:
    """Return the number of decimals to print for people: 4 unless requested otherwise."""
    checked_digits(digits)
    return 4 if digits is None else digits


def json_text(content: Any) -> str:
    """Print plain JSON types."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def machine_number(digits: int | None) -> Callable[[float | None], str]:
    """Return how to print numbers for programs: in full, or rounded to `digits`; nothing for None."""
    return lambda value: "" if value is None else repr(value) if digits is None else f"{value:.{digits}f}"


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns; the first `n_text` are left-aligned text, the others numbers.

    `sentences` is the index of a column of sentences, which is wrapped if space is short.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_text: int = 1
    sentences: int | None = None

    def _is_text(self, column: int) -> bool:
        return column < self.n_text or column == self.sentences

    def _printable(self) -> list[list[str]]:
        return [[printable(field) for field in line] for line in (self.header, *self.rows)]

    def text_width(self) -> int:
        """Return how many terminal columns the table takes at full width."""
        return _total(_widths(self._printable()))

    def to_text(self, width: int | None = None) -> str:
        """Align columns for a terminal width, by default that of the current terminal.

        If that is too narrow, long text is wrapped; if that is not enough, the table is split into parts, each starting
        with the first column.
        """
        most = text_width() if width is None else width
        lines = self._printable()
        widths = _widths(lines)
        if _total(widths) > most:
            least = [self._least(column, [line[column] for line in lines]) for column in range(len(widths))]
            if _total(least) > most and len(least) > 2:
                return "\n\n".join(part.to_text(most) for part in self._parts(least, most))
            # Wrap titles before the cells below them.
            widths = _shared(least, _widths(lines[1:]), widths, most=most)
        header, *rows = ([broken(field, wide) for field, wide in zip(line, widths, strict=True)] for line in lines)
        tallest = max(map(len, header))
        # Titles are aligned to the bottom, on the rule.
        titles = self._aligned([[""] * (tallest - len(field)) + field for field in header], widths)
        rule = "  ".join("─" * wide for wide in widths)
        return "\n".join([*titles, rule, *(line for row in rows for line in self._aligned(row, widths))])

    def _least(self, column: int, fields: Sequence[str]) -> int:
        """Return how narrow a column may be: numbers stay whole, titles break between words."""
        title = max(map(shown_width, fields[0].split(" ")))
        longest = max(map(shown_width, fields[1:]), default=0)
        return max(title, min(longest, _LEAST_TEXT) if self._is_text(column) else longest)

    def _parts(self, least: Sequence[int], most: int) -> list[Table]:
        """Split the table into groups of columns that fit."""
        groups: list[list[int]] = [[0]]
        for column in range(1, len(least)):
            if len(groups[-1]) > 1 and _total([least[place] for place in (*groups[-1], column)]) > most:
                groups.append([0])
            groups[-1].append(column)
        return [
            Table(
                [self.header[place] for place in group],
                [[row[place] for place in group] for row in self.rows],
                n_text=sum(place < self.n_text for place in group),
                sentences=group.index(self.sentences) if self.sentences in group else None,
            )
            for group in groups
        ]

    def _aligned(self, fields: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
        """Return the lines of one row, whose fields may have several lines."""
        found = []
        for place in range(max(map(len, fields))):
            parts = []
            for column, (pieces, wide) in enumerate(zip(fields, widths, strict=True)):
                piece = pieces[place] if place < len(pieces) else ""
                space = " " * (wide - shown_width(piece))
                parts.append(piece + space if self._is_text(column) else space + piece)
            found.append("  ".join(parts).rstrip())
        return found

    def to_csv(self) -> str:
        """Return CSV with one header line, quoted where needed."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.header, *self.rows])
        return out.getvalue().rstrip("\n")

    def to_markdown(self) -> str:
        """Return a Markdown table, with the cells escaped."""

        def line(fields: Sequence[str]) -> str:
            return f"| {' | '.join(map(markdown_text, fields))} |"

        rule = ["---" if column < self.n_text else "---:" for column in range(len(self.header))]
        return "\n".join([line(self.header), f"|{'|'.join(rule)}|", *map(line, self.rows)])

    def to_latex(self, *, caption: str | None = None, notes: Sequence[str] = ()) -> str:
        """Typeset a booktabs table; with a caption it floats, and `notes` appear below it in small print."""
        kinds = ["l"] * self.n_text + ["r"] * (len(self.header) - self.n_text)
        if self.sentences is not None:
            kinds[self.sentences] = rf"p{{{0.4 if len(kinds) <= 4 else 0.22}\linewidth}}"
        lines = [" & ".join(map(latex_text, fields)) + r" \\" for fields in self.rows]
        head = list(map(latex_text, self.header))
        if caption is None:
            return "\n".join(_tabular("".join(kinds), head, lines))
        return set_lines("".join(kinds), head, lines, caption, notes)


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


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "^": r"\textasciicircum{}",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "%": r"\%",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # Characters that pdfLaTeX does not support directly.
    "−": "$-$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "→": r"$\to$",
}


def markdown_text(text: str) -> str:
    """Escape Markdown syntax."""
    escaped = re.sub(r"([\\|*`\[]|(?<!\w)_|_(?!\w))", r"\\\1", printable(text)).replace("<", "&lt;")
    # At the start of a line, these would start a heading, a quotation or a list item.
    return re.sub(r"^(\d*)(#|>|[-+](?=\s)|(?<=\d)[.)](?=\s))", r"\1\\\2", escaped)


def latex_text(text: str) -> str:
    """Escape LaTeX special characters."""
    escaped = "".join(_LATEX.get(character, character) for character in printable(text))
    # At the start of a line, the preceding line break command would take these as its argument.
    return "{}" + escaped if escaped.startswith(("[", "*")) else escaped


# The number of lines that fit on a page; longer tables run over several.
_ONE_PAGE = 48


def set_lines(columns: str, head: Sequence[str], lines: Sequence[str], caption: str, notes: Sequence[str] = ()) -> str:
    """Typeset lines of LaTeX as one table, which runs over several pages if it is long.

    `notes` are plain text.
    """
    small_print = " ".join(map(latex_text, notes))
    if len(lines) <= _ONE_PAGE:
        below = [r"\par\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize {small_print}}}"]
        return "\n".join(
            [
                r"% needs \usepackage{booktabs}",
                r"\begin{table}",
                r"\centering",
                r"\small\setlength{\tabcolsep}{4pt}",
                *_tabular(columns, head, lines),
                *(below if notes else []),
                rf"\caption{{{caption}}}",
                r"\end{table}",
            ]
        )
    return "\n".join(
        [
            r"% needs \usepackage{booktabs,longtable}",
            r"{\footnotesize\setlength{\tabcolsep}{3pt}",
            rf"\begin{{longtable}}{{{columns}}}",
            r"\toprule",
            " & ".join(head) + r" \\",
            r"\midrule",
            r"\endhead",
            r"\bottomrule",
            r"\endfoot",
            *lines,
            rf"\caption{{{caption}}}",
            # Here the small print may also run over a page.
            *([r"\end{longtable}", rf"\noindent {small_print}\par}}"] if notes else [r"\end{longtable}}"]),
        ]
    )


def _tabular(columns: str, head: Sequence[str], lines: Sequence[str]) -> list[str]:
    titles = " & ".join(head) + r" \\"
    start = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", titles, r"\midrule"]
    return [*start, *lines, r"\bottomrule", r"\end{tabular}"]
