"""The tables of a comparison: systems, flips, pairs, and a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeAlias

from macrof1.comparing.result import CompareResult, Difference, RunScores, SystemPair, SystemScore
from macrof1.convention import FORMULA_NAMES, FORMULAS, Formula
from macrof1.reporting.table import Table, machine_number

TableName: TypeAlias = Literal["systems", "pairs", "flips", "summary"]
_SUMMARY = (
    "rank_changes", "pairs", "discordant_pairs", "kendall_tau", "settled_pairs", "paired", "test", "null_hypothesis",
    "confidence_level", "n_resamples", "n_clusters", "baseline",
)  # fmt: skip
Names: TypeAlias = Mapping[str, str]
"""Short names for systems whose own names are too long for a table."""


def of_pair(pair: SystemPair, formula: Formula) -> Difference:
    """Return the difference under one formula."""
    return pair.averaged_f1 if formula == "averaged_f1" else pair.f1_of_averages


def level(result: CompareResult) -> str:
    """Print the confidence level."""
    return f"{100 * result.confidence_level:g}%"


def short_names(result: CompareResult, most: int) -> dict[str, str] | None:
    """Shorten names in the middle; None if that would make two of them the same."""
    own = [system.name for system in result.systems]
    half = (most - 1) // 2
    short = [name if len(name) <= most else f"{name[: most - 1 - half]}…{name[-half:]}" for name in own]
    return dict(zip(own, short, strict=True)) if len(set(short)) == len(own) else None


def _named(name: str, names: Names | None) -> str:
    return name if names is None else names[name]


def _range(ends: tuple[float, float] | None, digits: int) -> str:
    return "" if ends is None else f"{ends[0]:.{digits}f} to {ends[1]:.{digits}f}"


def _change(system: SystemScore) -> str:
    return f"{system.rank_change:+d}" if system.rank_change else "="


def system_table(result: CompareResult, digits: int, names: Names | None = None, *, intervals: bool = True) -> Table:
    """Return one line per system, the best under averaged F1 first; without intervals for narrow pages."""
    intervals = intervals and result.test is not None
    header, rows = ["system"], [[_named(system.name, names)] for system in result.systems]
    for formula in FORMULAS:
        header += [FORMULA_NAMES[formula], *([f"{level(result)} interval"] if intervals else []), "rank"]
        for row, system in zip(rows, result.systems, strict=True):
            row.append(f"{getattr(system, formula):.{digits}f}")
            if intervals:
                row.append(_range(getattr(system, f"{formula}_interval"), digits))
            row.append(str(getattr(system, f"rank_{formula}")))
    header += ["change", "gap"]
    for row, system in zip(rows, result.systems, strict=True):
        row += [_change(system), f"{system.gap:.{digits}f}"]
    return Table(header, rows)


def run_table(result: CompareResult, digits: int, names: Names | None = None, formula: Formula | None = None) -> Table:
    """Return the spread of each system's runs, and the standard errors of their means; `formula` as for pairs."""
    header = ["system", "runs"]
    rows = [[_named(system.name, names)] for system in result.systems]
    for row, system in zip(rows, result.systems, strict=True):
        row.append("" if system.runs is None else str(len(system.runs["averaged_f1"].scores)))
    for one in FORMULAS if formula is None else (formula,):
        header += [FORMULA_NAMES[one], "sd", "SE (rows)", "SE"]
        for row, system in zip(rows, result.systems, strict=True):
            row += ["", "", "", ""] if system.runs is None else _spread(system.runs[one], digits)
    return Table(header, rows)


def _spread(runs: RunScores, digits: int) -> list[str]:
    values = (runs.mean, runs.sd, runs.standard_error_rows, runs.standard_error)
    return ["" if value is None else f"{value:.{digits}f}" for value in values]


def interval_table(result: CompareResult, digits: int, names: Names | None = None) -> Table:
    """Return the intervals of both scores."""
    header = [f"{level(result)} intervals", *(FORMULA_NAMES[formula] for formula in FORMULAS)]
    rows = [
        [
            _named(system.name, names),
            *(_range(getattr(system, f"{formula}_interval"), digits) for formula in FORMULAS),
        ]
        for system in result.systems
    ]
    return Table(header, rows)


