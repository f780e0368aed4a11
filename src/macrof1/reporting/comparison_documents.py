"""What comparisons of systems say, and plans for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from macrof1.comparing.result import TEST_NAMES, CompareResult, Difference, TestName
from macrof1.convention import FORMULA_NAMES, FORMULAS, Formula
from macrof1.errors import counted
from macrof1.reporting.as_text import printable, table_width
from macrof1.reporting.document import (
    Chart,
    Code,
    Document,
    Fact,
    Facts,
    Part,
    Sentences,
    Table,
    clipped,
    machine_number,
    range_of,
    shown_digits,
)

if TYPE_CHECKING:
    from macrof1.sampling.planning import PlanResult  # needs NumPy, which a browser does not have

Cell: TypeAlias = Callable[[Any], str | Sequence[str]]
"""How to print the cell of an item: its text, or the systems that it names, which narrow pages shorten."""
Columns: TypeAlias = list[tuple[str, Cell]]

# The most flips and pairs in a terminal, and pairs in a document; a table requested by name has them all.
_MOST = 10
_MOST_PAIRS = 45
_SUMMARY = (
    "rank_changes", "pairs", "discordant_pairs", "significant_flips", "kendall_tau", "settled_pairs", "paired", "test",
    "null_hypothesis", "confidence_level", "n_resamples", "n_clusters", "baseline", "equivalent",
)  # fmt: skip


def comparison_document(result: CompareResult, *, digits: int | None = None) -> Document:
    """Return what a comparison says; `digits` as in `score_document`."""
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
    from macrof1.reporting.charts import slope_chart

    caption = "Rank of every system under averaged F1 (left) and under F1 of averages (right)."
    parts: list[Part] = [
        Sentences(items=headline(result)),
        Chart(make=lambda: slope_chart(result), caption=caption),
        _system_table(result, digits),
        *([_run_table(result, digits)] if any(system.runs for system in result.systems) else []),
        _flip_table(result, digits),
    ]
    assumed, paste = [], []
    if result.test is not None:
        parts += [_better_table(result)] if result.pairs > _MOST_PAIRS else []
        parts += [_difference_table(result, digits), Sentences(items=verdict(result))]
        assumed = [
            *(["p-values are corrected for all pairs (Holm)."] if result.pairs > 1 else []),
            f"Null hypothesis: {result.null_hypothesis}.",
            "Detectable: the smallest true difference that this test would find with 80% power, before correction.",
        ]
        paste = [Code(lines=_for_a_paper(result, digits), title="For a paper")]
    return [
        *parts,
        _pair_table(result, digits),
        Sentences(items=assumed, where="documents"),
        Sentences(items=result.notes, title="Notes"),
        Facts(rows=[Fact(*fact) for fact in _summary(result).items()], name="summary", where="asked"),
        *paste,
        Code(lines=[result.signature("averaged_f1")], title="Signature"),
    ]


def _details(result: CompareResult, digits: int) -> list[Part]:
    """Return the other signature, and the tests of all pairs if they are too many for a document."""
    signature = Code(lines=[result.signature("f1_of_averages")])
    if result.test is None or result.pairs <= _MOST_PAIRS:
        return [signature]
    title = f"All {result.pairs:,} pairs, with p-values corrected by Holm's method (not printed)"
    return [signature, replace(_pair_table(result, digits), title=title, folded=True, where="everywhere")]


def headline(result: CompareResult) -> list[str]:
    """Summarise in a few lines how far the two rankings agree."""
    tau = "not defined (all tied)" if result.kendall_tau is None else f"{result.kendall_tau:.4f}"
    changes = f"{result.rank_changes:,} {'changes' if result.rank_changes == 1 else 'change'} rank"
    n, of, real = result.discordant_pairs, result.pairs, result.significant_flips
    flips = f"{n:,} of {of:,} pairs {'flips' if n == 1 else 'flip'}"
    if of == 1:
        flips = "The pair flips" if n else "The pair does not flip"
    if n and real is not None:
        some = "" if n == 1 and real else "but not " if n == 1 else f"{f'{real:,}' if real else 'none'} of them "
        flips += f", {some}significantly under both formulas"
    settled = f"{counted(result.settled_pairs, 'pair')} provably cannot flip: their scores lie too far apart"
    return [
        f"{counted(len(result.systems), 'system')}{_rows(result, ' on ')}: {changes} between the formulas",
        f"{flips}; Kendall's tau between the rankings is {tau}",
        *([settled] if result.settled_pairs else []),
    ]


def _rows(result: CompareResult, before: str) -> str:
    rows = "" if result.n_rows is None else f"{before}{counted(result.n_rows, 'row')}"
    return rows + ("" if result.n_clusters is None else f" in {counted(result.n_clusters, 'cluster')}")


def _tested(result: CompareResult) -> str:
    return f"{'paired' if result.paired else 'unpaired'} {TEST_NAMES[result.test or 'delta']}"


def verdict(result: CompareResult) -> list[str]:
    """Say how many differences are significant or none in practice, and by which test."""
    if result.test is None:
        return []
    counts = []
    for formula, name in FORMULA_NAMES.items():
        verdicts = [getattr(pair, formula).verdict for pair in result.comparisons]
        n, alike = sum(word in ("better", "worse") for word in verdicts), verdicts.count("equivalent")
        equal = "" if result.equivalent is None else f" and {alike:,} equivalent"
        counts.append(f"{n:,}{equal} under {name}")
    how = f"p ≤ {1 - result.confidence_level:.2g}, {_tested(result)}"
    how += f", Holm's correction for {result.pairs:,} pairs" if result.pairs > 1 else ""
    how += "" if result.baseline is None else f" with {result.baseline}"
    how += "" if result.equivalent is None else f"; equivalent: within ±{result.equivalent:g}"
    return [f"Better or worse ({how}): {', '.join(counts)}."]


def _for_a_paper(result: CompareResult, digits: int) -> list[str]:
    """Return a line to paste for the best two systems, or for each system and the baseline."""
    level, short = f"{100 * result.confidence_level:g}% CI", min(digits, 3)
    how = f", Holm-corrected for {result.pairs:,} pairs" if result.pairs > 1 else ""
    how = f"{_tested(result)}{how}{_rows(result, ', ')}"
    lines = []
    for pair in result.comparisons[: 1 if result.baseline is None else _MOST]:
        found, p = pair.averaged_f1, _deciding(pair.averaged_f1)
        lines.append(
            f"{pair.a} vs. {pair.b}: difference in averaged F1 {_signed(found.difference, short)} "
            f"({level} {_signed_range(found, short)}; p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}, {how}): "
            f"{found.verdict}."
        )
    return list(map(printable, lines))


def _deciding(found: Difference) -> float:
    return found.p["delta"] if found.p_decides is None else found.p_decides


def _signed(value: float, digits: int) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


def _signed_range(found: Difference, digits: int) -> str:
    return " to ".join(_signed(end, digits) for end in found.interval or ())


def _p_text(value: float | None) -> str:
    return "" if value is None else "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _made(items: Sequence[Any], columns: Columns, names: Mapping[str, str] | None = None, **more: Any) -> Table:
    """Return a table with a row per item, and with other `names` for systems."""

    def text(cell: str | Sequence[str]) -> str:
        return cell if isinstance(cell, str) else " − ".join((names or {}).get(name, name) for name in cell)

    return Table([title for title, _ in columns], [[text(of(item)) for _, of in columns] for item in items], **more)


def _fitted(
    result: CompareResult,
    items: Sequence[Any],
    columns: Columns,
    split: Sequence[tuple[str, Columns]],
    terse: Columns | None = None,
    n_text: int = 1,
    **more: Any,
) -> Table:
    """Return a table that is split where it is too wide, with names shortened only as far as the width requires.

    It is `split` into tables with titles of their own; a terminal may have a `terse` one, which leaves something out.
    """
    own = [system.name for system in result.systems]

    def narrow(whole: Table, width: int | None) -> Sequence[Table]:
        chosen = split if width is None or terse is None else [("", terse)]
        # As many lines as the table that does not fit.
        shown, tables = items[: len(whole.rows)], []
        for longest in (1_000_000, 40, 32, 26, 20, 16, 13, 10):
            names = {name: clipped(name, longest) for name in own}
            if len(set(names.values())) < len(own):
                break
            tables = [_made(shown, each, names, title=title, n_text=n_text) for title, each in chosen]
            if width is None or max(map(table_width, tables)) <= width:
                break
        return tables

    return _made(items, columns, narrow=narrow, n_text=n_text, **more)


def _named(*attributes: str) -> Cell:
    return lambda item: [getattr(item, name) for name in attributes]


def _number(name: str, digits: int) -> Cell:
    return lambda item: f"{getattr(item, name):.{digits}f}"


def _of(formula: Formula, cell: Callable[[Any], str]) -> Cell:
    """Return how to print the difference of a pair under a formula."""
    return lambda pair: cell(getattr(pair, formula))


def _system_table(result: CompareResult, digits: int) -> Table:
    """Return one line per system, the best under averaged F1 first; narrow pages have the intervals on their own."""
    level, tested = f"{100 * result.confidence_level:g}%", result.test is not None

    def ends(formula: Formula, dash: str) -> Cell:
        return lambda one: range_of(getattr(one, f"{formula}_interval"), digits).replace(" to ", dash)

    system: Columns = [("system", _named("name"))]
    whole, plain, terse = system[:], system[:], system[:]
    intervals: Columns = [(f"{level} intervals", _named("name"))]
    for formula, name in FORMULA_NAMES.items():
        score: Columns = [(name, _number(formula, digits))]
        rank: Columns = [("rank", _number(f"rank_{formula}", 0))]
        plain += [*score, *rank]
        whole += [*score, (f"{level} interval", ends(formula, " to ")), *rank]
        terse += [*score, (level, ends(formula, "–")), *rank]
        intervals.append((name, ends(formula, " to ")))
    last: Columns = [("change", lambda one: f"{one.rank_change:+d}" if one.rank_change else "=")]
    last.append(("gap", _number("gap", digits)))
    split = [("Systems", plain + last), *([(f"{level} interval of each score", intervals)] if tested else [])]
    columns = (whole if tested else plain) + last
    return _fitted(result, result.systems, columns, split, terse if tested else None, name="systems", title="Systems")


def _run_table(result: CompareResult, digits: int) -> Table:
    """Return the spread of each system's runs, and the standard errors of their means; narrow pages by formula."""

    def spread(formula: Formula, name: str) -> Cell:
        number = machine_number(digits)
        return lambda one: "" if one.runs is None else number(getattr(one.runs[formula], name))

    first: Columns = [("system", _named("name"))]
    first.append(("runs", lambda one: "" if one.runs is None else str(len(one.runs["averaged_f1"].scores))))
    columns: dict[str, Columns] = {}
    for formula, name in FORMULA_NAMES.items():
        titles = {"mean": name, "sd": "sd", "standard_error_rows": "SE (rows)", "standard_error": "SE"}
        columns[name] = [(title, spread(formula, of)) for of, title in titles.items()]
    split = [(f"Runs, by {name}", first + own) for name, own in columns.items()]
    return _fitted(
        result, result.systems, sum(columns.values(), first), split, title=f"Runs, by {' and '.join(columns)}"
    )


