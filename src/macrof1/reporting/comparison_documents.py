"""What comparisons of systems say, and plans for one."""

from __future__ import annotations

import json
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

from macrof1.comparing.options import TEST_NAMES
from macrof1.comparing.result import CompareResult, Difference, SystemPair
from macrof1.convention import FORMULA_NAMES, FORMULAS, Formula
from macrof1.errors import InputError, counted
from macrof1.reporting.as_text import table_width
from macrof1.reporting.document import (
    Chart,
    Code,
    Document,
    Fact,
    Facts,
    Marks,
    OutputFormat,
    Part,
    Sentences,
    Table,
    Where,
    clipped,
    machine_number,
    range_of,
    shown_digits,
)
from macrof1.sampling.planning import PlanResult

TableName: TypeAlias = Literal["systems", "pairs", "flips", "summary"]
Names: TypeAlias = Mapping[str, str]
"""Short names for systems whose own names are too long for a table."""

# The most flips and pairs in a terminal, and pairs in a document; a table requested by name has them all.
_MOST = 10
_MOST_PAIRS = 45
_SUMMARY = (
    "rank_changes", "pairs", "discordant_pairs", "kendall_tau", "settled_pairs", "paired", "test", "null_hypothesis",
    "confidence_level", "n_resamples", "n_clusters", "baseline",
)  # fmt: skip


def comparison_document(result: CompareResult, *, digits: int | None = None) -> Document:
    """Return what a comparison says.

    Parameters
    ----------
    digits
        Decimals of every score; by default 4, and all in CSV. JSON always has all.
    """
    shown = shown_digits(digits)
    return Document(
        title="Systems under both macro F1s",
        parts=lambda: _parts(result, shown),
        data=result.to_dict,
        records=partial(_records, result, digits),
        notes=lambda: result.notes,
        scores=[(system.name, system.averaged_f1, system.f1_of_averages) for system in result.systems],
    )


def _parts(result: CompareResult, digits: int) -> list[Part]:
    from macrof1.reporting.charts.systems import slope_chart

    caption = "Rank of every system under averaged F1 (left) and under F1 of averages (right)."
    parts: list[Part] = [
        Sentences(items=headline(result)),
        Chart(make=lambda: slope_chart(result), caption=caption),
        _system_table(result, digits),
    ]
    if any(system.runs for system in result.systems):
        parts.append(_run_table(result, digits))
    parts.append(_flip_table(result, digits))
    if result.test is not None:
        if result.pairs > _MOST_PAIRS:
            parts.append(_better_table(result))
        corrected = ["p-values are corrected for all pairs (Holm)."] if 1 < result.pairs <= _MOST else []
        parts += [_pair_table(result, digits), Sentences(items=[*corrected, *verdict(result)])]
    elif result.comparisons:
        parts.append(_pair_table(result, digits))
    return [
        *parts,
        Sentences(items=result.notes, title="Notes"),
        Facts(rows=[Fact(*row) for row in _summary(result)], name="summary", where="asked"),
        Code(lines=[result.signature("averaged_f1")], title="Signatures"),
        Code(lines=[result.signature("f1_of_averages")], where="pages"),
    ]


def checked_table(output: str, table: str | None) -> None:
    """Reject an unknown format, or a table that the format cannot print on its own."""
    if output not in get_args(OutputFormat):
        raise InputError.unknown_value("format", output, get_args(OutputFormat))
    if table is None:
        return
    if table not in get_args(TableName):
        raise InputError.unknown_value("table", table, get_args(TableName))
    if output in ("json", "html"):
        printed = "text, csv, markdown or latex"
        raise InputError(
            f"one table ({table}) cannot be printed as {output}", expected=printed, hint=f"{output} has all"
        )


