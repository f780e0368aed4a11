"""A comparison as booktabs tables for a paper."""

from __future__ import annotations

import string
from collections.abc import Sequence

from macrof1.comparing.options import TEST_NAMES
from macrof1.comparing.result import CompareResult
from macrof1.convention import FORMULAS
from macrof1.errors import counted
from macrof1.reporting.comparison_tables import beaten, level, of_pair, p_text, runs_of
from macrof1.reporting.table import latex_text, set_lines


def marks(n_systems: int) -> list[str]:
    """Name systems for superscripts: letters, or numbers if the alphabet is too short."""
    if n_systems <= len(string.ascii_lowercase):
        return list(string.ascii_lowercase[:n_systems])
    return [str(place) for place in range(1, n_systems + 1)]


def superscript(places: Sequence[int], names: Sequence[str]) -> str:
    """Join marks; runs of three or more are abbreviated."""
    letters = names[0].isalpha()
    shown = []
    for run in runs_of(places):
        if len(run) > 2:
            shown.append(f"{names[run[0]]}--{names[run[-1]]}")
        else:
            shown += [names[place] for place in run]
    return ("" if letters and all(len(part) == 1 for part in shown) else ",").join(shown)


def comparison_latex(result: CompareResult, digits: int) -> str:
    """Typeset the systems: both scores, intervals below them, ranks, gaps, and superscripts for beaten systems."""
    names = marks(len(result.systems))
    tested = result.test is not None
    better = {formula: beaten(result, formula) for formula in FORMULAS}
    lines = []
    for mark, system in zip(names, result.systems, strict=True):
        fields = [*([mark] if tested else []), latex_text(system.name)]
        below = [""] * len(fields)
        for formula in FORMULAS:
            above = superscript(better[formula][system.name], names)
            value = f"{getattr(system, formula):.{digits}f}"
            fields.append(rf"{value}\textsuperscript{{{above}}}" if above else value)
            fields.append(str(getattr(system, f"rank_{formula}")))
            ends = getattr(system, f"{formula}_interval")
            below += [rf"{{\scriptsize {ends[0]:.{digits}f}--{ends[1]:.{digits}f}}}" if ends else "", ""]
        change = f"${system.rank_change:+d}$" if system.rank_change else "="
        lines.append(" & ".join([*fields, change, f"{system.gap:.{digits}f}"]) + r" \\")
        if tested:
            lines.append(" & ".join([*below, "", ""]) + r" \\")
    head = [*([""] if tested else []), "system", "averaged F1", "rank", "F1 of averages", "rank", "change", "gap"]
    tau = "" if result.kendall_tau is None else f"; Kendall's $\\tau$ is {result.kendall_tau:.4f}"
    flips = counted(result.pairs, "pair", "pairs")
    caption = [
        f"Both macro F1s of {len(result.systems)} systems, with the ranks gained where averaged F1 replaces F1 of "
        f"averages. {result.discordant_pairs:,} of {flips} {'changes' if result.discordant_pairs == 1 else 'change'} "
        f"order between the formulas{tau}."
    ]
    if tested:
        caption += [
            f"Below the scores: {latex_text(level(result))} intervals.",
            f"Superscripts name the systems that a score is significantly better than ({_test(result)}).",
        ]
    caption.append(_signature(result))
    return set_lines(f"{'l' if tested else ''}lrrrrrr", head, lines, " ".join(caption), result.notes)


def pairs_latex(result: CompareResult, digits: int) -> str:
    """Typeset every pair of systems: differences, and the deciding p-value, under both formulas."""
    tested = result.test is not None
    p = ["$p$"] if tested else []
    resampled = result.n_resamples is not None
    head = ["pair", "averaged F1", *p, "F1 of averages", *p, *(["flips in"] if resampled else [])]
    lines = []
    for pair in result.comparisons:
        fields = [f"{latex_text(pair.a)} $-$ {latex_text(pair.b)}"]
        for formula in FORMULAS:
            found = of_pair(pair, formula)
            star = r"\textsuperscript{*}" if found.significant else ""
            fields.append(f"${found.difference:+.{digits}f}${star}")
            if tested:
                small = found.p_decides is not None and found.p_decides < 0.0001
                fields.append("$<0.0001$" if small else p_text(found.p_decides))
        if pair.flip_probability is not None:
            fields.append(rf"{100 * pair.flip_probability:.0f}\%")
        lines.append(" & ".join(fields) + r" \\")
    caption = [f"Differences of {len(result.systems)} systems under both macro F1s."]
    if tested:
        flips = "; the last column is the share of resamples in which the formulas order the two differently"
        caption.append(f"A star marks significant ones ({_test(result)}){flips if resampled else ''}.")
    caption.append(_signature(result))
    return set_lines("l" + "r" * (len(head) - 1), head, lines, " ".join(caption), result.notes)


def _signature(result: CompareResult) -> str:
    """Typeset the signature so that lines can break after each part."""
    shown = latex_text(result.signature("averaged_f1")).replace(r"\textbar{}", r"\textbar{}\allowbreak{}")
    return rf"\texttt{{{shown}}}"


def _test(result: CompareResult) -> str:
    if result.test is None:
        return ""
    kind = "paired" if result.paired else "unpaired"
    correction = " after Holm's correction" if result.pairs > 1 else ""
    doubted = any(pair.doubts for pair in result.comparisons)
    check = "; where rows are few, a randomisation has to agree" if doubted else ""
    if result.test == "randomisation":
        check = "; the Wald test has to agree"
    return f"{kind} {TEST_NAMES[result.test]}, $p \\le {1 - result.confidence_level:.2g}${correction}{check}"