def flip_table(result: CompareResult, digits: int, most: int | None = None, names: Names | None = None) -> Table:
    """Return one line per flip, the largest first."""
    sure = any(flip.probability is not None for flip in result.flips)
    rows = [
        [
            _named(flip.averaged_f1_prefers, names),
            _named(flip.f1_of_averages_prefers, names),
            f"{flip.averaged_f1_lead:.{digits}f}",
            f"{flip.f1_of_averages_lead:.{digits}f}",
            *([f"{flip.probability:.2f}"] if flip.probability is not None else []),
        ]
        for flip in result.flips[:most]
    ]
    header = ["averaged F1 prefers", "F1 of averages prefers", "by", "by", *(["probability"] if sure else [])]
    return Table(header, rows, n_text=2)


def pair_table(result: CompareResult, digits: int, names: Names | None = None, formula: Formula | None = None) -> Table:
    """Return every pair of systems with its difference and Holm-corrected p-values.

    Parameters
    ----------
    formula
        One formula only, for narrow pages; both by default.
    """
    pairs = result.comparisons
    shown = FORMULAS if formula is None else (formula,)
    header = ["pair" if formula is None else FORMULA_NAMES[formula]]
    rows = [[f"{_named(pair.a, names)} − {_named(pair.b, names)}"] for pair in pairs]
    for one in shown:
        for title, value in _difference_columns(result, one, digits, alone=formula is not None).items():
            header.append(title)
            for row, pair in zip(rows, pairs, strict=True):
                row.append(value(of_pair(pair, one)))
    if formula is None:
        for title, of_both in _pair_columns(result).items():
            header.append(title)
            for row, pair in zip(rows, pairs, strict=True):
                row.append(of_both(pair))
    return Table(header, rows)


def better_table(result: CompareResult) -> Table:
    """Return for each system the ranks of the systems that it is significantly better than, under each formula.

    This form fits thousands of pairs on one page.
    """
    header = ["rank", "system", *(f"significantly better than, by {FORMULA_NAMES[formula]}" for formula in FORMULAS)]
    rows = [[str(one.rank_averaged_f1), one.name] for one in result.systems]
    for formula in FORMULAS:
        better, ranks = beaten(result, formula), [getattr(one, f"rank_{formula}") for one in result.systems]
        for row, one in zip(rows, result.systems, strict=True):
            row.append(_ranges([ranks[place] for place in better[one.name]]))
    return Table(header, rows, n_text=2)


def beaten(result: CompareResult, formula: Formula) -> dict[str, list[int]]:
    """Return for each system the positions of the systems that it is significantly better than."""
    place = {system.name: at for at, system in enumerate(result.systems)}
    found: dict[str, list[int]] = {system.name: [] for system in result.systems}
    for pair in result.comparisons:
        difference = of_pair(pair, formula)
        if difference.significant:
            better, worse = (pair.a, pair.b) if difference.difference > 0 else (pair.b, pair.a)
            found[better].append(place[worse])
    return {name: sorted(places) for name, places in found.items()}


def runs_of(numbers: Iterable[int]) -> list[list[int]]:
    """Group different integers, in order, into runs without holes."""
    found: list[list[int]] = []
    for number in sorted(set(numbers)):
        if found and number == found[-1][-1] + 1:
            found[-1].append(number)
        else:
            found.append([number])
    return found


def _ranges(numbers: list[int]) -> str:
    """Print integers, with runs abbreviated.

    Examples
    --------
    >>> _ranges([7, 3, 4, 5, 5, 9])
    '3–5, 7, 9'
    """
    shown = [f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs_of(numbers)]
    return ", ".join(shown) or "–"


def _difference_columns(
    result: CompareResult, formula: Formula, digits: int, *, alone: bool
) -> dict[str, Callable[[Difference], str]]:
    """Return the per-formula columns of a pair: titles, and how to print each."""
    mark = "" if alone else "p "
    first = of_pair(result.comparisons[0], formula)
    found: dict[str, Callable[[Difference], str]] = {
        "difference" if alone else FORMULA_NAMES[formula]: lambda one: (
            f"{one.difference:+.{digits}f}{'*' if one.significant else ''}"
        )
    }
    for test in first.p:
        # With too few resamples the corrected p-value cannot be small, so it says nothing.
        if first.p_holm[test] is not None:
            found[f"{mark}{test}"] = lambda one, test=test: p_text(one.p_holm[test])  # type: ignore[misc]
    if agreed(result) and first.p_decides is not None:
        found[f"{mark}decides"] = lambda one: p_text(one.p_decides)
    if first.detectable is not None:
        found["detectable"] = lambda one: "" if one.detectable is None else f"{one.detectable:.{digits}f}"
    return found


def agreed(result: CompareResult) -> bool:
    """Return whether another test than the chosen one had to agree for some pairs."""
    return result.test == "randomisation" or any(pair.doubts for pair in result.comparisons)