def render_scores_only(result: CompareResult, output: OutputFormat = "text", *, digits: int | None = None) -> str:
    """Print the two scores of each system: a line each, or a JSON object."""
    scores = {each.name: {formula: getattr(each, formula) for formula in FORMULAS} for each in result.systems}
    if output == "json":
        return json.dumps(scores, ensure_ascii=False, allow_nan=False)
    number = machine_number(digits if output == "csv" else shown_digits(digits))
    rows = [[name, *map(number, both.values())] for name, both in scores.items()]
    if output == "csv":
        from macrof1.reporting.rendering import csv_text

        return csv_text(Table(["system", *FORMULAS], rows))
    return "\n".join(
        " ".join([name, *(part for pair in zip(FORMULAS, both, strict=True) for part in pair)]) for name, *both in rows
    )


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
        n = sum(1 for pair in result.comparisons if _of_pair(pair, formula).significant)
        counts.append(f"{n:,} under {FORMULA_NAMES[formula]}")
    correction = f", Holm's correction for {result.pairs:,} pairs" if result.pairs > 1 else ""
    correction += "" if result.baseline is None else f" with {result.baseline}"
    return [
        f"Significant differences (* p ≤ {alpha:.2g}, {kind} {TEST_NAMES[result.test]}{correction}): "
        f"{', '.join(counts)}.",
        f"Null hypothesis: {result.null_hypothesis}.",
        "Detectable: the smallest true difference that this test would find with 80% power, before correction.",
    ]


def _of_pair(pair: SystemPair, formula: Formula) -> Difference:
    return pair.averaged_f1 if formula == "averaged_f1" else pair.f1_of_averages


def _narrowed(
    result: CompareResult, split: Callable[[Names], Sequence[Table]], _: Table, width: int | None
) -> Sequence[Table]:
    """Split a table that is too wide, and shorten names only as far as the width requires."""
    own = [system.name for system in result.systems]
    tables: Sequence[Table] = []
    for longest in (None, 40, 32, 26, 20, 16, 13, 10):
        short = own if longest is None else [clipped(name, longest) for name in own]
        if len(set(short)) < len(own):
            break
        tables = split(dict(zip(own, short, strict=True)))
        if width is None or max(map(table_width, tables)) <= width:
            break
    return tables


def _system_table(result: CompareResult, digits: int) -> Table:
    """Return one line per system, the best under averaged F1 first; narrow pages have the intervals on their own."""
    level = f"{100 * result.confidence_level:g}%"

    def made(names: Names | None, *, intervals: bool) -> Table:
        header, rows = ["system"], [[_named(system.name, names)] for system in result.systems]
        for formula in FORMULAS:
            header += [FORMULA_NAMES[formula], *([f"{level} interval"] if intervals else []), "rank"]
            for row, system in zip(rows, result.systems, strict=True):
                row.append(f"{getattr(system, formula):.{digits}f}")
                row += [range_of(getattr(system, f"{formula}_interval"), digits)] if intervals else []
                row.append(str(getattr(system, f"rank_{formula}")))
        for row, system in zip(rows, result.systems, strict=True):
            row += [f"{system.rank_change:+d}" if system.rank_change else "=", f"{system.gap:.{digits}f}"]
        return Table([*header, "change", "gap"], rows)

    tested = result.test is not None

    def split(names: Names) -> list[Table]:
        rows = [
            [names[system.name], *(range_of(getattr(system, f"{formula}_interval"), digits) for formula in FORMULAS)]
            for system in result.systems
        ]
        ends = Table([f"{level} intervals", *(FORMULA_NAMES[formula] for formula in FORMULAS)], rows)
        return [made(names, intervals=False), *([ends] if tested else [])]

    whole = made(None, intervals=tested)
    marks, caption = None, ""
    if tested:
        letters = marks_of(len(result.systems))
        above = {
            place: [superscript(beaten(result, formula)[system.name], letters) for system in result.systems]
            for formula, place in zip(FORMULAS, (1, 4), strict=True)
        }
        marks = Marks(letters, above)
        caption = _print_caption(result, level)
    return Table(
        whole.header,
        whole.rows,
        name="systems",
        title="Systems",
        print_caption=caption,
        narrow=partial(_narrowed, result, split),
        beneath=(2, 5) if tested else (),
        marks=marks,
    )


def _print_caption(result: CompareResult, level: str) -> str:
    """Explain the columns of the printed table, and its superscripts."""
    test = "" if result.test is None else TEST_NAMES[result.test]
    doubted = any(pair.doubts for pair in result.comparisons)
    check = "; where rows are few, a randomisation has to agree" if doubted else ""
    check = "; the Wald test has to agree" if result.test == "randomisation" else check
    return (
        f"Both macro F1s of {counted(len(result.systems), 'system')}, with the ranks gained where averaged F1 replaces "
        f"F1 of averages. Below each score: its {level} interval. Superscripts name the systems that a score is "
        f"significantly better than ({'paired' if result.paired else 'unpaired'} {test}, "
        f"p ≤ {1 - result.confidence_level:.2g}{', Holm-corrected' if result.pairs > 1 else ''}{check})."
    )