def _flip_table(result: CompareResult, digits: int) -> Table:
    """Return one line per flip, the largest first."""
    columns: Columns = [(f"{name} prefers", _named(f"{formula}_prefers")) for formula, name in FORMULA_NAMES.items()]
    columns += [("by", _number(f"{formula}_lead", digits)) for formula in FORMULAS]
    if any(flip.probability is not None for flip in result.flips):
        columns.append(("probability", _number("probability", 2)))
    hidden = len(result.flips) - _MOST
    return _fitted(
        result,
        result.flips,
        columns,
        [("", columns)],
        n_text=2,
        name="flips",
        title="Flips: pairs whose order differs",
        shown=range(_MOST) if hidden > 0 else None,
        more=f"… and {counted(hidden, 'smaller flip')} (the flips table has all)" if hidden > 0 else "",
        where="everywhere" if result.flips else "asked",
    )


def _difference_table(result: CompareResult, digits: int) -> Table:
    """Return every pair with the interval of its difference and the verdict; a terminal may have averaged F1 alone."""
    level = f"{100 * result.confidence_level:g}% interval"
    pair: Columns = [("pair", _named("a", "b"))]
    columns: list[Columns] = [
        [
            (name, _of(formula, lambda one: _signed(one.difference, digits))),
            (level, _of(formula, lambda one: _signed_range(one, digits))),
            ("p", _of(formula, lambda one: _p_text(_deciding(one)))),
            ("verdict", _of(formula, lambda one: one.verdict or "")),
        ]
        for formula, name in FORMULA_NAMES.items()
    ]
    hidden = result.pairs > _MOST
    return _fitted(
        result,
        result.comparisons,
        sum(columns, pair),
        [("", pair + own) for own in columns],
        pair + columns[0],
        name="differences",
        title="Which differences are real",
        instead=f"The pairs table has the differences of all {result.pairs:,} pairs." if hidden else "",
        where="everywhere" if not hidden else "documents" if result.pairs <= _MOST_PAIRS else "asked",
    )


