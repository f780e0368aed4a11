"""Two rankings of systems in every output format."""

from __future__ import annotations

import json
from typing import Literal, TypeAlias, get_args

from macrof1.comparing.options import TEST_NAMES
from macrof1.comparing.result import CompareResult
from macrof1.convention import FORMULA_NAMES, FORMULAS
from macrof1.errors import InputError, counted
from macrof1.reporting.comparison_latex import comparison_latex, pairs_latex
from macrof1.reporting.comparison_tables import (
    Names,
    TableName,
    better_table,
    csv_table,
    flip_table,
    interval_table,
    of_pair,
    pair_table,
    row_table,
    run_table,
    short_names,
    summary_table,
    system_table,
)
from macrof1.reporting.lines import listed, paragraphs, text_width
from macrof1.reporting.table import Table, json_text, markdown_text, shown_digits

CompareFormat: TypeAlias = Literal["text", "json", "csv", "markdown", "latex", "html"]
_Shown: TypeAlias = Literal[TableName, "runs"]

# The most flips and pairs in a terminal, and pairs in Markdown; a table requested by name has them all.
_MOST = 10
_MOST_MARKDOWN = 45


def render_comparison(
    result: CompareResult,
    output: CompareFormat = "text",
    *,
    digits: int | None = None,
    command: str | None = None,
    table: TableName | None = None,
) -> str:
    """Print a comparison as text, JSON, CSV, Markdown, LaTeX or HTML.

    Parameters
    ----------
    digits
        Decimals of every score; by default 4, and all in CSV. JSON always has all.
    command
        The command that made the comparison, for the footer of the HTML page.
    table
        Only this table, with all its lines: the systems, the pairs with their tests, the flips, or the summary. CSV
        holds one table, by default the systems; JSON and HTML always hold all of them.
    """
    shown = shown_digits(digits)
    checked_table(output, table)
    if output == "json":
        return json_text(result.to_dict())
    if output == "csv":
        return csv_table(result, table or "systems", digits).to_csv()
    if output == "html":
        return _html(result, shown, command)
    if table is not None:
        return _one_table(result, output, table, shown)
    if output == "markdown":
        return _markdown(result, shown)
    if output == "latex":
        return comparison_latex(result, shown)
    return _text(result, shown)


def render_scores_only(result: CompareResult, output: CompareFormat = "text", *, digits: int | None = None) -> str:
    """Print the two scores of each system: a line each, or a JSON object."""
    scores = {each.name: {formula: getattr(each, formula) for formula in FORMULAS} for each in result.systems}
    if output == "json":
        return json.dumps(scores, ensure_ascii=False, allow_nan=False)
    number = "" if digits is None and output == "csv" else f".{4 if digits is None else digits}f"
    rows = [[name, *(f"{value:{number}}" for value in both.values())] for name, both in scores.items()]
    if output == "csv":
        return Table(["system", *FORMULAS], rows).to_csv()
    return "\n".join(
        " ".join([name, *(part for pair in zip(FORMULAS, both, strict=True) for part in pair)]) for name, *both in rows
    )


def checked_table(output: str, table: str | None) -> None:
    """Reject an unknown format, or a table that the format cannot print on its own."""
    if output not in get_args(CompareFormat):
        raise InputError.unknown_value("format", output, get_args(CompareFormat))
    if table is None:
        return
    if table not in get_args(TableName):
        raise InputError.unknown_value("table", table, get_args(TableName))
    printed = "text, csv or markdown" if table == "summary" else "text, csv, markdown or latex"
    if output in ("json", "html"):
        raise InputError(
            f"one table ({table}) cannot be printed as {output}", expected=printed, hint=f"{output} has all"
        )
    if output == "latex" and table == "summary":
        raise InputError("the summary cannot be printed as latex", expected=printed, hint="captions have most of it")


def has_runs(result: CompareResult) -> bool:
    """Return whether some system has several runs."""
    return any(system.runs for system in result.systems)


def headline(result: CompareResult) -> list[str]:
    """Summarise in a few lines how far the two rankings agree."""
    n_rows = "" if result.n_rows is None else f" on {counted(result.n_rows, 'row', 'rows')}"
    n_rows += "" if result.n_clusters is None else f" in {counted(result.n_clusters, 'cluster')}"
    tau = "not defined (all tied)" if result.kendall_tau is None else f"{result.kendall_tau:.4f}"
    changes = f"{result.rank_changes:,} {'changes' if result.rank_changes == 1 else 'change'} rank"
    n, of = result.discordant_pairs, result.pairs
    flips = f"{n:,} of {of:,} pairs {'flips' if n == 1 else 'flip'}"
    if of == 1:
        flips = "The pair flips" if n else "The pair does not flip"
    settled = counted(result.settled_pairs, "pair", "pairs")
    why = ": their scores lie too far apart" if result.settled_pairs else ""
    return [
        f"{counted(len(result.systems), 'system', 'systems')}{n_rows}: {changes} between the formulas",
        f"{flips}; Kendall's tau between the rankings is {tau}",
        f"{settled} provably cannot flip{why}",
    ]


def verdict(result: CompareResult) -> list[str]:
    """Say how many differences are significant, by which test, and what that test assumes."""
    if result.test is None:
        return []
    kind = "paired" if result.paired else "unpaired"
    alpha = 1 - result.confidence_level
    counts = []
    for formula in FORMULAS:
        n = sum(1 for pair in result.comparisons if of_pair(pair, formula).significant)
        counts.append(f"{n:,} under {FORMULA_NAMES[formula]}")
    correction = f", Holm's correction for {result.pairs:,} pairs" if result.pairs > 1 else ""
    correction += "" if result.baseline is None else f" with {result.baseline}"
    return [
        f"Significant differences (* p ≤ {alpha:.2g}, {kind} {TEST_NAMES[result.test]}{correction}): "
        f"{', '.join(counts)}.",
        f"Null hypothesis: {result.null_hypothesis}.",
        "Detectable: the smallest true difference that this test would find with 80% power, before correction.",
    ]