def marks_of(n_systems: int) -> list[str]:
    """Name systems for superscripts: letters, or numbers if the alphabet is too short."""
    if n_systems <= len(string.ascii_lowercase):
        return list(string.ascii_lowercase[:n_systems])
    return [str(place) for place in range(1, n_systems + 1)]


def superscript(places: Sequence[int], names: Sequence[str]) -> str:
    """Join marks; runs of three or more are abbreviated."""
    letters = names[0].isalpha()
    shown = []
    for run in _runs_of(places):
        if len(run) > 2:
            shown.append(f"{names[run[0]]}--{names[run[-1]]}")
        else:
            shown += [names[place] for place in run]
    return ("" if letters and all(len(part) == 1 for part in shown) else ",").join(shown)


def _named(name: str, names: Names | None) -> str:
    return name if names is None else names[name]


def _run_table(result: CompareResult, digits: int) -> Table:
    """Return the spread of each system's runs, and the standard errors of their means; narrow pages by formula."""

    def made(names: Names | None, formulas: Sequence[Formula]) -> Table:
        header, rows = ["system", "runs"], []
        for formula in formulas:
            header += [FORMULA_NAMES[formula], "sd", "SE (rows)", "SE"]
        for system in result.systems:
            row = [_named(system.name, names)]
            row.append("" if system.runs is None else str(len(system.runs["averaged_f1"].scores)))
            for formula in formulas:
                runs = None if system.runs is None else system.runs[formula]
                spread: tuple[float | None, ...] = (None,) * 4
                if runs is not None:
                    spread = (runs.mean, runs.sd, runs.standard_error_rows, runs.standard_error)
                row += ["" if value is None else f"{value:.{digits}f}" for value in spread]
            rows.append(row)
        return Table(header, rows, title=f"Runs, by {' and '.join(FORMULA_NAMES[formula] for formula in formulas)}")

    whole = made(None, FORMULAS)
    split = partial(_narrowed, result, lambda names: [made(names, (formula,)) for formula in FORMULAS])
    return Table(whole.header, whole.rows, title="Runs", narrow=split)


def _flip_table(result: CompareResult, digits: int) -> Table:
    """Return one line per flip, the largest first."""
    sure = any(flip.probability is not None for flip in result.flips)

    def made(names: Names | None) -> list[list[str]]:
        return [
            [
                _named(flip.averaged_f1_prefers, names),
                _named(flip.f1_of_averages_prefers, names),
                f"{flip.averaged_f1_lead:.{digits}f}",
                f"{flip.f1_of_averages_lead:.{digits}f}",
                *([f"{flip.probability:.2f}"] if flip.probability is not None else []),
            ]
            for flip in result.flips
        ]

    header = ["averaged F1 prefers", "F1 of averages prefers", "by", "by", *(["probability"] if sure else [])]
    hidden = len(result.flips) - _MOST

    def narrow(table: Table, width: int | None) -> Sequence[Table]:
        n = len(table.rows)
        return _narrowed(result, lambda names: [Table(header, made(names)[:n], n_text=2)], table, width)

    return Table(
        header,
        made(None),
        n_text=2,
        name="flips",
        title="Flips: pairs whose order differs",
        shown=range(_MOST) if hidden > 0 else None,
        more=f"… and {counted(hidden, 'smaller flip')} (the flips table has all)" if hidden > 0 else "",
        narrow=narrow,
        where="everywhere" if result.flips else "asked",
    )