def row_table(result: CompareResult, names: Names | None = None) -> Table:
    """Return on how many rows each pair of systems differs, and how often it flips: the other half for narrow pages."""
    columns = _pair_columns(result)
    rows = [
        [f"{_named(pair.a, names)} − {_named(pair.b, names)}", *(value(pair) for value in columns.values())]
        for pair in result.comparisons
    ]
    return Table(["pair", *columns], rows)


def _pair_columns(result: CompareResult) -> dict[str, Callable[[SystemPair], str]]:
    """Return the columns of a pair that do not depend on the formula: titles, and how to print each."""
    found: dict[str, Callable[[SystemPair], str]] = {}
    first = result.comparisons[0]
    if first.n_differing is not None:
        found["differ on"] = lambda pair: f"{pair.n_differing:,}"
    if first.flip_probability is not None:
        found["flips in"] = lambda pair: f"{100 * (pair.flip_probability or 0):.0f}%"
    found["order"] = lambda pair: "flips" if pair.flip else "cannot flip" if pair.cannot_flip else "same"
    return found


def p_text(value: float | None) -> str:
    """Print a p-value."""
    if value is None:
        return ""
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def summary_table(result: CompareResult) -> Table:
    """Return facts about the whole comparison, one per line."""
    figures = {
        "systems": len(result.systems),
        "rows": result.n_rows,
        **{name: getattr(result, name) for name in _SUMMARY},
        **{f"signature_{formula}": result.signature(formula) for formula in FORMULAS},
        **{f"note_{place}": note for place, note in enumerate(result.notes, start=1)},
    }
    return Table(["figure", "value"], [[name, _plain(value)] for name, value in figures.items()], n_text=2)


def _plain(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def csv_table(result: CompareResult, table: TableName, digits: int | None) -> Table:
    """Return one table with all that JSON has on its subject, for spreadsheets and data frames."""
    number = machine_number(digits)
    if table == "summary":
        return summary_table(result)
    if table == "flips":
        names = ("averaged_f1_prefers", "f1_of_averages_prefers")
        numbers = ("averaged_f1_lead", "f1_of_averages_lead", "size", "probability")
        rows = [
            [*(getattr(flip, name) for name in names), *(number(getattr(flip, name)) for name in numbers)]
            for flip in result.flips
        ]
        return Table([*names, *numbers], rows)
    return _csv_pairs(result, number) if table == "pairs" else _csv_systems(result, number)


def _csv_systems(result: CompareResult, number: Callable[[float | None], str]) -> Table:
    spread = ("sd", "standard_error_rows", "standard_error", "df") if any(s.runs for s in result.systems) else ()
    header = ["name"]
    for formula in FORMULAS:
        header += [formula, f"{formula}_low", f"{formula}_high", f"rank_{formula}"]
        header += [f"{formula}_{name}" for name in spread]
    rows = []
    for system in result.systems:
        row = [system.name]
        for formula in FORMULAS:
            ends = getattr(system, f"{formula}_interval") or (None, None)
            row += [number(getattr(system, formula)), *map(number, ends)]
            row.append(str(getattr(system, f"rank_{formula}")))
            row += [number(getattr(system.runs[formula], name) if system.runs else None) for name in spread]
        rows.append([*row, str(system.rank_change), number(system.gap)])
    return Table([*header, "rank_change", "gap"], rows)


def _csv_pairs(result: CompareResult, number: Callable[[float | None], str]) -> Table:
    tests = list(result.comparisons[0].averaged_f1.p)
    header = ["a", "b"]
    for formula in FORMULAS:
        columns = ["difference", "standard_error"]
        columns += [f"{kind}_{test}" for test in tests for kind in ("p", "p_holm")]
        header += [f"{formula}_{column}" for column in (*columns, "p_decides", "significant", "detectable")]
    rows = []
    for pair in result.comparisons:
        row = [pair.a, pair.b]
        for formula in FORMULAS:
            found = of_pair(pair, formula)
            row += [number(found.difference), number(found.standard_error)]
            # p-values keep all digits: rounded, small ones would read 0.
            row += [_plain(kind[test]) for test in tests for kind in (found.p, found.p_holm)]
            row += [_plain(found.p_decides), _plain(found.significant), number(found.detectable)]
        row += [_plain(pair.flip), _plain(pair.flip_probability), _plain(pair.cannot_flip)]
        rows.append([*row, _plain(pair.n_differing), "; ".join(pair.doubts)])
    return Table([*header, "flip", "flip_probability", "cannot_flip", "n_differing", "doubts"], rows)
