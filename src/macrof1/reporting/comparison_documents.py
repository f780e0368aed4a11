"""What comparisons of systems say, and plans for one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from macrof1.comparing.options import TEST_NAMES, TestName
from macrof1.comparing.result import CompareResult, Difference, SystemPair, SystemScore
from macrof1.convention import FORMULA_NAMES, FORMULAS, Formula
from macrof1.errors import InputError, counted
from macrof1.reporting.as_text import table_width
from macrof1.reporting.document import (
    Chart,
    Code,
    Document,
    Fact,
    Facts,
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
from macrof1.reporting.lines import printable

if TYPE_CHECKING:
    from macrof1.sampling.planning import PlanResult  # needs NumPy, which a browser does not have

TableName: TypeAlias = Literal["systems", "pairs", "flips", "summary"]
Names: TypeAlias = Mapping[str, str]
"""Short names for systems whose own names are too long for a table."""
Column: TypeAlias = tuple[str, Callable[[Any], str]]
"""The title of a column, and how to print the cell of an item."""

# The most flips and pairs in a terminal, and pairs in a document; a table requested by name has them all.
_MOST = 10
_MOST_PAIRS = 45
_SUMMARY = (
    "rank_changes", "pairs", "discordant_pairs", "significant_flips", "kendall_tau", "settled_pairs", "paired", "test",
    "null_hypothesis", "confidence_level", "n_resamples", "n_clusters", "baseline", "equivalent",
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
        details=lambda: _details(result, shown),
        data=result.to_dict,
        records=partial(_records, result, digits),
        notes=lambda: result.notes,
        scores=[(system.name, system.averaged_f1, system.f1_of_averages) for system in result.systems],
    )


def _parts(result: CompareResult, digits: int) -> list[Part]:
    from macrof1.reporting.charts.result_charts import slope_chart

    caption = "Rank of every system under averaged F1 (left) and under F1 of averages (right)."
    parts: list[Part] = [
        Sentences(items=headline(result)),
        Chart(make=lambda: slope_chart(result), caption=caption),
        _system_table(result, digits),
        *([_run_table(result, digits)] if any(system.runs for system in result.systems) else []),
        _flip_table(result, digits),
    ]
    if result.pairs > _MOST_PAIRS and result.test is not None:
        parts.append(_better_table(result))
    if result.test is not None:
        parts += [_difference_table(result, digits), Sentences(items=verdict(result))]
    return [
        *parts,
        _pair_table(result, digits),
        Sentences(items=_small_print(result), where="documents"),
        Sentences(items=result.notes, title="Notes"),
        Facts(rows=[Fact(*fact) for fact in _summary(result).items()], name="summary", where="asked"),
        *([Code(lines=_for_a_paper(result, digits), title="For a paper")] if result.test is not None else []),
        Code(lines=[result.signature("averaged_f1")], title="Signature"),
    ]


def _details(result: CompareResult, digits: int) -> list[Part]:
    """Return the other signature, and the tests of all pairs if they are too many for a document."""
    pairs = replace(
        _pair_table(result, digits),
        title=f"All {result.pairs:,} pairs, with p-values corrected by Holm's method (not printed)",
        folded=True,
        where="everywhere",
    )
    many = result.test is not None and result.pairs > _MOST_PAIRS
    return [Code(lines=[result.signature("f1_of_averages")]), *([pairs] if many else [])]


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
    if n and result.significant_flips is not None:
        real = result.significant_flips
        flips += (
            f", {f'{real:,}' if real else 'none'} of them significantly under both formulas"
            if n > 1
            else (", significantly under both formulas" if real else ", but not significantly under both formulas")
        )
    settled = counted(result.settled_pairs, "pair", "pairs")
    why = ": their scores lie too far apart" if result.settled_pairs else ""
    return [
        f"{counted(len(result.systems), 'system', 'systems')}{n_rows}: {changes} between the formulas",
        f"{flips}; Kendall's tau between the rankings is {tau}",
        *([f"{settled} provably cannot flip{why}"] if result.settled_pairs else []),
    ]


def verdict(result: CompareResult) -> list[str]:
    """Say how many differences are significant or none in practice, and by which test."""
    if result.test is None:
        return []
    kind = "paired" if result.paired else "unpaired"
    alpha = 1 - result.confidence_level
    counts = []
    for formula in FORMULAS:
        verdicts = [_of_pair(pair, formula).verdict for pair in result.comparisons]
        n, alike = sum(word in ("better", "worse") for word in verdicts), verdicts.count("equivalent")
        equal = "" if result.equivalent is None else f" and {alike:,} equivalent"
        counts.append(f"{n:,}{equal} under {FORMULA_NAMES[formula]}")
    correction = f", Holm's correction for {result.pairs:,} pairs" if result.pairs > 1 else ""
    correction += "" if result.baseline is None else f" with {result.baseline}"
    equal = "" if result.equivalent is None else f"; equivalent: within ±{result.equivalent:g}"
    return [
        f"Better or worse (p ≤ {alpha:.2g}, {kind} {TEST_NAMES[result.test]}{correction}{equal}): {', '.join(counts)}."
    ]


def _small_print(result: CompareResult) -> list[str]:
    """Say what the tests of all pairs assume."""
    if result.test is None:
        return []
    return [
        *(["p-values are corrected for all pairs (Holm)."] if result.pairs > 1 else []),
        f"Null hypothesis: {result.null_hypothesis}.",
        "Detectable: the smallest true difference that this test would find with 80% power, before correction.",
    ]


def _for_a_paper(result: CompareResult, digits: int) -> list[str]:
    """Return a line to paste for the best two systems, or for each system and the baseline."""
    level, short = f"{100 * result.confidence_level:g}% CI", min(digits, 3)
    of = "" if result.n_rows is None else f", {counted(result.n_rows, 'row')}"
    of += "" if result.n_clusters is None else f" in {counted(result.n_clusters, 'cluster')}"
    kind = f"{'paired' if result.paired else 'unpaired'} {TEST_NAMES[result.test or 'delta']}"
    kind += f", Holm-corrected for {result.pairs:,} pairs{of}" if result.pairs > 1 else of
    lines = []
    for pair in result.comparisons[: 1 if result.baseline is None else _MOST]:
        found = pair.averaged_f1
        p = found.p_decides if found.p_decides is not None else found.p["delta"]
        lines.append(
            f"{pair.a} vs. {pair.b}: difference in averaged F1 {_signed(found.difference, short)} "
            f"({level} {_signed_range(found, short)}; p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}, {kind}): "
            f"{found.verdict}."
        )
    return list(map(printable, lines))


def _signed(value: float, digits: int) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


def _signed_range(found: Difference, digits: int) -> str:
    return " to ".join(_signed(end, digits) for end in found.interval or ())


def _of_pair(pair: SystemPair, formula: Formula) -> Difference:
    return pair.averaged_f1 if formula == "averaged_f1" else pair.f1_of_averages


def _made(items: Sequence[Any], columns: Sequence[Column], **more: Any) -> Table:
    rows = [[value(item) for _, value in columns] for item in items]
    return Table([title for title, _ in columns], rows, **more)


def _fitting(
    result: CompareResult,
    split: Callable[[Names], Sequence[Table]],
    table: Table,
    terse: Callable[[Names], Sequence[Table]] | None = None,
) -> Table:
    """Return a table that is split where it is too wide, with names shortened only as far as the width requires.

    A terminal may have a `terse` one instead, which leaves something out.
    """
    own = [system.name for system in result.systems]

    def narrow(whole: Table, width: int | None) -> Sequence[Table]:
        tables: Sequence[Table] = []
        for longest in (1_000_000, 40, 32, 26, 20, 16, 13, 10):
            names = {name: clipped(name, longest) for name in own}
            if len(set(names.values())) < len(own):
                break
            # As many lines as the table that does not fit.
            chosen = split if width is None or terse is None else terse
            tables = [replace(one, rows=one.rows[: len(whole.rows)]) for one in chosen(names)]
            if width is None or max(map(table_width, tables)) <= width:
                break
        return tables

    return replace(table, narrow=narrow)


def _system_table(result: CompareResult, digits: int) -> Table:
    """Return one line per system, the best under averaged F1 first; narrow pages have the intervals on their own."""
    level = f"{100 * result.confidence_level:g}%"

    def made(names: Names, *, scores: bool = True, intervals: bool = True) -> Table:
        columns: list[Column] = [("system" if scores else f"{level} intervals", lambda one: names[one.name])]
        for formula in FORMULAS:
            score, rank, ends = formula, f"rank_{formula}", f"{formula}_interval"
            title = f"{level} interval" if scores else FORMULA_NAMES[formula]
            columns += [(FORMULA_NAMES[formula], partial(_score, score, digits))] if scores else []
            columns += [(title, partial(_interval, ends, digits))] if intervals else []
            columns += [("rank", partial(_attribute, rank))] if scores else []
        change = ("change", lambda one: f"{one.rank_change:+d}" if one.rank_change else "=")
        columns += [change, ("gap", partial(_score, "gap", digits))] if scores else []
        return _made(
            result.systems, columns, name="systems", title="Systems" if scores else f"{level} interval of each score"
        )

    def split(names: Names) -> list[Table]:
        return [made(names, intervals=False), *([made(names, scores=False)] if tested else [])]

    def terse(names: Names) -> list[Table]:
        columns: list[Column] = [("system", lambda one: names[one.name])]
        for formula in FORMULAS:
            columns += [
                (FORMULA_NAMES[formula], partial(_score, formula, digits)),
                (level, partial(_dashed, f"{formula}_interval", digits)),
                ("rank", partial(_attribute, f"rank_{formula}")),
            ]
        return [_made(result.systems, columns)]

    tested = result.test is not None
    whole = made(_own_names(result), intervals=tested)
    return _fitting(result, split, whole, terse if tested else split)


def _own_names(result: CompareResult) -> Names:
    return {system.name: system.name for system in result.systems}


def _score(name: str, digits: int, one: Any) -> str:
    return f"{getattr(one, name):.{digits}f}"


def _interval(name: str, digits: int, one: Any) -> str:
    return range_of(getattr(one, name), digits)


def _dashed(name: str, digits: int, one: Any) -> str:
    return _interval(name, digits, one).replace(" to ", "–")


def _attribute(name: str, one: Any) -> str:
    return str(getattr(one, name))


def _run_table(result: CompareResult, digits: int) -> Table:
    """Return the spread of each system's runs, and the standard errors of their means; narrow pages by formula."""

    def made(names: Names, formulas: Sequence[Formula]) -> Table:
        def spread(formula: Formula, name: str, one: SystemScore) -> str:
            value = None if one.runs is None else getattr(one.runs[formula], name)
            return "" if value is None else f"{value:.{digits}f}"

        columns: list[Column] = [
            ("system", lambda one: names[one.name]),
            ("runs", lambda one: "" if one.runs is None else str(len(one.runs["averaged_f1"].scores))),
        ]
        for formula in formulas:
            titles = {"mean": FORMULA_NAMES[formula], "sd": "sd", "standard_error_rows": "SE (rows)"}
            titles["standard_error"] = "SE"
            columns += [(title, partial(spread, formula, name)) for name, title in titles.items()]
        by = " and ".join(FORMULA_NAMES[formula] for formula in formulas)
        return _made(result.systems, columns, title=f"Runs, by {by}")

    whole = made(_own_names(result), FORMULAS)
    return _fitting(result, lambda names: [made(names, (formula,)) for formula in FORMULAS], whole)