def _pair_table(result: CompareResult, digits: int) -> Table:
    """Return every pair of systems with its difference and Holm-corrected p-values; narrow pages by formula."""
    pairs = result.comparisons

    def made(names: Names | None, formula: Formula | None = None) -> Table:
        header = ["pair" if formula is None else FORMULA_NAMES[formula]]
        rows = [[f"{_named(pair.a, names)} − {_named(pair.b, names)}"] for pair in pairs]
        for one in FORMULAS if formula is None else (formula,):
            for title, value in _difference_columns(result, one, digits, alone=formula is not None).items():
                header.append(title)
                for row, pair in zip(rows, pairs, strict=True):
                    row.append(value(_of_pair(pair, one)))
        for title, of_both in _pair_columns(result).items() if formula is None else ():
            header.append(title)
            for row, pair in zip(rows, pairs, strict=True):
                row.append(of_both(pair))
        return Table(header, rows, title="" if formula is None else f"Differences in {FORMULA_NAMES[formula]}")

    def split(names: Names) -> list[Table]:
        columns = _pair_columns(result)
        rows = [[f"{names[pair.a]} − {names[pair.b]}", *(value(pair) for value in columns.values())] for pair in pairs]
        of_both = Table(
            ["pair", *columns], rows, title="Rows on which the systems of each pair differ, and their order"
        )
        return [*(made(names, formula) for formula in FORMULAS), of_both]

    whole = made(None)
    where: Where = "asked" if result.test is None else "everywhere"
    instead, title = "", "Which differences are real"
    if where == "everywhere" and result.pairs > _MOST:
        where = "documents" if result.pairs <= _MOST_PAIRS else "pages"
        instead = f"The pairs table has the p-values of all {result.pairs:,} pairs."
    if where == "pages":
        title = f"All {result.pairs:,} pairs, with p-values corrected by Holm's method (not printed)"
    return Table(
        whole.header,
        whole.rows,
        name="pairs",
        title=title,
        instead=instead,
        narrow=partial(_narrowed, result, split),
        folded=where == "pages",
        where=where,
    )


def _difference_columns(
    result: CompareResult, formula: Formula, digits: int, *, alone: bool
) -> dict[str, Callable[[Difference], str]]:
    """Return the per-formula columns of a pair: titles, and how to print each."""
    mark = "" if alone else "p "
    first = _of_pair(result.comparisons[0], formula)
    found: dict[str, Callable[[Difference], str]] = {
        "difference" if alone else FORMULA_NAMES[formula]: lambda one: (
            f"{one.difference:+.{digits}f}{'*' if one.significant else ''}"
        )
    }
    for test in first.p:
        # With too few resamples the corrected p-value cannot be small, so it says nothing.
        if first.p_holm[test] is not None:
            found[f"{mark}{test}"] = lambda one, test=test: _p_text(one.p_holm[test])  # type: ignore[misc]
    agreed = result.test == "randomisation" or any(pair.doubts for pair in result.comparisons)
    if agreed and first.p_decides is not None:
        found[f"{mark}decides"] = lambda one: _p_text(one.p_decides)
    if first.detectable is not None:
        found["detectable"] = lambda one: "" if one.detectable is None else f"{one.detectable:.{digits}f}"
    return found


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


def _p_text(value: float | None) -> str:
    if value is None:
        return ""
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _better_table(result: CompareResult) -> Table:
    """Return for each system the ranks of those that it is significantly better than: thousands of pairs on a page."""
    header = ["rank", "system", *(f"significantly better than, by {FORMULA_NAMES[formula]}" for formula in FORMULAS)]
    rows = [[str(one.rank_averaged_f1), one.name] for one in result.systems]
    for formula in FORMULAS:
        better, ranks = beaten(result, formula), [getattr(one, f"rank_{formula}") for one in result.systems]
        for row, one in zip(rows, result.systems, strict=True):
            row.append(_ranges([ranks[place] for place in better[one.name]]))
    caption = "Others are named by their ranks under the formula that decides."
    return Table(header, rows, n_text=2, title="Which differences are real", caption=caption, where="pages")


def beaten(result: CompareResult, formula: Formula) -> dict[str, list[int]]:
    """Return for each system the positions of the systems that it is significantly better than."""
    place = {system.name: at for at, system in enumerate(result.systems)}
    found: dict[str, list[int]] = {system.name: [] for system in result.systems}
    for pair in result.comparisons:
        difference = _of_pair(pair, formula)
        if difference.significant:
            better, worse = (pair.a, pair.b) if difference.difference > 0 else (pair.b, pair.a)
            found[better].append(place[worse])
    return {name: sorted(places) for name, places in found.items()}


