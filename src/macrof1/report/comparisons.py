"""Two rankings of systems in every output format."""

from __future__ import annotations

import json
import string
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from macrof1.compared import CompareResult, Difference, SystemPair, SystemScore
from macrof1.convention import FORMULA_NAMES, FORMULAS, Formula
from macrof1.errors import InputError
from macrof1.report.scores import checked_digits
from macrof1.report.table import Table, latex_text, printable
from macrof1.scores.paired import TestName

__all__ = ["CompareFormat", "render_comparison"]

CompareFormat: TypeAlias = Literal["text", "json", "csv", "markdown", "latex", "html"]

TEST_NAMES: dict[TestName, str] = {
    "delta": "delta-method Wald test",
    "bootstrap": "bootstrap test",
    "randomisation": "approximate randomisation test",
}

# A terminal shows so many flips and pairs; other formats print all flips.
_MOST = 10


def render_comparison(
    result: CompareResult, output: CompareFormat = "text", *, digits: int | None = None, command: str | None = None
) -> str:
    """Print a comparison as text, JSON, CSV, Markdown, LaTeX or HTML.

    Parameters
    ----------
    digits
        Decimals of every score; 4 when left out, and all of them in CSV. JSON always has all.
    command
        What made the comparison, for the foot of the HTML page.
    """
    checked_digits(digits)
    shown = 4 if digits is None else digits
    if output == "text":
        return _text(result, shown)
    if output == "json":
        return json.dumps(result.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    if output == "csv":
        return _csv(result, digits)
    if output == "markdown":
        return _markdown(result, shown)
    if output == "latex":
        return _latex(result, shown)
    if output == "html":
        return _html(result, shown, command)
    raise InputError.unknown_option("format", output, get_args(CompareFormat))


def headline(result: CompareResult) -> list[str]:
    """Say in a few lines how far the two rankings agree."""
    n_rows = "" if result.n_rows is None else f" on {result.n_rows:,} rows"
    tau = "not defined (all tied)" if result.kendall_tau is None else f"{result.kendall_tau:.4f}"
    return [
        f"{len(result.systems):,} systems{n_rows}: {result.rank_changes:,} change rank between the formulas",
        f"{result.discordant_pairs:,} of {result.pairs:,} pairs flip; Kendall's tau between the rankings is {tau}",
        f"{result.settled_pairs:,} pairs provably cannot flip: their scores lie too far apart",
    ]


def _level(result: CompareResult) -> str:
    return f"{100 * result.confidence_level:g}%"


def _range(ends: tuple[float, float] | None, digits: int) -> str:
    return "" if ends is None else f"{ends[0]:.{digits}f} to {ends[1]:.{digits}f}"


def _change(system: SystemScore) -> str:
    return f"{system.rank_change:+d}" if system.rank_change else "="


def system_table(result: CompareResult, digits: int) -> Table:
    """Return one line per system, the best under averaged F1 first."""
    with_intervals = result.test is not None
    header, rows = ["system"], [[system.name] for system in result.systems]
    for formula in FORMULAS:
        header += [FORMULA_NAMES[formula], *([f"{_level(result)} interval"] if with_intervals else []), "rank"]
        for row, system in zip(rows, result.systems, strict=True):
            row.append(f"{getattr(system, formula):.{digits}f}")
            if with_intervals:
                row.append(_range(getattr(system, f"{formula}_interval"), digits))
            row.append(str(getattr(system, f"rank_{formula}")))
    header += ["change", "gap"]
    for row, system in zip(rows, result.systems, strict=True):
        row += [_change(system), f"{system.gap:.{digits}f}"]
    return Table(header, rows)


def flip_table(result: CompareResult, digits: int, most: int | None = None) -> Table:
    """Return one line per flip, the largest first."""
    sure = any(flip.probability is not None for flip in result.flips)
    rows = [
        [
            flip.averaged_f1_prefers,
            flip.f1_of_averages_prefers,
            f"{flip.averaged_f1_lead:.{digits}f}",
            f"{flip.f1_of_averages_lead:.{digits}f}",
            *([f"{flip.probability:.2f}"] if flip.probability is not None else []),
        ]
        for flip in result.flips[:most]
    ]
    header = ["averaged F1 prefers", "F1 of averages prefers", "by", "by", *(["probability"] if sure else [])]
    return Table(header, rows, n_text=2)


def pair_table(result: CompareResult, digits: int, most: int | None = None) -> Table:
    """Return every two systems with their difference and its p-values, Holm-corrected, under both formulas."""
    tests = list(result.comparisons[0].averaged_f1.p)
    header = ["pair"]
    for formula in FORMULAS:
        header += [FORMULA_NAMES[formula], *(f"p {test}" for test in tests)]
    header.append("flips in")
    rows = []
    for pair in result.comparisons[:most]:
        row = [f"{pair.a} − {pair.b}"]
        for found in (pair.averaged_f1, pair.f1_of_averages):
            star = "*" if found.significant else ""
            row += [f"{found.difference:+.{digits}f}{star}", *(_p(found.p_holm[test]) for test in tests)]
        rows.append([*row, f"{100 * (pair.flip_probability or 0):.0f}%"])
    return Table(header, rows)


def _p(value: float) -> str:
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def verdict(result: CompareResult) -> list[str]:
    """Say how many differences are significant, by which test, and what that test assumes."""
    if result.test is None:
        return []
    kind = "paired" if result.paired else "unpaired"
    alpha = 1 - result.confidence_level
    counts = []
    for formula in FORMULAS:
        n = sum(1 for pair in result.comparisons if _of(pair, formula).significant)
        counts.append(f"{n:,} under {FORMULA_NAMES[formula]}")
    return [
        f"Significant differences (* p ≤ {alpha:.2g}, {kind} {TEST_NAMES[result.test]}, Holm's correction for "
        f"{result.pairs:,} pairs): {', '.join(counts)}.",
        f"Null hypothesis: {result.null_hypothesis}.",
    ]


def _of(pair: SystemPair, formula: Formula) -> Difference:
    return pair.averaged_f1 if formula == "averaged_f1" else pair.f1_of_averages


def _text(result: CompareResult, digits: int) -> str:
    parts = ["\n".join(headline(result)), system_table(result, digits).to_text()]
    if result.flips:
        hidden = len(result.flips) - _MOST
        more = f"\n… and {hidden:,} smaller flips (all of them with --format json)" if hidden > 0 else ""
        parts.append(flip_table(result, digits, _MOST).to_text() + more)
    if result.test is not None:
        lines = list(map(printable, verdict(result)))
        if result.pairs <= _MOST:
            lines = [pair_table(result, digits).to_text(), "", *lines]
        parts.append("\n".join(lines))
    if result.notes:
        parts.append("\n".join(map(printable, result.notes)))
    parts.append(result.signature("averaged_f1"))
    return "\n\n".join(parts)


def _csv(result: CompareResult, digits: int | None) -> str:
    def number(value: float) -> str:
        return repr(value) if digits is None else f"{value:.{digits}f}"

    header = ["name"]
    for formula in FORMULAS:
        header += [formula, f"{formula}_low", f"{formula}_high", f"rank_{formula}"]
    rows = []
    for system in result.systems:
        row = [system.name]
        for formula in FORMULAS:
            ends = getattr(system, f"{formula}_interval")
            row += [number(getattr(system, formula)), *(["", ""] if ends is None else map(number, ends))]
            row.append(str(getattr(system, f"rank_{formula}")))
        rows.append([*row, str(system.rank_change), number(system.gap)])
    return Table([*header, "rank_change", "gap"], rows).to_csv()


def _markdown(result: CompareResult, digits: int) -> str:
    parts = [". ".join(headline(result)) + ".", system_table(result, digits).to_markdown()]
    if result.flips:
        parts.append(flip_table(result, digits).to_markdown())
    notes = [*verdict(result), *result.notes]
    if notes:
        parts.append(" ".join(map(printable, notes)))
    parts.append(f"`{result.signature('averaged_f1')}`")
    return "\n\n".join(parts)


def beaten(result: CompareResult, formula: Formula) -> dict[str, list[int]]:
    """Return for every system the places of those it is significantly better than."""
    place = {system.name: at for at, system in enumerate(result.systems)}
    found: dict[str, list[int]] = {system.name: [] for system in result.systems}
    for pair in result.comparisons:
        difference = _of(pair, formula)
        if difference.significant:
            better, worse = (pair.a, pair.b) if difference.difference > 0 else (pair.b, pair.a)
            found[better].append(place[worse])
    return {name: sorted(places) for name, places in found.items()}


def marks(n_systems: int) -> list[str]:
    """Name systems for superscripts: letters, or numbers where the alphabet is too short."""
    if n_systems <= len(string.ascii_lowercase):
        return list(string.ascii_lowercase[:n_systems])
    return [str(place) for place in range(1, n_systems + 1)]


def superscript(places: Sequence[int], names: Sequence[str]) -> str:
    """Join marks; runs of three and more are shortened."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    letters = names[0].isalpha()
    shown = []
    for run in runs:
        if len(run) > 2:
            shown.append(f"{names[run[0]]}--{names[run[-1]]}")
        else:
            shown += [names[place] for place in run]
    return ("" if letters and all(len(part) == 1 for part in shown) else ",").join(shown)


def _latex(result: CompareResult, digits: int) -> str:
    names = marks(len(result.systems))
    tested = result.test is not None
    better = {formula: beaten(result, formula) for formula in FORMULAS}
    lines = []
    for mark, system in zip(names, result.systems, strict=True):
        fields = [*([mark] if tested else []), latex_text(system.name)]
        for formula in FORMULAS:
            above = superscript(better[formula][system.name], names)
            value = f"{getattr(system, formula):.{digits}f}"
            fields.append(rf"{value}\textsuperscript{{{above}}}" if above else value)
            fields.append(str(getattr(system, f"rank_{formula}")))
        lines.append(" & ".join([*fields, f"{system.gap:.{digits}f}"]) + r" \\")
    head = [*([""] if tested else []), "system", "averaged F1", "rank", "F1 of averages", "rank", "gap"]
    signature = rf"\texttt{{{latex_text(result.signature('averaged_f1'))}}}"
    caption = [
        f"Both macro F1s of {len(result.systems)} systems; {result.discordant_pairs} of {result.pairs} pairs change "
        "their order between the formulas."
    ]
    if result.test is not None:
        kind = "paired" if result.paired else "unpaired"
        caption.append(
            f"Superscripts name the systems that a score is significantly better than ({kind} "
            f"{TEST_NAMES[result.test]}, $p \\le {1 - result.confidence_level:.2g}$ after Holm's correction)."
        )
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{{'l' if tested else ''}lrrrrr}}",
            r"\toprule",
            " & ".join(head) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{' '.join(caption)} {signature}}}",
            r"\end{table}",
        ]
    )


def _html(result: CompareResult, digits: int, command: str | None) -> str:
    from macrof1.report.charts.slope import slope_chart
    from macrof1.report.page import Page

    page = Page("Systems under both macro F1s")
    for line in headline(result):
        page.text(line + ".")
    page.chart(
        slope_chart(result),
        caption="Rank of every system under F1 of averages (left) and under averaged F1 (right).",
    )
    page.heading("Systems")
    page.table(system_table(result, digits))
    if result.flips:
        page.heading("Flips: pairs whose order differs")
        page.table(flip_table(result, digits))
    if result.test is not None:
        page.heading("Which differences are real")
        for line in verdict(result):
            page.text(line)
        page.text("p-values below are corrected by Holm's method for all pairs.")
        page.table(pair_table(result, digits))
    if result.notes:
        page.heading("Notes")
        for note in result.notes:
            page.text(note)
    page.heading("Signatures")
    for formula in FORMULAS:
        page.code(result.signature(formula))
    return page.html(command=command)
