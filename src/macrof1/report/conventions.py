"""What every system would call macro F1, in every output format."""

from __future__ import annotations

import json
from collections.abc import Sequence

from macrof1.catalogue import NamedConvention
from macrof1.report.scores import OutputFormat, checked_digits
from macrof1.report.table import Table
from macrof1.scores.known import ScoreConventionsResult

__all__ = ["render_catalogue", "render_conventions"]

_EVIDENCE = {
    "run": "compared with the library",
    "recorded": "compared with its recorded output",
    "read": "by reading its source",
}


def render_catalogue(known: Sequence[NamedConvention], output: OutputFormat = "text") -> str:
    """Print the table of conventions itself."""
    if output == "json":
        return json.dumps([row.to_dict() for row in known], indent=2, ensure_ascii=False)
    header = ["name", "system", "formula", "classes", "undefined", "evidence", "source"]
    rows = [[str(row.to_dict()[column]) for column in header] for row in known]
    table = Table(header, rows, n_text=len(header))
    if output == "csv":
        return table.to_csv()
    if output == "markdown":
        return table.to_markdown()
    return table.to_latex() if output == "latex" else table.to_text()


def render_conventions(
    result: ScoreConventionsResult, output: OutputFormat = "text", *, digits: int | None = None
) -> str:
    """Print the systems grouped by value, with the reason why they differ."""
    checked_digits(digits)
    places = 4 if digits is None else digits
    if output == "json":
        return json.dumps(result.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    if output == "csv":
        rows = [
            [
                score.known.name,
                score.known.system,
                "" if score.value is None else repr(score.value) if digits is None else f"{score.value:.{digits}f}",
                score.known.convention.formula,
                score.known.convention.classes,
                str(score.known.convention.undefined),
                str(score.n_classes),
                score.known.evidence,
                score.known.source,
            ]
            for score in result.scores
        ]
        header = ["name", "system", "value", "formula", "classes", "undefined", "n_classes", "evidence", "source"]
        return Table(header, rows).to_csv()
    rows, last = [], None
    for value, members in result.groups:
        shown = "undefined" if value is None else f"{value:.{places}f}"
        for score in members:
            evidence = _EVIDENCE[score.known.evidence]
            rows.append([shown if shown != last else "", score.known.name, score.reason, evidence])
            last = shown
    table = Table(["macro F1", "convention", "what it is", "known"], rows, n_text=4)
    if output == "markdown":
        return "\n\n".join([table.to_markdown(), *result.notes])
    if output == "latex":
        return table.to_latex(caption="What real systems call macro F1, on the same predictions.")
    distinct = len({row[0] for row in rows if row[0]})
    head = f"{len(result.scores)} conventions, {distinct} different numbers for the same predictions"
    return "\n\n".join([head, table.to_text(), *result.notes])