def _flip_table(result: CompareResult, digits: int) -> Table:
    """Return one line per flip, the largest first."""
    hidden = len(result.flips) - _MOST

    def made(names: Names) -> Table:
        columns: list[Column] = [
            ("averaged F1 prefers", lambda one: names[one.averaged_f1_prefers]),
            ("F1 of averages prefers", lambda one: names[one.f1_of_averages_prefers]),
            ("by", partial(_score, "averaged_f1_lead", digits)),
            ("by", partial(_score, "f1_of_averages_lead", digits)),
        ]
        if any(flip.probability is not None for flip in result.flips):
            columns.append(("probability", partial(_score, "probability", 2)))
        return _made(
            result.flips,
            columns,
            n_text=2,
            name="flips",
            title="Flips: pairs whose order differs",
            shown=range(_MOST) if hidden > 0 else None,
            more=f"… and {counted(hidden, 'smaller flip')} (the flips table has all)" if hidden > 0 else "",
            where="everywhere" if result.flips else "asked",
        )

    return _fitting(result, lambda names: [made(names)], made(_own_names(result)))


def _difference_table(result: CompareResult, digits: int) -> Table:
    """Return every pair with the interval of its difference and the verdict; a terminal may have averaged F1 alone."""
    level = f"{100 * result.confidence_level:g}% interval"

    def made(names: Names, formulas: Sequence[Formula], **more: Any) -> Table:
        columns: list[Column] = [("pair", lambda pair: f"{names[pair.a]} − {names[pair.b]}")]
        for formula in formulas:
            titles = (FORMULA_NAMES[formula], level, "p", "verdict")
            columns += [(title, partial(_cell, formula, at, digits)) for at, title in enumerate(titles)]
        return _made(result.comparisons, columns, **more)

    hidden = result.pairs > _MOST
    whole = made(
        _own_names(result),
        FORMULAS,
        name="differences",
        title="Which differences are real",
        instead=f"The pairs table has the differences of all {result.pairs:,} pairs." if hidden else "",
        where="everywhere" if not hidden else "documents" if result.pairs <= _MOST_PAIRS else "asked",
    )
    return _fitting(
        result,
        lambda names: [made(names, (formula,)) for formula in FORMULAS],
        whole,
        lambda names: [made(names, FORMULAS[:1])],
    )


