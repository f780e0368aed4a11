"""What comparisons of systems say, and plans for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from macrof1.comparing.compared import TEST_NAMES, CompareResult, Difference, Flip
from macrof1.convention import FORMULA_NAMES, FORMULAS, Signature
from macrof1.counts import noun_of
from macrof1.errors import counted
from macrof1.reporting.as_text import machine_number, printable, range_of, shown_digits
from macrof1.reporting.document import Chart, Code, Document, Fact, Facts, Part, Sentences, Table, Where

if TYPE_CHECKING:
    from macrof1.sampling.planning import PlanResult  # needs NumPy, which a browser does not have

# The most flips and pairs in a terminal, and pairs in a document; a table requested by name has them all.
_MOST = 10
_MOST_PAIRS = 45


def comparison_document(result: CompareResult, *, digits: int | None = None) -> Document:
    """Return what a comparison says; `digits` as in `score_document`."""
    shown = shown_digits(digits)

    def details() -> list[Part]:
        other = Code(lines=[result.signature("f1_of_averages")])
        lines = [[system.name, system.signature] for system in result.systems]
        of_each = Table(["system", "signature"], lines, n_text=2, words=1, title="Signatures", folded=True)
        if result.test is None or result.pairs <= _MOST_PAIRS:
            return [other, of_each]
        title = f"All {result.pairs:,} pairs, with p-values corrected by Holm's method (not printed)"
        return [other, of_each, replace(_pair_table(result, shown), title=title, folded=True, where="everywhere")]

    return Document(
        title="Systems under both macro F1s",
        parts=lambda: _parts(result, shown),
        details=details,
        data=result.to_dict,
        records=partial(_records, result, digits),
        notes=lambda: [*(f"not scored: {name}: {why}" for name, why in result.rejected.items()), *result.notes],
    )


def _parts(result: CompareResult, digits: int) -> list[Part]:
    caption = "Rank of every system under averaged F1 (left) and under F1 of averages (right)."
    parts: list[Part] = [
        Sentences(items=headline(result)),
        Chart(kind="slope_chart", of=result, caption=caption),
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
        Table(
            ["submission", "problem"], list(result.rejected.items()), n_text=2, words=1, title="Not scored",
            name="rejected", where="everywhere" if result.rejected else "asked",
        ),
        Sentences(items=result.notes, title="Notes"),
        Facts(rows=[Fact(*fact) for fact in _summary(result).items()], name="summary", where="asked"),
        *paste,
        Code(lines=[result.signature("averaged_f1")], title="Signature"),
    ]  # fmt: skip


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
    over = dict(Signature.parse(result.signature()).facts).get("over")
    rows += "" if over is None else f", means over {noun_of(over).many}"
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


def _columns(first: dict[str, list[str]], groups: Sequence[dict[str, list[str]]], **more: Any) -> Table:
    """Return a table made of columns by their titles; those of a group stay together where space is short."""
    header, cells, breaks = list(first), list(first.values()), []
    for group in groups:
        breaks.append(len(header))
        header += group
        cells += group.values()
    return Table(header, list(zip(*cells, strict=True)), breaks=breaks, **more)


def _system_table(result: CompareResult, digits: int) -> Table:
    """Return one line per system, the best under the formula that ranks them first."""
    systems, groups, places = result.systems, [], result.places
    for formula, name in FORMULA_NAMES.items():
        columns = {name: [f"{getattr(one, formula):.{digits}f}" for one in systems]}
        if result.test is not None:
            ends = [range_of(getattr(one, f"{formula}_interval"), digits, to="–") for one in systems]
            columns[f"{100 * result.confidence_level:g}% interval"] = ends
        if result.test is not None and result.baseline is None and formula == result.rank_by:
            columns["place"] = ["–".join(map(str, dict.fromkeys(places[one.name]))) for one in systems]
        else:
            columns["rank"] = [str(getattr(one, f"rank_{formula}")) for one in systems]
        groups.append(columns)
    changes = [f"{one.rank_change:+d}" if one.rank_change else "=" for one in systems]
    groups.append({"change": changes, "gap": [f"{one.gap:.{digits}f}" for one in systems]})
    first = {"system": [one.name for one in systems]}
    return _columns(first, groups, name="systems", title="Systems", spare=True, sorts=True)


def _run_table(result: CompareResult, digits: int) -> Table:
    number, groups = machine_number(digits), []
    runs = [one.runs or {} for one in result.systems]
    for formula, name in FORMULA_NAMES.items():
        titles = {"mean": name, "sd": "sd", "standard_error_rows": "SE (rows)", "standard_error": "SE"}
        found = [own.get(formula) for own in runs]
        groups.append({title: [number(getattr(each, of, None)) for each in found] for of, title in titles.items()})
    sizes = [str(len(own["averaged_f1"].scores)) if own else "" for own in runs]
    first = {"system": [one.name for one in result.systems], "runs": sizes}
    return _columns(first, groups, title=f"Runs, by {' and '.join(FORMULA_NAMES.values())}")


def _flip_table(result: CompareResult, digits: int) -> Table:
    header = [*(f"{name} prefers" for name in FORMULA_NAMES.values()), "by", "by"]
    rows = [
        [*(getattr(flip, f"{formula}_prefers") for formula in FORMULAS),
         *(f"{getattr(flip, f'{formula}_lead'):.{digits}f}" for formula in FORMULAS),
         *([] if flip.probability is None else [f"{flip.probability:.2f}"])]
        for flip in result.flips
    ]  # fmt: skip
    hidden = len(rows) - _MOST
    return Table(
        [*header, "probability"][: len(rows[0])] if rows else header,
        rows,
        n_text=2,
        name="flips",
        title="Flips: pairs whose order differs",
        shown=range(_MOST) if hidden > 0 else None,
        more=f"… and {counted(hidden, 'smaller flip')} (the flips table has all)" if hidden > 0 else "",
        where="everywhere" if rows else "asked",
    )


def _pair_names(result: CompareResult) -> dict[str, list[str]]:
    return {"pair": [f"{pair.a} − {pair.b}" for pair in result.comparisons]}


def _difference_table(result: CompareResult, digits: int) -> Table:
    groups = []
    for formula, name in FORMULA_NAMES.items():
        found: list[Difference] = [getattr(pair, formula) for pair in result.comparisons]
        columns: dict[str, list[str]] = {
            name: [_signed(one.difference, digits) for one in found],
            f"{100 * result.confidence_level:g}% interval": [_signed_range(one, digits) for one in found],
            "p": [_p_text(_deciding(one)) for one in found],
            "verdict": [one.verdict or "" for one in found],
        }
        groups.append(columns)
    hidden = result.pairs > _MOST
    return _columns(
        _pair_names(result),
        groups,
        spare=True,
        name="differences",
        title="Which differences are real",
        instead=f"The pairs table has the differences of all {result.pairs:,} pairs." if hidden else "",
        where="everywhere" if not hidden else "documents" if result.pairs <= _MOST_PAIRS else "asked",
    )


def _pair_table(result: CompareResult, digits: int) -> Table:
    """Return every pair of systems with its difference and Holm-corrected p-values."""
    number, pairs, groups = machine_number(digits), result.comparisons, []
    doubted = result.test == "randomisation" or any(pair.doubts for pair in pairs)
    for formula, name in FORMULA_NAMES.items():
        found: list[Difference] = [getattr(pair, formula) for pair in pairs]
        columns = {name: [f"{one.difference:+.{digits}f}{'*' if one.significant else ''}" for one in found]}
        for test, p in found[0].p_holm.items():
            if p is not None:  # with too few resamples it cannot be small, so it says nothing
                columns[f"p {test}"] = [_p_text(one.p_holm[test]) for one in found]
        if found[0].p_decides is not None and doubted:
            columns["p decides"] = [_p_text(one.p_decides) for one in found]
        if found[0].detectable is not None:
            columns["detectable"] = [number(one.detectable) for one in found]
        groups.append(columns)
    order = {"order": ["flips" if pair.flip else "cannot flip" if pair.cannot_flip else "same" for pair in pairs]}
    if pairs[0].flip_probability is not None:
        order = {"flips in": [f"{100 * (pair.flip_probability or 0):.0f}%" for pair in pairs], **order}
    if pairs[0].n_differing is not None:
        order = {"differ on": [f"{pair.n_differing:,}" for pair in pairs], **order}
    where: Where = "asked" if result.test is None or result.pairs > _MOST_PAIRS else "documents"
    title = "Every test of every pair"
    return _columns(_pair_names(result), [*groups, order], name="pairs", title=title, where=where)


def _better_table(result: CompareResult) -> Table:
    """Return for each system the ranks of those that it is significantly better than: thousands of pairs on a page."""
    columns = {"rank": [str(one.rank_averaged_f1) for one in result.systems]}
    columns["system"] = [one.name for one in result.systems]
    for formula, name in FORMULA_NAMES.items():
        rank = {system.name: getattr(system, f"rank_{formula}") for system in result.systems}
        beaten: dict[str, list[int]] = {system: [] for system in rank}
        for pair in result.comparisons:
            found: Difference = getattr(pair, formula)
            if found.significant:
                better, worse = (pair.a, pair.b) if found.difference > 0 else (pair.b, pair.a)
                beaten[better].append(rank[worse])
        columns[f"significantly better than, by {name}"] = [ranges(beaten[system]) for system in rank]
    caption = "Others are named by their ranks under the formula that decides."
    title = "Which differences are real"
    return _columns(columns, [], n_text=2, title=title, caption=caption, where="documents")


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


def _summary(result: CompareResult) -> dict[str, str]:
    figures = {name: value for name, value in result.to_dict().items() if not isinstance(value, list | dict)}
    figures |= {"systems": len(result.systems), "rows": figures.pop("n_rows")}
    figures |= {f"signature_{formula}": result.signature(formula) for formula in FORMULAS}
    figures |= {f"note_{place}": note for place, note in enumerate(result.notes, start=1)}
    return _flat(figures, repr)


def _flat(record: Mapping[str, Any], number: Callable[[float], str], before: str = "") -> dict[str, str]:
    """Return a record of JSON with plain fields: parts of a name are joined, and an interval has two ends."""
    found: dict[str, str] = {}
    for name, value in record.items():
        path = f"{before}{name}"
        if name.endswith("interval"):
            ends = dict(zip(("low", "high"), value or (None, None), strict=True))
            found |= _flat(ends, number, path.removesuffix("interval"))
        elif isinstance(value, Mapping):
            # p-values keep all digits: rounded, small ones would read 0.
            found |= _flat(value, repr if name.startswith("p") else number, f"{path}_")
        elif isinstance(value, list):
            found[path] = "; ".join(map(str, value))
        elif isinstance(value, float):
            found[path] = repr(value) if name == "p_decides" else number(value)
        else:
            found[path] = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return found


def _records(result: CompareResult, digits: int | None, table: str) -> Table:
    """Return one table with all that JSON has on its subject, for spreadsheets and data frames."""
    if table == "summary":
        return Table(["figure", "value"], list(_summary(result).items()))
    number = machine_number(digits)
    if table == "flips":
        return Table(Flip._keys, [list(_flat(flip.to_dict(), number).values()) for flip in result.flips])
    if table == "pairs":
        records = [_flat(pair.to_dict(), number) for pair in result.comparisons]
    else:
        places = [dict(zip(("best", "worst"), result.places[one.name], strict=True)) for one in result.systems]
        systems = [{**one.to_dict(), "place": at} for one, at in zip(result.systems, places, strict=True)]
        runs = [system.pop("runs") or {} for system in systems]
        records = [_flat(one, number) | _flat(own, number) for one, own in zip(systems, runs, strict=True)]
    names = dict.fromkeys(name for record in records for name in record)
    return Table(list(names), [[record.get(name, "") for name in names] for record in records])


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
