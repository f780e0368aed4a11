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
            kinds[broken] = rf"p{{{0.4 if len(kinds) <= 4 else 0.22}\linewidth}}"
        lines = [" & ".join(map(latex_text, fields)) + r" \\" for fields in self.rows]
        head = list(map(latex_text, self.header))
        if caption is None:
            return "\n".join(_tabular("".join(kinds), head, lines))
        return set_lines("".join(kinds), head, lines, caption, notes)


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


# So many lines fit a page; longer tables are broken between pages.
_ONE_PAGE = 48


def set_lines(columns: str, head: Sequence[str], lines: Sequence[str], caption: str, notes: Sequence[str] = ()) -> str:
    """Set lines that are LaTeX already, as one table, or as one that runs over several pages where it is long.

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
            # Small print too may run over a page here.
            *([r"\end{longtable}", rf"\noindent {small_print}\par}}"] if notes else [r"\end{longtable}}"]),
        ]
    )


def _tabular(columns: str, head: Sequence[str], lines: Sequence[str]) -> list[str]:
    titles = " & ".join(head) + r" \\"
    start = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", titles, r"\midrule"]
    return [*start, *lines, r"\bottomrule", r"\end{tabular}"]