def _cell(formula: Formula, column: int, digits: int, pair: SystemPair) -> str:
    """Print a figure of a difference: itself, its interval, the p-value that decides, or the verdict."""
    found = _of_pair(pair, formula)
    p = found.p["delta"] if found.p_decides is None else found.p_decides
    shown = (_signed(found.difference, digits), _signed_range(found, digits), _p_text(p), found.verdict or "")
    return shown[column]


def _pair_table(result: CompareResult, digits: int) -> Table:
    """Return every pair of systems with its difference and Holm-corrected p-values; narrow pages by formula."""
    first = result.comparisons[0]
    of_both: list[Column] = []
    if first.n_differing is not None:
        of_both.append(("differ on", lambda pair: f"{pair.n_differing:,}"))
    if first.flip_probability is not None:
        of_both.append(("flips in", lambda pair: f"{100 * (pair.flip_probability or 0):.0f}%"))
    of_both.append(("order", lambda pair: "flips" if pair.flip else "cannot flip" if pair.cannot_flip else "same"))

    def pair_of(names: Names) -> Callable[[SystemPair], str]:
        return lambda pair: f"{names[pair.a]} − {names[pair.b]}"

    def alone(names: Names, formula: Formula) -> Table:
        columns = _difference_columns(result, formula, digits, mark="", title="difference")
        title = f"Differences in {FORMULA_NAMES[formula]}"
        return _made(result.comparisons, [(FORMULA_NAMES[formula], pair_of(names)), *columns], title=title)

    def split(names: Names) -> list[Table]:
        title = "Rows on which each pair differs, and its order"
        rest = _made(result.comparisons, [("pair", pair_of(names)), *of_both], title=title)
        return [*(alone(names, formula) for formula in FORMULAS), rest]

    both: list[Column] = [("pair", pair_of(_own_names(result)))]
    for formula in FORMULAS:
        both += _difference_columns(result, formula, digits, mark="p ", title=FORMULA_NAMES[formula])
    where: Where = "asked" if result.test is None or result.pairs > _MOST_PAIRS else "documents"
    whole = _made(result.comparisons, [*both, *of_both], name="pairs", title="Every test of every pair", where=where)
    return _fitting(result, split, whole)