def _pair_table(result: CompareResult, digits: int) -> Table:
    """Return every pair of systems with its difference and Holm-corrected p-values; narrow pages by formula."""
    first = result.comparisons[0]
    pair: Columns = [("pair", _named("a", "b"))]
    order: Columns = []
    if first.n_differing is not None:
        order.append(("differ on", lambda pair: f"{pair.n_differing:,}"))
    if first.flip_probability is not None:
        order.append(("flips in", lambda pair: f"{100 * (pair.flip_probability or 0):.0f}%"))
    order.append(("order", lambda pair: "flips" if pair.flip else "cannot flip" if pair.cannot_flip else "same"))
    whole, split = pair[:], []
    for formula, name in FORMULA_NAMES.items():
        whole += _difference_columns(result, formula, digits, mark="p ", title=name)
        alone = _difference_columns(result, formula, digits, mark="", title="difference")
        split.append((f"Differences in {name}", [(name, _named("a", "b")), *alone]))
    split.append(("Rows on which each pair differs, and its order", pair + order))
    where = "asked" if result.test is None or result.pairs > _MOST_PAIRS else "documents"
    title = "Every test of every pair"
    return _fitted(result, result.comparisons, whole + order, split, name="pairs", title=title, where=where)


def _difference_columns(result: CompareResult, formula: Formula, digits: int, *, mark: str, title: str) -> Columns:
    """Return the columns of a pair under one formula."""
    first: Difference = getattr(result.comparisons[0], formula)
    found: Columns = [
        (title, _of(formula, lambda one: f"{one.difference:+.{digits}f}{'*' if one.significant else ''}")),
    ]
    for test, p in first.p_holm.items():
        if p is not None:  # with too few resamples it cannot be small, so it says nothing
            found.append((f"{mark}{test}", _of(formula, partial(_corrected, test))))
    doubted = result.test == "randomisation" or any(pair.doubts for pair in result.comparisons)
    if first.p_decides is not None and doubted:
        found.append((f"{mark}decides", _of(formula, lambda one: _p_text(one.p_decides))))
    if first.detectable is not None:
        found.append(("detectable", _of(formula, lambda one: machine_number(digits)(one.detectable))))
    return found


