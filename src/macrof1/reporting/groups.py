"""Scores per group in every output format."""

from __future__ import annotations

import json
from typing import get_args

from macrof1.errors import InputError, counted
from macrof1.labels import label_text
from macrof1.reporting.scores import OutputFormat, checked_digits
from macrof1.reporting.table import Table, latex_text, markdown_text, printable
from macrof1.scoring.groups import GroupsResult
from macrof1.scoring.result import ScoreResult

_POOLED = "score of pooled counts"
_MEAN = "mean of scores"


def render_groups(result: GroupsResult, output: OutputFormat = "text", *, digits: int | None = None) -> str:
    """Print a result per group as text, JSON, CSV, Markdown or LaTeX; `digits` as in `render_score`."""
    checked_digits(digits)
    shown = 4 if digits is None else digits
    if output == "json":
        return json.dumps(result.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    if output == "csv":
        return _table(result, digits).to_csv()
    table = _table(result, shown)
    signature = result.total.signature("averaged_f1")
    if output == "text":
        return "\n\n".join([table.to_text(), "\n".join(_facts(result)), signature])
    if output == "markdown":
        return "\n\n".join([table.to_markdown(), " ".join(map(markdown_text, _facts(result))), f"`{signature}`"])
    if output == "latex":
        return table.to_latex(caption=rf"\texttt{{{latex_text(signature)}}}", notes=_facts(result))
    raise InputError.unknown_value("format", output, get_args(OutputFormat))


def _facts(result: GroupsResult) -> list[str]:
    means = f"{_MEAN}: every group counts the same; {_POOLED}: every row counts the same"
    groups = counted(len(result.groups), "group")
    return [f"{groups} by {', '.join(map(printable, result.by))}; {means}.", *map(printable, result.notes)]


def _table(result: GroupsResult, digits: int | None) -> Table:
    machine = digits is None

    def number(value: float) -> str:
        return repr(value) if digits is None else f"{value:.{digits}f}"

    def whole(value: int | None) -> str:
        if value is None:
            return ""
        return str(value) if machine else f"{value:,}"

    def scores(part: ScoreResult) -> list[str]:
        return [number(part.averaged_f1), number(part.f1_of_averages), number(part.gap)]

    f_name = "F1" if result.total.beta == 1 else f"F{result.total.beta:g}"
    header = ["averaged_f1", "f1_of_averages", "gap", "n_classes", "n_rows"]
    if not machine:
        header = [f"averaged {f_name}", f"{f_name} of averages", "gap", "classes", "rows"]
    rows = [["group", *map(label_text, group.key), *scores(group.result)] for group in result.groups]
    for row, group in zip(rows, result.groups, strict=True):
        row += [whole(group.result.n_classes), whole(group.result.n_rows)]
    blank = [""] * len(result.by)
    averages = [result.mean_of_scores("averaged_f1"), result.mean_of_scores("f1_of_averages")]
    gap = result.mean_of_gaps()
    mean_name, pooled_name = ("mean_of_scores", "score_of_pooled_counts") if machine else (_MEAN, _POOLED)
    rows.append([mean_name, *blank, *map(number, [*averages, gap]), "", ""])
    rows.append([pooled_name, *blank, *scores(result.total), whole(result.total.n_classes), whole(result.total.n_rows)])
    if not machine:
        # For people the first key column also names the two averages.
        rows = [row[1:] if row[0] == "group" else [row[0], *row[2:]] for row in rows]
        return Table([*result.by, *header], rows, n_text=len(result.by))
    return Table(["scope", *result.by, *header], rows, n_text=1 + len(result.by))