def _difference_columns(result: CompareResult, formula: Formula, digits: int, *, mark: str, title: str) -> list[Column]:
    """Return the columns of a pair under one formula: titles, and how to print each."""
    first = _of_pair(result.comparisons[0], formula)

    def of(value: Callable[[Difference], str]) -> Callable[[SystemPair], str]:
        return lambda pair: value(_of_pair(pair, formula))

    found: list[Column] = [
        (title, of(lambda one: f"{one.difference:+.{digits}f}{'*' if one.significant else ''}")),
        # With too few resamples the corrected p-value cannot be small, so it says nothing.
        *((f"{mark}{test}", of(partial(_corrected, test))) for test in first.p if first.p_holm[test] is not None),
    ]
    if first.p_decides is not None and (
        result.test == "randomisation" or any(pair.doubts for pair in result.comparisons)
    ):
        found.append((f"{mark}decides", of(lambda one: _p_text(one.p_decides))))
    if first.detectable is not None:
        found.append(("detectable", of(lambda one: "" if one.detectable is None else f"{one.detectable:.{digits}f}")))
    return found


def _corrected(test: TestName, one: Difference) -> str:
    return _p_text(one.p_holm[test])


def _p_text(value: float | None) -> str:
    return "" if value is None else "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _better_table(result: CompareResult) -> Table:
    """Return for each system the ranks of those that it is significantly better than: thousands of pairs on a page."""
    place = {system.name: at for at, system in enumerate(result.systems)}
    columns: list[Column] = [("rank", partial(_attribute, "rank_averaged_f1")), ("system", lambda one: one.name)]
    for formula in FORMULAS:
        ranks: dict[str, list[int]] = {name: [] for name in place}
        for pair in result.comparisons:
            difference = _of_pair(pair, formula)
            if difference.significant:
                better, worse = (pair.a, pair.b) if difference.difference > 0 else (pair.b, pair.a)
                ranks[better].append(getattr(result.systems[place[worse]], f"rank_{formula}"))
        title = f"significantly better than, by {FORMULA_NAMES[formula]}"
        columns.append((title, partial(_beaten, ranks)))
    caption = "Others are named by their ranks under the formula that decides."
    title = "Which differences are real"
    return _made(result.systems, columns, n_text=2, title=title, caption=caption, where="documents")