def _runs_of(numbers: Iterable[int]) -> list[list[int]]:
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
    shown = [f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in _runs_of(numbers)]
    return ", ".join(shown) or "–"


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _summary(result: CompareResult) -> list[tuple[str, str]]:
    """Return facts about the whole comparison."""
    figures = {
        "systems": len(result.systems),
        "rows": result.n_rows,
        **{name: getattr(result, name) for name in _SUMMARY},
        **{f"signature_{formula}": result.signature(formula) for formula in FORMULAS},
        **{f"note_{place}": note for place, note in enumerate(result.notes, start=1)},
    }
    return [(name, _plain(value)) for name, value in figures.items()]


def _records(result: CompareResult, digits: int | None, table: str) -> Table:
    """Return one table with all that JSON has on its subject, for spreadsheets and data frames."""
    number = machine_number(digits)
    if table == "summary":
        return Table(["figure", "value"], _summary(result))
    if table == "flips":
        names = ("averaged_f1_prefers", "f1_of_averages_prefers")
        numbers = ("averaged_f1_lead", "f1_of_averages_lead", "size", "probability")
        rows = [
            [*(getattr(flip, name) for name in names), *(number(getattr(flip, name)) for name in numbers)]
            for flip in result.flips
        ]
        return Table([*names, *numbers], rows)
    return _pair_records(result, number) if table == "pairs" else _system_records(result, number)


def _system_records(result: CompareResult, number: Callable[[float | None], str]) -> Table:
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


def _pair_records(result: CompareResult, number: Callable[[float | None], str]) -> Table:
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
            found = _of_pair(pair, formula)
            row += [number(found.difference), number(found.standard_error)]
            # p-values keep all digits: rounded, small ones would read 0.
            row += [_plain(kind[test]) for test in tests for kind in (found.p, found.p_holm)]
            row += [_plain(found.p_decides), _plain(found.significant), number(found.detectable)]
        row += [_plain(pair.flip), _plain(pair.flip_probability), _plain(pair.cannot_flip)]
        rows.append([*row, _plain(pair.n_differing), "; ".join(pair.doubts)])
    return Table([*header, "flip", "flip_probability", "cannot_flip", "n_differing", "doubts"], rows)


def plan_document(result: PlanResult) -> Document:
    """Return how many test rows it takes to detect a difference.

    Examples
    --------
    >>> import macrof1
    >>> systems = {"x": ["a", "b", "b", "b"] * 100, "y": ["a", "a"] * 200}
    >>> found = macrof1.plan(["a", "b"] * 200, systems, difference=0.05)
    >>> print(plan_document(found).parts()[0].items[0])
    To detect a true difference of 0.05 with 80% power (p ≤ 0.05, both systems on the same rows):
    """
    rows = "both systems on the same rows" if result.paired else "each system on rows of its own"
    asked = (
        f"To detect a true difference of {result.difference:g} with {100 * result.power:g}% power "
        f"(p ≤ {1 - result.confidence_level:.2g}, {rows}):"
    )
    pilot = f"Pilot: {' and '.join(result.systems)}, {counted(result.n_pilot, 'row')}"
    if result.n_clusters is not None:
        size = result.n_pilot / result.n_clusters
        pilot += (
            f" in {counted(result.n_clusters, 'cluster')}; the rows needed come in clusters of about {size:.1f} too"
        )
    header = ["", "rows needed", "plausible range", f"detectable with {result.n_pilot:,} rows"]
    lines = [
        [
            FORMULA_NAMES[formula],
            f"{result.rows[formula]:,}",
            f"{result.low[formula]:,} to {result.high[formula]:,}",
            f"{result.detectable[formula]:.4f}",
        ]
        for formula in FORMULAS
    ]
    columns = (result.rows, result.low, result.high, result.detectable)
    records = [[formula, *(repr(column[formula]) for column in columns)] for formula in FORMULAS]
    return Document(
        title="Rows that it takes to detect a difference",
        parts=lambda: [
            Sentences(items=[asked], flowing=True),
            Table(header, lines),
            Sentences(items=[f"{pilot}.", *result.notes]),
        ],
        data=result.to_dict,
        records=lambda _: Table(["formula", "n_rows", "low", "high", "detectable"], records),
        notes=lambda: result.notes,
    )
