"""Documents as Markdown, and as LaTeX for a paper: figures and signature in the caption, sentences in small print."""

from __future__ import annotations

import re
from collections.abc import Sequence

from macrof1.reporting.as_text import ended, printable
from macrof1.reporting.document import Code, Facts, Part, Sentences, Table

# The number of lines that fit on a page; longer tables run over several. The number of columns that fit across it.
_ONE_PAGE = 48
_MOST_COLUMNS = 8
_LATEX = str.maketrans({
    "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%", "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # Characters that pdfLaTeX does not support directly.
    "−": "$-$", "≤": r"$\le$", "≥": r"$\ge$", "→": r"$\to$", "←": r"$\leftarrow$", "×": r"$\times$",
    "†": r"\textdagger{}",
})  # fmt: skip


def markdown_of(parts: Sequence[Part]) -> str:
    """Print the parts of a document as paragraphs and tables."""
    found = []
    for part in parts:
        if isinstance(part, Sentences):
            said = [markdown_text(ended(item)) for item in part.items]
            # Findings are many and alike: a list. Other sentences are a paragraph.
            found.append("\n".join(f"- {item}" for item in said) if part.most is not None else " ".join(said))
        elif isinstance(part, Code):
            found += [f"`{line}`" for line in part.lines]
        elif isinstance(part, Facts):
            found.append(table_markdown(part.table()))
        elif isinstance(part, Table):
            found += [markdown_text(part.caption), table_markdown(part)]
    return "\n\n".join(filter(None, found))


def table_markdown(table: Table) -> str:
    """Return a Markdown table, with the cells escaped."""

    def line(fields: Sequence[str]) -> str:
        return f"| {' | '.join(map(markdown_text, fields))} |"

    rule = ["---" if table.is_text(column) else "---:" for column in range(len(table.header))]
    return "\n".join([line(table.header), f"|{'|'.join(rule)}|", *map(line, table.rows)])


def markdown_text(text: str) -> str:
    """Escape Markdown syntax."""
    escaped = re.sub(r"([\\|*`\[]|(?<!\w)_|_(?!\w))", r"\\\1", printable(text)).replace("<", "&lt;")
    # At the start of a line, these would start a heading, a quotation or a list item.
    return re.sub(r"^(\d*)(#|>|[-+](?=\s)|(?<=\d)[.)](?=\s))", r"\1\\\2", escaped)


def latex_text(text: str) -> str:
    """Escape LaTeX special characters."""
    escaped = printable(text).translate(_LATEX)
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
            is_wide = part.breaks and len(part.header) > _MOST_COLUMNS
            tables += part.split(lambda places: len(places) <= _MOST_COLUMNS) if is_wide else [part]
    found = list(advice)
    for place, table in enumerate(tables):
        said = table.caption or (table.title if place else "") or title
        caption = [latex_text(ended(said.rstrip(":")))]
        if not place:
            caption += [latex_text(f"{'; '.join(figures)}.")] if figures else []
            caption += [rf"\texttt{{{line}}}" for line in lines]
        found.append(table_latex(table, caption=" ".join(caption), notes=[] if place else sentences))
    return "\n".join(found if tables else [*found, *sentences, *(rf"\texttt{{{line}}}" for line in lines)])


def table_latex(table: Table, *, caption: str | None = None, notes: Sequence[str] = ()) -> str:
    """Typeset a table, over several pages if need be; with a caption it floats. `caption` and `notes` are LaTeX."""
    n = len(table.header)
    # Columns of sentences are wrapped.
    long = [
        table.is_text(column) and (column == table.words or any(len(row[column]) > 40 for row in table.rows))
        for column in range(n)
    ]
    wide = rf"p{{{0.22 if n > 4 else 0.8 / (1 + sum(long)):.2g}\linewidth}}"
    columns = "".join(wide if long[place] else "l" if table.is_text(place) else "r" for place in range(n))
    head, *lines = (" & ".join(map(latex_text, line)) + r" \\" for line in (table.header, *table.rows))
    if caption is not None and len(lines) > _ONE_PAGE:
        start = [r"% needs \usepackage{booktabs,longtable}", r"{\footnotesize\setlength{\tabcolsep}{3pt}"]
        start += [rf"\begin{{longtable}}{{{columns}}}", r"\toprule", head, r"\midrule", r"\endhead"]
        # Here the small print may also run over a page.
        end = [r"\end{longtable}", rf"\noindent {' '.join(notes)}\par}}"] if notes else [r"\end{longtable}}"]
        return "\n".join([*start, r"\bottomrule", r"\endfoot", *lines, rf"\caption{{{caption}}}", *end])
    tabular = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *lines, r"\bottomrule"]
    tabular.append(r"\end{tabular}")
    if caption is None:
        return "\n".join(tabular)
    below = [r"\par\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize {' '.join(notes)}}}"] if notes else []
    start = [r"% needs \usepackage{booktabs}", r"\begin{table}", r"\centering", r"\small\setlength{\tabcolsep}{4pt}"]
    return "\n".join([*start, *tabular, *below, rf"\caption{{{caption}}}", r"\end{table}"])