def _beaten(ranks: Mapping[str, list[int]], one: SystemScore) -> str:
    return ranges(ranks[one.name])


def ranges(numbers: Iterable[int]) -> str:
    """Print integers, with runs abbreviated.

    Examples
    --------
    >>> ranges([7, 3, 4, 5, 5, 9])
    '3–5, 7, 9'
    """
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = [f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return ", ".join(shown) or "–"


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _summary(result: CompareResult) -> dict[str, str]:
    """Return facts about the whole comparison."""
    figures = {
        "systems": len(result.systems),
        "rows": result.n_rows,
        **{name: getattr(result, name) for name in _SUMMARY},
        **{f"signature_{formula}": result.signature(formula) for formula in FORMULAS},
        **{f"note_{place}": note for place, note in enumerate(result.notes, start=1)},
    }
    return {name: _plain(value) for name, value in figures.items()}


def _records(result: CompareResult, digits: int | None, table: str) -> Table:
    """Return one table with all that JSON has on its subject, for spreadsheets and data frames."""
    number = machine_number(digits)
    if table == "summary":
        return Table(["figure", "value"], list(_summary(result).items()))
    if table == "flips":
        names = ["averaged_f1_prefers", "f1_of_averages_prefers"]
        numbers = ["averaged_f1_lead", "f1_of_averages_lead", "size", "probability"]
        rows = [
            [
                *(getattr(flip, name) for name in names),
                *(number(getattr(flip, name)) for name in numbers),
                _plain(flip.significant),
            ]
            for flip in result.flips
        ]
        return Table([*names, *numbers, "significant"], rows)
    records = []
    if table == "pairs":
        for pair in result.comparisons:
            record = {"a": pair.a, "b": pair.b}
            for formula in FORMULAS:
                found = _of_pair(pair, formula)
                low, high = found.interval or (None, None)
                fields = {"difference": number(found.difference), "low": number(low), "high": number(high)}
                fields["standard_error"] = number(found.standard_error)
                for test in found.p:
                    # p-values keep all digits: rounded, small ones would read 0.
                    fields |= {f"p_{test}": _plain(found.p[test]), f"p_holm_{test}": _plain(found.p_holm[test])}
                fields |= {"p_decides": _plain(found.p_decides), "significant": _plain(found.significant)}
                fields["verdict"] = found.verdict or ""
                fields["detectable"] = number(found.detectable)
                record |= {f"{formula}_{name}": value for name, value in fields.items()}
            shared = ("flip", "flip_probability", "cannot_flip", "n_differing")
            record |= {name: _plain(getattr(pair, name)) for name in shared}
            records.append({**record, "doubts": "; ".join(pair.doubts)})
        return Table.of(records)
    spread = ("sd", "standard_error_rows", "standard_error", "df") if any(s.runs for s in result.systems) else ()
    for system in result.systems:
        record = {"name": system.name}
        for formula in FORMULAS:
            low, high = getattr(system, f"{formula}_interval") or (None, None)
            record |= {formula: number(getattr(system, formula)), f"{formula}_low": number(low)}
            record |= {f"{formula}_high": number(high), f"rank_{formula}": str(getattr(system, f"rank_{formula}"))}
            for name in spread:
                record[f"{formula}_{name}"] = number(getattr(system.runs[formula], name) if system.runs else None)
        records.append({**record, "rank_change": str(system.rank_change), "gap": number(system.gap)})
    return Table.of(records)


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