def _corrected(test: TestName, one: Difference) -> str:
    return _p_text(one.p_holm[test])


def _better_table(result: CompareResult) -> Table:
    """Return for each system the ranks of those that it is significantly better than: thousands of pairs on a page."""
    columns: Columns = [("rank", _number("rank_averaged_f1", 0)), ("system", _named("name"))]
    table, header = _made(result.systems, columns), [title for title, _ in columns]
    for formula, name in FORMULA_NAMES.items():
        rank = {system.name: getattr(system, f"rank_{formula}") for system in result.systems}
        beaten: dict[str, list[int]] = {system: [] for system in rank}
        for pair in result.comparisons:
            found: Difference = getattr(pair, formula)
            if found.significant:
                better, worse = (pair.a, pair.b) if found.difference > 0 else (pair.b, pair.a)
                beaten[better].append(rank[worse])
        header.append(f"significantly better than, by {name}")
        table = replace(table, rows=[[*row, ranges(beaten[row[1]])] for row in table.rows])
    caption = "Others are named by their ranks under the formula that decides."
    title = "Which differences are real"
    return replace(table, header=header, n_text=2, title=title, caption=caption, where="documents")


def ranges(numbers: Iterable[int]) -> str:
    """Print integers, with runs abbreviated: 3–5, 7, 9."""
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
    number, records = machine_number(digits), []
    if table == "summary":
        return Table(["figure", "value"], list(_summary(result).items()))
    if table == "flips":
        names = [f"{formula}_prefers" for formula in FORMULAS]
        numbers = [*(f"{formula}_lead" for formula in FORMULAS), "size", "probability"]
        rows = [
            [*(getattr(flip, name) for name in names), *(number(getattr(flip, name)) for name in numbers),
             _plain(flip.significant)]
            for flip in result.flips
        ]  # fmt: skip
        return Table([*names, *numbers, "significant"], rows)
    if table == "pairs":
        for pair in result.comparisons:
            record = {"a": pair.a, "b": pair.b}
            for formula in FORMULAS:
                found: Difference = getattr(pair, formula)
                low, high = found.interval or (None, None)
                scores = {"difference": found.difference, "low": low, "high": high}
                fields = {
                    name: number(value) for name, value in {**scores, "standard_error": found.standard_error}.items()
                }
                for test in found.p:
                    # p-values keep all digits: rounded, small ones would read 0.
                    fields |= {f"p_{test}": _plain(found.p[test]), f"p_holm_{test}": _plain(found.p_holm[test])}
                fields |= {name: _plain(getattr(found, name)) for name in ("p_decides", "significant", "verdict")}
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
    """Return how many test rows it takes to detect a difference."""
    rows = "both systems on the same rows" if result.paired else "each system on rows of its own"
    asked = (
        f"To detect a true difference of {result.difference:g} with {100 * result.power:g}% power "
        f"(p ≤ {1 - result.confidence_level:.2g}, {rows}):"
    )
    pilot = f"Pilot: {' and '.join(result.systems)}, {counted(result.n_pilot, 'row')}"
    if result.n_clusters is not None:
        pilot += f" in {counted(result.n_clusters, 'cluster')}; the rows needed come in clusters of about "
        pilot += f"{result.n_pilot / result.n_clusters:.1f} too"
    header = ["", "rows needed", "plausible range", f"detectable with {result.n_pilot:,} rows"]
    lines, records = [], []
    for formula, name in FORMULA_NAMES.items():
        found = (result.rows, result.low, result.high, result.detectable)
        n, low, high, detectable = (column[formula] for column in found)
        lines.append([name, f"{n:,}", f"{low:,} to {high:,}", f"{detectable:.4f}"])
        records.append([formula, *map(repr, (n, low, high, detectable))])
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