def _table(
    result: CompareResult, table: _Shown, digits: int, names: Names | None = None, most: int | None = None
) -> Table:
    """Return a table by its name, with `most` flips at most."""
    if table == "systems":
        return system_table(result, digits, names)
    if table == "runs":
        return run_table(result, digits, names)
    if table == "pairs":
        return pair_table(result, digits, names)
    return flip_table(result, digits, most, names) if table == "flips" else summary_table(result)


def _narrow_tables(result: CompareResult, table: _Shown, digits: int, names: Names | None) -> list[Table]:
    """Return a table that is too wide as several; empty if it cannot be split."""
    if table == "systems" and result.test is not None:
        return [system_table(result, digits, names, intervals=False), interval_table(result, digits, names)]
    if table == "runs":
        return [run_table(result, digits, names, formula) for formula in FORMULAS]
    if table == "pairs":
        return [*(pair_table(result, digits, names, formula) for formula in FORMULAS), row_table(result, names)]
    return []


def _table_text(result: CompareResult, table: _Shown, digits: int, most: int | None = None) -> str:
    """Print a table; a wide one is split, and names are shortened only as far as the width requires."""
    whole = _table(result, table, digits, most=most)
    if whole.text_width() <= text_width():
        return whole.to_text()
    text = ""
    for longest in (None, 40, 32, 26, 20, 16, 13, 10):
        names = None if longest is None else short_names(result, longest)
        if longest is not None and names is None:
            break
        tables = _narrow_tables(result, table, digits, names) or [_table(result, table, digits, names, most)]
        text = "\n\n".join(each.to_text() for each in tables)
        if max(each.text_width() for each in tables) <= text_width():
            break
    return text


def _text(result: CompareResult, digits: int) -> str:
    parts = [paragraphs(headline(result)), _table_text(result, "systems", digits)]
    if has_runs(result):
        parts.append(_table_text(result, "runs", digits))
    if result.flips:
        hidden = len(result.flips) - _MOST
        more = f"\n… and {counted(hidden, 'smaller flip')} (the flips table has all)" if hidden > 0 else ""
        parts.append(_table_text(result, "flips", digits, _MOST) + more)
    if result.test is not None:
        lines = verdict(result)
        if result.pairs <= _MOST:
            parts.append(_table_text(result, "pairs", digits))
            lines = [*(["p-values are corrected for all pairs (Holm)."] if result.pairs > 1 else []), *lines]
        else:
            lines.append(_more_pairs(result))
        parts.append(paragraphs(lines))
    if result.notes:
        parts.append(paragraphs(result.notes))
    parts.append(result.signature("averaged_f1"))
    return "\n\n".join(parts)


def _more_pairs(result: CompareResult) -> str:
    return f"The pairs table has the p-values of all {result.pairs:,} pairs."


def _one_table(result: CompareResult, output: CompareFormat, table: TableName, digits: int) -> str:
    if output == "latex" and table == "systems":
        return comparison_latex(result, digits)
    if output == "latex" and table == "pairs":
        return pairs_latex(result, digits)
    if output == "text" and table != "summary":
        return _table_text(result, table, digits)
    made = _table(result, table, digits)
    if output == "text":
        return listed((name, value) for name, value in made.rows)
    return made.to_latex() if output == "latex" else made.to_markdown()


def _markdown(result: CompareResult, digits: int) -> str:
    parts = [". ".join(headline(result)) + ".", system_table(result, digits).to_markdown()]
    if has_runs(result):
        parts.append(run_table(result, digits).to_markdown())
    if result.flips:
        parts.append(flip_table(result, digits).to_markdown())
    notes = [*verdict(result), *result.notes]
    if result.test is not None:
        if result.pairs <= _MOST_MARKDOWN:
            parts.append(pair_table(result, digits).to_markdown())
        else:
            notes.insert(1, _more_pairs(result))
    if notes:
        parts.append(" ".join(map(markdown_text, notes)))
    parts.append(f"`{result.signature('averaged_f1')}`")
    return "\n\n".join(parts)


def _html(result: CompareResult, digits: int, command: str | None) -> str:
    from macrof1.reporting.charts.systems import slope_chart
    from macrof1.reporting.page import Page

    page = Page("Systems under both macro F1s")
    page.text(*(f"{line}." for line in headline(result)))
    page.chart(
        slope_chart(result),
        caption="Rank of every system under averaged F1 (left) and under F1 of averages (right).",
    )
    page.heading("Systems")
    page.table(system_table(result, digits))
    if has_runs(result):
        page.heading("Runs")
        page.table(run_table(result, digits))
    if result.flips:
        page.heading("Flips: pairs whose order differs")
        page.table(flip_table(result, digits))
    if result.test is not None:
        page.heading("Which differences are real")
        page.text(*verdict(result))
        if result.pairs <= _MOST_MARKDOWN:
            page.text("p-values below are corrected by Holm's method for all pairs.")
            page.table(pair_table(result, digits))
        else:
            page.text("Others are named by their ranks under the formula that decides.")
            page.table(better_table(result))
            title = f"All {result.pairs:,} pairs, with p-values corrected by Holm's method (not printed)"
            page.folded(title, pair_table(result, digits))
    page.section("Notes", result.notes)
    page.heading("Signatures")
    page.code(*map(result.signature, FORMULAS))
    return page.html(command=command)
