"""One table, five ways to print it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass


def printable(text: str) -> str:
    """Show control characters as escapes, so that a label cannot break a line or steer a terminal."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


@dataclass(frozen=True, slots=True)
class Table:
    """Columns with a name each; the first `n_text` are text, aligned left, the others numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_text: int = 1

    def _widths(self, lines: Sequence[Sequence[str]]) -> list[int]:
        from rich.cells import cell_len

        return [max(cell_len(line[column]) for line in lines) for column in range(len(self.header))]

    def _printable(self) -> list[list[str]]:
        return [[printable(field) for field in line] for line in (self.header, *self.rows)]

    def text_width(self) -> int:
        """Return how many columns of a terminal the table takes."""
        widths = self._widths(self._printable())
        return sum(widths) + 2 * (len(widths) - 1)

    def to_text(self) -> str:
        """Align columns for a terminal."""
        from rich.cells import cell_len

        lines = self._printable()
        widths = self._widths(lines)

        def aligned(line: list[str]) -> str:
            fields = []
            for column, (field, width) in enumerate(zip(line, widths, strict=True)):
                space = " " * (width - cell_len(field))
                fields.append(field + space if column < self.n_text else space + field)
            return "  ".join(fields).rstrip()

        rule = "  ".join("─" * width for width in widths)
        return "\n".join([aligned(lines[0]), rule, *map(aligned, lines[1:])])

    def to_csv(self) -> str:
        """Quote where needed; one header line."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.header, *self.rows])
        return out.getvalue().rstrip("\n")

    def to_markdown(self) -> str:
        """Escape what Markdown would read as its own."""

        def line(fields: Sequence[str]) -> str:
            return f"| {' | '.join(map(markdown_text, fields))} |"

        rule = ["---" if column < self.n_text else "---:" for column in range(len(self.header))]
        return "\n".join([line(self.header), f"|{'|'.join(rule)}|", *map(line, self.rows)])

    def to_latex(self, *, caption: str | None = None, notes: Sequence[str] = (), broken: int | None = None) -> str:
        """Set a booktabs table; with a caption it floats, and `notes` stand below it in small print.

        `broken` is the place of a column of sentences, which is set in lines.
        """
        kinds = ["l"] * self.n_text + ["r"] * (len(self.header) - self.n_text)
        if broken is not None:
            kinds[broken] = r"p{0.4\linewidth}"
        columns = "".join(kinds)

        def line(fields: Sequence[str]) -> str:
            return " & ".join(latex_text(field) for field in fields) + r" \\"

        tabular = [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            line(self.header),
            r"\midrule",
            *map(line, self.rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
        if caption is None:
            return "\n".join(tabular)
        below = [
            r"\par\smallskip",
            rf"\parbox{{\linewidth}}{{\footnotesize {' '.join(map(latex_text, notes))}}}",
        ]
        return "\n".join(
            [
                r"\begin{table}",
                r"\centering",
                *tabular,
                *(below if notes else []),
                rf"\caption{{{caption}}}",
                r"\end{table}",
            ]
        )


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
    # Signs that pdfLaTeX does not know by themselves.
    "−": "$-$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "→": r"$\to$",
}


def markdown_text(text: str) -> str:
    """Escape what Markdown would read as its own."""
    escaped = re.sub(r"([\\|*`\[]|(?<!\w)_|_(?!\w))", r"\\\1", printable(text)).replace("<", "&lt;")
    # At the start of a line, these would make a heading, a quotation or an item of a list.
    return re.sub(r"^(\d*)(#|>|[-+](?=\s)|(?<=\d)[.)](?=\s))", r"\1\\\2", escaped)


def latex_text(text: str) -> str:
    """Escape what LaTeX would read as a command."""
    escaped = "".join(_LATEX.get(character, character) for character in printable(text))
    # At the start of a line, the end of the line before it would take these for its own.
    return "{}" + escaped if escaped.startswith(("[", "*")) else escaped
