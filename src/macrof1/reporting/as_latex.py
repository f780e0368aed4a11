"""Documents as booktabs tables for a paper: figures and signature in the caption, sentences below in small print."""

from __future__ import annotations

from collections.abc import Sequence

from macrof1.reporting.document import Code, Facts, Part, Sentences, Table
from macrof1.reporting.lines import ended, printable

# The number of lines that fit on a page; longer tables run over several. The number of columns that fit across it.
_ONE_PAGE = 48
_MOST_COLUMNS = 8
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
    "←": r"$\leftarrow$",
    "×": r"$\times$",
    "†": r"\textdagger{}",
}


def latex_text(text: str) -> str:
    """Escape LaTeX special characters."""
    escaped = "".join(_LATEX.get(character, character) for character in printable(text))
    # At the start of a line, the preceding line break command would take these as its argument.
    return "{}" + escaped if escaped.startswith(("[", "*")) else escaped


def latex_of(title: str, parts: Sequence[Part]) -> str:
    """Typeset the parts of a document: the first table carries the figures, the signature and the sentences."""
    tables, sentences, figures, lines, advice = [], [], [], [], []
    for part in parts:
        if isinstance(part, Sentences):
            sentences += [latex_text(ended(item)) for item in part.items]
        elif isinstance(part, Code):
            # Lines may break after each part of a signature.
            lines += [latex_text(line).replace(r"\textbar{}", r"\textbar{}\allowbreak{}") for line in part.lines]
        elif isinstance(part, Facts) and part.in_caption:
            figures += [
                f"{fact.name} {fact.value}" + (f" ({fact.beside})" if fact.beside else "") for fact in part.rows
            ]
            advice += [f"% {printable(fact.name)}: {fact.advice}" for fact in part.rows if fact.advice]
        elif isinstance(part, Facts):
            tables.append(part.table())
        elif isinstance(part, Table):
            wide = len(part.header) - len(part.beneath) > _MOST_COLUMNS
            tables += part.narrow(part, None) if wide and part.narrow is not None else [part]
    found = list(advice)
    for place, table in enumerate(tables):
        said = table.print_caption or table.caption or (table.title if place else "") or title
        caption = [latex_text(ended(said.rstrip(":")))]
        if not place:
            caption += [latex_text(f"{'; '.join(figures)}.")] if figures else []
            caption += [rf"\texttt{{{line}}}" for line in lines]
        found.append(table_latex(table, caption=" ".join(caption), notes=[] if place else sentences))
    return "\n".join(found if tables else [*found, *sentences, *(rf"\texttt{{{line}}}" for line in lines)])


def table_latex(table: Table, *, caption: str | None = None, notes: Sequence[str] = ()) -> str:
    """Typeset a booktabs table; with a caption it floats, and `notes` stand below it in small print.

    `caption` and `notes` are LaTeX; a table that is too long for a page runs over several.
    """
    places = [place for place in range(len(table.header)) if place not in table.beneath]
    kinds = ["l" if place < table.n_text else "r" for place in places]
    # Columns of sentences are wrapped.
    long = [place for place in places if table.is_text(place) and any(len(row[place]) > 40 for row in table.rows)]
    for place in {*long, *([] if table.words is None else [table.words])}:
        share = 0.22 if len(kinds) > 4 else 0.8 / (1 + max(1, len(long)))
        kinds[places.index(place)] = rf"p{{{share:.2g}\linewidth}}"
    marked = table.marks is not None
    head = " & ".join([*([""] if marked else []), *(latex_text(table.header[place]) for place in places)]) + r" \\"
    columns = ("l" if marked else "") + "".join(kinds)
    lines = [line for at in range(len(table.rows)) for line in _row(table, at, places)]
    if caption is None or len(lines) <= _ONE_PAGE:
        tabular = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *lines]
        tabular += [r"\bottomrule", r"\end{tabular}"]
        if caption is None:
            return "\n".join(tabular)
        below = [r"\par\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize {' '.join(notes)}}}"] if notes else []
        start = [
            r"% needs \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            r"\small\setlength{\tabcolsep}{4pt}",
        ]
        return "\n".join([*start, *tabular, *below, rf"\caption{{{caption}}}", r"\end{table}"])
    start = [r"% needs \usepackage{booktabs,longtable}", r"{\footnotesize\setlength{\tabcolsep}{3pt}"]
    start += [rf"\begin{{longtable}}{{{columns}}}", r"\toprule", head, r"\midrule", r"\endhead"]
    # Here the small print may also run over a page.
    end = [r"\end{longtable}", rf"\noindent {' '.join(notes)}\par}}"] if notes else [r"\end{longtable}}"]
    return "\n".join([*start, r"\bottomrule", r"\endfoot", *lines, rf"\caption{{{caption}}}", *end])


def _row(table: Table, at: int, places: Sequence[int]) -> list[str]:
    """Typeset one row: superscripts, and a second line for what stands beneath."""
    row, marks = table.rows[at], table.marks
    fields = [] if marks is None else [marks.rows[at]]
    below = [""] * len(fields)
    for place in places:
        above = "" if marks is None or place not in marks.above else marks.above[place][at]
        fields.append(latex_text(row[place]) + (rf"\textsuperscript{{{above}}}" if above else ""))
        under = row[place + 1] if place + 1 in table.beneath else ""
        below.append(rf"{{\scriptsize {latex_text(under)}}}" if under else "")
    return [" & ".join(line) + r" \\" for line in (fields, *([below] if table.beneath else []))]
