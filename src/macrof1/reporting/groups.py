"""Scores per group in every output format."""

from __future__ import annotations

from typing import Any, get_args

from macrof1.convention import FORMULAS, Formula
from macrof1.counts import group_text
from macrof1.errors import InputError, counted
from macrof1.labels import label_text
from macrof1.reporting.intervals import ScoreIntervals
from macrof1.reporting.lines import paragraphs, printable
from macrof1.reporting.scores import formula_names
from macrof1.reporting.table import (
    OutputFormat,
    Table,
    json_text,
    latex_text,
    machine_number,
    markdown_text,
    shown_digits,
)
from macrof1.scoring.groups import GroupsResult
from macrof1.scoring.result import ScoreResult

_POOLED = "score of pooled counts"
_MEAN = "mean of scores"


def render_groups(
    result: GroupsResult,
    output: OutputFormat = "text",
    *,
    digits: int | None = None,
    confidence_level: float | None = None,
) -> str:
    """Print a result per group as text, JSON, CSV, Markdown or LaTeX; options as in `render_score`."""
    shown = shown_digits(digits)
    parts = [*(group.result for group in result.groups), result.total]
    every = [ScoreIntervals.of(part, confidence_level) for part in parts]
    if output == "json":
        return json_text(_payload(result, every))
    if output == "csv":
        return _table(result, every, digits).to_csv()
    table, facts = _table(result, every, shown), _facts(result, every)
    signature = result.total.signature("averaged_f1")
    if output == "text":
        return "\n\n".join([table.to_text(), paragraphs(facts), signature])
    if output == "markdown":
        return "\n\n".join([table.to_markdown(), " ".join(map(markdown_text, facts)), f"`{signature}`"])
    if output == "latex":
        return table.to_latex(caption=rf"\texttt{{{latex_text(signature)}}}", notes=facts)
    raise InputError.unknown_value("format", output, get_args(OutputFormat))


def _payload(result: GroupsResult, every: list[ScoreIntervals]) -> dict[str, Any]:
    found = result.to_dict()
    for part, intervals in zip([*found["groups"], found["total"]], every, strict=True):
        part |= intervals.to_dict()
    return found


def interval_facts(result: GroupsResult, every: list[ScoreIntervals]) -> list[str]:
    """List the groups whose intervals are missing or unreliable, one line per reason."""
    names = [group_text(result.by, group.key) for group in result.groups] + ["all rows together"]
    if result.repeated:
        names, every = names[:-1], every[:-1]  # the result already says it
    reasons: dict[str, list[str]] = {}
    for name, intervals in zip(names, every, strict=True):
        for note in intervals.notes:
            reasons.setdefault(note, []).append(name)
    return [f"{note} ({_some(who, len(names))})" for note, who in reasons.items()]


def _some(names: list[str], of: int) -> str:
    if len(names) == of:
        return "all groups"
    return "; ".join(names[:3]) + (f"; … {len(names) - 3:,} more" if len(names) > 3 else "")


def _facts(result: GroupsResult, every: list[ScoreIntervals]) -> list[str]:
    means = f"{_MEAN}: every group counts the same; {_POOLED}: every row counts the same"
    groups = counted(len(result.groups), "group")
    notes = [*result.notes, *interval_facts(result, every)]
    return [f"{groups} by {', '.join(map(printable, result.by))}; {means}.", *map(printable, notes)]


def _table(result: GroupsResult, every: list[ScoreIntervals], digits: int | None) -> Table:
    machine, number = digits is None, machine_number(digits)

    def whole(value: int | None) -> str:
        if value is None:
            return ""
        return str(value) if machine else f"{value:,}"

    with_ends = every[-1].level is not None

    def ends(intervals: ScoreIntervals, formula: Formula) -> list[str]:
        if not with_ends:
            return []
        if digits is not None:
            return [intervals.ends(formula, digits)]
        return ["" if end is None else repr(end) for end in intervals.values(formula)]

    def scores(part: ScoreResult, intervals: ScoreIntervals) -> list[str]:
        both = [[number(getattr(part, formula)), *ends(intervals, formula)] for formula in FORMULAS]
        return [*both[0], *both[1], number(part.gap), whole(part.n_classes), whole(part.n_rows)]

    parts = [group.result for group in result.groups]
    rows = [
        ["group", *map(label_text, group.key), *scores(part, intervals)]
        for group, part, intervals in zip(result.groups, parts, every[:-1], strict=True)
    ]
    blank = [""] * len(result.by)
    none = ScoreIntervals(every[-1].level, {})
    means = [[number(result.mean_of_scores(formula)), *ends(none, formula)] for formula in FORMULAS]
    mean_name, pooled_name = ("mean_of_scores", "score_of_pooled_counts") if machine else (_MEAN, _POOLED)
    rows.append([mean_name, *blank, *means[0], *means[1], number(result.mean_of_gaps()), "", ""])
    rows.append([pooled_name, *blank, *scores(result.total, every[-1])])
    header = _header(result, every[-1], machine=machine)
    if not machine:
        # In tables for people, the first key column also names the two averages.
        rows = [row[1:] if row[0] == "group" else [row[0], *row[2:]] for row in rows]
        return Table([*result.by, *header], rows, n_text=len(result.by))
    return Table(["scope", *result.by, *header], rows, n_text=1 + len(result.by))


def _header(result: GroupsResult, intervals: ScoreIntervals, *, machine: bool) -> list[str]:
    with_ends = intervals.level is not None
    if machine:
        names = [[formula, *([f"{formula}_low", f"{formula}_high"] if with_ends else [])] for formula in FORMULAS]
        return [*names[0], *names[1], "gap", "n_classes", "n_rows"]
    names = [[name, *([intervals.title] if with_ends else [])] for name in formula_names(result.total).values()]
    return [*names[0], *names[1], "gap", "classes", "rows"]
