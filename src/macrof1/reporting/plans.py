"""How many test rows it takes to detect a difference, in every output format."""

from __future__ import annotations

from typing import get_args

from macrof1.convention import FORMULA_NAMES, FORMULAS
from macrof1.errors import InputError, counted
from macrof1.reporting.lines import paragraphs, wrapped
from macrof1.reporting.table import OutputFormat, Table, json_text, markdown_text
from macrof1.sampling.planning import PlanResult


def render_plan(result: PlanResult, output: OutputFormat = "text") -> str:
    """Print a plan as text, JSON, CSV, Markdown or LaTeX.

    Examples
    --------
    >>> import macrof1
    >>> systems = {"x": ["a", "b", "b", "b"] * 100, "y": ["a", "a"] * 200}
    >>> found = macrof1.plan(["a", "b"] * 200, systems, difference=0.05)
    >>> print(headline(found))
    To detect a true difference of 0.05 with 80% power (p ≤ 0.05, both systems on the same rows):
    """
    if output == "json":
        return json_text(result.to_dict())
    if output == "csv":
        return _table(result, machine=True).to_csv()
    table, facts = _table(result, machine=False), _facts(result)
    if output == "text":
        return "\n\n".join([wrapped(headline(result)), table.to_text(), paragraphs(facts)])
    if output == "markdown":
        return "\n\n".join([headline(result), table.to_markdown(), " ".join(map(markdown_text, facts))])
    if output == "latex":
        return table.to_latex(caption=headline(result).rstrip(":") + ".", notes=facts)
    raise InputError.unknown_value("format", output, get_args(OutputFormat))


def headline(result: PlanResult) -> str:
    """Say what was requested."""
    rows = "both systems on the same rows" if result.paired else "each system on rows of its own"
    alpha = 1 - result.confidence_level
    return (
        f"To detect a true difference of {result.difference:g} with {100 * result.power:g}% power "
        f"(p ≤ {alpha:.2g}, {rows}):"
    )


def _table(result: PlanResult, *, machine: bool) -> Table:
    if machine:
        header = ["formula", "n_rows", "low", "high", "detectable"]
        columns = (result.rows, result.low, result.high, result.detectable)
        return Table(header, [[formula, *(repr(column[formula]) for column in columns)] for formula in FORMULAS])
    header = ["", "rows needed", "plausible range", f"detectable with {result.n_pilot:,} rows"]
    rows = [
        [
            FORMULA_NAMES[formula],
            f"{result.rows[formula]:,}",
            f"{result.low[formula]:,} to {result.high[formula]:,}",
            f"{result.detectable[formula]:.4f}",
        ]
        for formula in FORMULAS
    ]
    return Table(header, rows)


def _facts(result: PlanResult) -> list[str]:
    of = " and ".join(result.systems)
    pilot = f"Pilot: {of}, {counted(result.n_pilot, 'row')}"
    if result.n_clusters is not None:
        size = result.n_pilot / result.n_clusters
        pilot += (
            f" in {counted(result.n_clusters, 'cluster')}; the rows needed come in clusters of about {size:.1f} too"
        )
    return [f"{pilot}.", *result.notes]
