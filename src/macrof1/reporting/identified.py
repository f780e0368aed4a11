"""The definitions that give a number, in every output format."""

from __future__ import annotations

from macrof1.reporting.lines import printable, wrapped
from macrof1.reporting.table import OutputFormat, Table, json_text, markdown_text
from macrof1.scoring.identification import IdentifyResult, IdentifyTableResult


def render_identified(result: IdentifyResult | IdentifyTableResult, output: OutputFormat = "text") -> str:
    """Print the matches grouped by value, the nearest other definitions, and how they differ."""
    if output == "json":
        return json_text(result.to_dict())
    if isinstance(result, IdentifyTableResult):
        return _leaderboard(result, output)
    each = [("prints it", match) for match in result.matches] + [("nearest", match) for match in result.nearest]
    if output == "csv":
        header = ["kind", "value", "definition", "words", "reading"]
        return Table(
            header, [[kind, repr(m.value), m.definition, m.words, m.reading or ""] for kind, m in each]
        ).to_csv()
    shown, above = [], ("", "")
    for kind, match in each:
        # What is the same as in the line above is not repeated.
        value = f"{match.value:.6f}"
        first = ["" if above[0] == kind else kind, "" if above == (kind, value) else value]
        shown.append([*first, match.words, match.definition])
        above = (kind, value)
    table = Table(["", "value", "what it is", "definition"], shown, n_text=4, sentences=2)
    return _with_summary(table, result.summary, f"Definitions that print {result.value}.", output)


def _leaderboard(result: IdentifyTableResult, output: OutputFormat) -> str:
    """Print one row per system: its macro F1, the number of matching definitions, and the one that fits most rows."""
    rows, shares = [], result.definitions
    for row in result.rows:
        if row.result is None:
            rows.append([row.name, "", "", row.note, ""])
            continue
        matches = row.result.matches
        # Of those that fit equally many rows, the plainest comes first.
        first = max(matches, key=lambda match: shares[match.definition]) if matches else row.result.nearest[0]
        told = first.words if matches else f"none; nearest: {first.words}"
        rows.append([row.name, row.result.value, str(len(matches)), told, first.definition if matches else ""])
    table = Table(["system", "macro F1", "definitions", "what it is", "definition"], rows, n_text=5, sentences=2)
    if output == "csv":
        return table.to_csv()
    return _with_summary(table, result.summary, "Definitions that print the macro F1 of every row.", output)


def _with_summary(table: Table, summary: str, caption: str, output: OutputFormat) -> str:
    if output == "markdown":
        return "\n\n".join([markdown_text(summary), table.to_markdown()])
    if output == "latex":
        return table.to_latex(caption=caption, notes=[summary])
    return "\n\n".join([wrapped(printable(summary)), table.to_text()])
