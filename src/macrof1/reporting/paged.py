"""LaTeX tables that fit a page, or run over several, with small print below them."""

from __future__ import annotations

from collections.abc import Sequence

from macrof1.reporting.table import Table, latex_text

# So many lines fit a page; longer tables are broken between pages.
_ONE_PAGE = 48


def set_lines(columns: str, head: Sequence[str], lines: Sequence[str], caption: str, notes: Sequence[str] = ()) -> str:
    """Set lines that are LaTeX already, as one table, or as one that runs over several pages where it is long.

    `notes` are plain text.
    """
    titles = " & ".join(head) + r" \\"
    small_print = " ".join(map(latex_text, notes))
    if len(lines) <= _ONE_PAGE:
        below = [r"\par\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize {small_print}}}"]
        return "\n".join(
            [
                r"% needs \usepackage{booktabs}",
                r"\begin{table}",
                r"\centering",
                r"\small\setlength{\tabcolsep}{4pt}",
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                titles,
                r"\midrule",
                *lines,
                r"\bottomrule",
                r"\end{tabular}",
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
            titles,
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


def set_table(table: Table, caption: str, notes: Sequence[str] = (), *, broken: int | None = None) -> str:
    """Set a table of plain text; `broken` is the place of a column of sentences, which is set in lines."""
    kinds = ["l"] * table.n_text + ["r"] * (len(table.header) - table.n_text)
    if broken is not None:
        kinds[broken] = r"p{0.22\linewidth}"
    lines = [" & ".join(map(latex_text, fields)) + r" \\" for fields in table.rows]
    return set_lines("".join(kinds), list(map(latex_text, table.header)), lines, latex_text(caption), notes)
