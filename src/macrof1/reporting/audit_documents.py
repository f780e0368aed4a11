"""What audits of published figures say, of one report, a leaderboard or a text; and what bounds on figures say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from macrof1.auditing.audit_results import AuditResult
from macrof1.auditing.audited_tables import AuditRow, AuditTableResult
from macrof1.auditing.audited_texts import AuditTextResult
from macrof1.auditing.printed_figures import shown_interval
from macrof1.bounding.bounds import BoundsResult, ScoreRange
from macrof1.bounding.largest_gap import WitnessResult
from macrof1.convention import FORMULA_NAMES
from macrof1.counts import noun_of
from macrof1.errors import counted
from macrof1.labels import label_text
from macrof1.message import Message
from macrof1.reporting.document import AS_CSV, Chart, Document, Fact, Facts, Part, Sentences, Table, clipped

_TITLE = "Audit of published macro F1s"
_VERDICTS: dict[str, str] = {**dict(FORMULA_NAMES.items()), "either": "either", "neither": "neither"}
_MEANT: dict[str, str] = {**_VERDICTS, "either": "cannot be told"}
_MOST_ROWS = 60
# Larger matrices are printed only in JSON and CSV.
_MOST_CLASSES = 12
_LONGEST_NAME = 30
_NAMES: dict[str, str] = {"precision": "macro precision", "recall": "macro recall", **dict(FORMULA_NAMES.items())}


def single_audit(result: AuditResult) -> Document:
    """Return what the audit of one report says."""
    return Document(
        title=_TITLE,
        parts=lambda: _single_parts(result),
        data=result.to_dict,
        records=lambda _: _records([AuditRow(name="", result=result)], named=False),
        notes=lambda: _single_notes(result),
    )


def _single_notes(result: AuditResult) -> list[str]:
    return [*(f"Not tested: {gap}." for gap in result.not_tested), *result.notes]


def _single_parts(result: AuditResult) -> list[Part]:
    """Return the verdict, its proof, the explanations considered, what was not tested, and the counts behind it."""
    facts = {
        "verdict": _VERDICTS[result.verdict],
        "report": _status(result),
        "definition": result.definition,
        "published": result.published,
        **{name: range_text(result, formula) for formula, name in FORMULA_NAMES.items()},
        "the other formula": result.other,
        "counts that fit": None if result.n_solutions is None else f"{result.n_solutions:,}",
    }
    findings = [f"Contradicts itself: {finding.message}" for finding in result.findings]
    sentences = [result.reason, *findings, *_considered(result), *_single_notes(result)]
    rows = [Fact(name, value) for name, value in facts.items() if value is not None]
    parts: list[Part] = [Facts(rows=rows), Sentences(items=sentences)]
    if result.counts is not None:
        columns = (result.counts.labels, result.counts.actual, result.counts.predicted, result.counts.tp)
        cells = [[label_text(label), *(f"{n:,}" for n in numbers)] for label, *numbers in zip(*columns, strict=True)]
        parts.append(Table(["class", "gold", "predicted", "correct"], cells, title="Counts behind the figures"))
    return parts


def _status(result: AuditResult) -> str:
    return result.status if result.fits_if is None else f"fits if {result.fits_if}"


def _considered(result: AuditResult) -> list[str]:
    excluded = "; ".join(each.condition for each in result.explanations if each.fits is False)
    combined = "; each also with figures rounded twice or truncated" if result.findings else ""
    return [f"Considered and excluded: {excluded}{combined}."] if excluded else []


def range_text(result: AuditResult, formula: str) -> str:
    """Print a formula's value in the format of the figures; a range gets one more decimal, rounded outwards."""
    interval = getattr(result, formula)
    if interval is None:
        return "–"
    scale = 100 if result.percent else 1
    first, *others = {f"{end * scale:.{result.decimals}f}" for end in interval}
    if not others:
        return first
    # The shortest digits: rounding the exact binary value outwards would add a unit.
    low, high = (Fraction(repr(end)) for end in interval)
    return shown_interval((low, high), decimals=result.decimals - 1, scale=scale).replace(" to ", "–")


def audited_text(result: AuditTextResult) -> Document:
    """Return what the audit of the reports in a text says: a single one in full, several as a table."""
    reports, alone = result.reports, len(result.reports) == 1
    notes = [note if alone else f"{each.name}: {note}" for each in reports for note in each.result.notes]
    left_aside = [f"Left aside, line {each.line or '?'}: {each.reason}." for each in result.left_aside]

    def parts() -> list[Part]:
        if alone:
            read = Sentences(items=[f"Read as: {reports[0].read_as}"], flowing=True)
            return [read, *_single_parts(reports[0].result), *([Sentences(items=left_aside)] if left_aside else [])]
        rows = []
        for report in reports:
            found, lines = report.result, f"{report.lines[0]}–{report.lines[1]}"
            what = [found.definition or _MEANT[found.verdict], found.published or "–"]
            status = found.findings[0].message if found.findings else _status(found)
            rows.append([report.name, lines, report.read_as, *what, status])
        verdicts = Counter[str](report.result.verdict for report in reports)
        verdicts_listed = ", ".join(f"{_MEANT[name]} {verdicts[name]:,}" for name in _MEANT if verdicts[name])
        wrong = sum(bool(report.result.findings) for report in reports)
        also = f" {counted(wrong, 'report contradicts itself', 'reports contradict themselves')}." if wrong else ""
        summary = f"{counted(len(reports), 'report')}: {verdicts_listed}.{also}"
        told = [f"{report.name}: {finding.message}" for report in reports for finding in report.result.findings]
        return [
            Table(["name", "lines", "read as", "macro F1 is", "published", "report"], rows, n_text=4, words=5),
            Sentences(items=[summary], flowing=True, lead=True),
            # A terminal has the first finding of each report in the table.
            Sentences(items=told, title="What contradicts itself", most=_MOST_ROWS, where="documents"),
            Sentences(items=[*notes, *left_aside]),
        ]

    return Document(
        title=_TITLE,
        parts=parts,
        data=result.to_dict,
        details=lambda: [] if alone else [_proofs((report.name, report.result) for report in reports)],
        records=lambda _: _records([AuditRow(name=each.name, result=each.result) for each in reports], named=True),
        notes=lambda: [*notes, *left_aside],
    )


def audited_table(result: AuditTableResult) -> Document:
    """Return what the audit of a leaderboard says."""
    found = Counter(gap for row in result.rows for gap in row.result.not_tested)
    total = counted(len(result.rows), "row")
    untested = [f"Not tested in {n:,} of {total}: {gap}." for gap, n in found.items()]

    def parts() -> list[Part]:
        findings = [f"{name}: {message}" for name, message in result.findings]
        more = counted(len(findings) - _MOST_ROWS, "finding", "findings")
        drawn = [row for row in result.rows if row.result.averaged_f1 is not None][:_MOST_ROWS]
        caption = "What each formula gives, row by row; a line is the range that the figures leave."
        chart = Chart(title="Both formulas", kind="formulas_chart", of=drawn, caption=caption)
        # Each formula's rank comes right after its score.
        header = ["name", "verdict", "published", "averaged F1", "rank", "F1 of averages", "rank", "finding"]
        lines = []
        for row in result.rows:
            averaged, of_averages = (range_text(row.result, formula) for formula in FORMULA_NAMES)
            ranked = [averaged, _rank(row.rank_averaged_f1), of_averages, _rank(row.rank_f1_of_averages)]
            first = [row.name, _VERDICTS[row.result.verdict], row.result.published or "–"]
            lines.append([*first, *ranked, _fix(row.result)])
        # Rows that need attention come first, otherwise in their own order.
        usual, found = result.summary.formula, [row.result for row in result.rows]
        order = sorted(range(len(found)), key=lambda at: (not found[at].findings, found[at].verdict == usual))
        hidden = len(lines) - _MOST_ROWS
        return [
            *([chart] if drawn else []),
            Table(
                header, lines, n_text=2, words=7, title="Rows", breaks=(1, 3, 5, 7), shown=sorted(order[:_MOST_ROWS]),
                more=_all_in_csv(counted(hidden, "row")) if hidden > 0 else "",
            ),
            Sentences(items=findings, title="What contradicts itself", most=_MOST_ROWS, more=_all_in_csv(more)),
            Sentences(items=[*result.summary.sentences, *untested, *result.notes], lead=True),
        ]  # fmt: skip

    return Document(
        title=_TITLE,
        parts=parts,
        data=result.to_dict,
        details=lambda: [_proofs((row.name, row.result) for row in result.rows)],
        records=lambda _: _records(result.rows, named=True),
        notes=lambda: [*result.summary.sentences, *untested, *result.notes],
    )


def _proofs(audited: Iterable[tuple[str, AuditResult]]) -> Table:
    rows = [[name, " ".join([result.reason, *_considered(result), *_single_notes(result)])] for name, result in audited]
    return Table(["name", "why"], rows, n_text=2, words=1, title="Proofs", folded=True)


def _all_in_csv(more: str) -> Message:
    return Message(f"… and {more} (all of them with ", AS_CSV, ")")


def _rank(rank: tuple[int, int] | None) -> str:
    return "–" if rank is None else "–".join(map(str, sorted(set(rank))))


def _fix(result: AuditResult) -> str:
    """Describe a correction, or a condition, briefly enough for a table cell, and say if it is not the only one."""
    if not result.findings:
        return "" if result.fits_if is None else _status(result)
    first = result.findings[0]
    more = len(first.alternatives)
    others = "" if not more else ", or one other" if more == 1 else f", or one of {more} others"
    fixed = f"{first.figure} → {first.correction or '?'}{others}"
    return "figures contradict each other" if first.figure is None else fixed


def _records(rows: Iterable[AuditRow], *, named: bool) -> Table:
    """Return one line per report; ranges are in the unit of the published figures, stated in a column."""
    ends = [f"{formula}_{end}" for formula in FORMULA_NAMES for end in ("low", "high")]
    ranks = [f"rank_{formula}_{end}" for formula in FORMULA_NAMES for end in ("best", "worst")] if named else []
    header = [*(["name"] if named else []), "verdict", "unit", "published", *ends, "other", *ranks]
    header += ["n_solutions", "status", "fits_if", "figure", "correction", "finding", "reason"]
    lines = []
    for row in rows:
        result, finding = row.result, row.result.findings[0] if row.result.findings else None
        fields: list[Any] = [*([row.name] if named else []), result.verdict]
        fields += ["percent" if result.percent else "fraction", result.published]
        for formula in FORMULA_NAMES:
            interval = getattr(result, formula) or (None, None)
            # In the unit of the figures, without the rounding noise of the product.
            fields += [round(100 * end, 12) if result.percent and end is not None else end for end in interval]
        fields.append(result.other)
        if named:
            fields += [end for formula in FORMULA_NAMES for end in getattr(row, f"rank_{formula}") or (None, None)]
        fixed = (finding.figure, finding.correction, finding.message) if finding else (None,) * 3
        fields += [result.n_solutions, result.status, result.fits_if, *fixed, result.reason]
        lines.append(["" if field is None else str(field) for field in fields])
    return Table(header, lines)


def bounds_document(
    result: BoundsResult,
    *,
    witness: WitnessResult | None = None,
    labels: Sequence[str] | None = None,
    notes: Sequence[str] = (),
) -> Document:
    """Return what bounds say; `witness` comes close to a supremum, `notes` tell what was noticed in a file."""
    attained = witness or result.largest
    n = 0 if attained is None else attained.n_classes if isinstance(attained, WitnessResult) else len(attained.support)
    names = list(labels or map(str, range(1, n + 1)))
    about, assumed = _about(result, witness), _assumed(result, notes)
    header = ["quantity", "where", "lowest", "highest"]

    def parts() -> list[Part]:
        ranges = Table(header, _range_rows(result, witness, full=False), n_text=2, title="What is left")
        said: list[Part] = [Sentences(items=[note], flowing=True) for note in assumed]
        if attained is None:
            return [ranges, *said]
        if n > _MOST_CLASSES:
            unseen = Message("Its cells are printed with ", AS_CSV, ".")
            return [ranges, Sentences(items=[*about, unseen], flowing=True), *said]
        cells = zip(names, attained.matrix(), strict=True)
        rows = [[name, *(f"{cell:,}" for cell in row)] for name, row in cells]
        caption = " ".join([*about, "Predictions as rows:"])
        header_of_cells = ["predicted \\ gold", *(clipped(name, _LONGEST_NAME) for name in names)]
        matrix = Table(header_of_cells, rows, title="The matrix", caption=caption)
        return [ranges, matrix, *said]

    def data() -> dict[str, Any]:
        content = result.to_dict()
        content |= {} if witness is None else {"witness": witness.to_dict()}
        content |= {} if labels is None else {"labels": list(labels)}
        return {**content, "notes": [*about, *assumed]}

    def records(_: str) -> Table:
        rows = _range_rows(result, witness, full=True)
        if attained is None:
            return Table(header, rows)
        cells = [["cell", "", "", "", names[gold], names[pred], str(n)] for gold, pred, n in attained.cells]
        return Table([*header, "gold", "predicted", "rows"], [*([*row, "", "", ""] for row in rows), *cells])

    title = "What is left for both macro F1s and the gap"
    return Document(title=title, parts=parts, data=data, records=records, notes=lambda: [*about, *assumed])


def _where(n_classes: int | None, over: str | None = None) -> str:
    noun = noun_of(over)
    return f"any number of {noun.many}" if n_classes is None else counted(n_classes, *noun)


def _range_rows(result: BoundsResult, witness: WitnessResult | None, *, full: bool) -> list[list[str]]:
    where = _where(result.n_classes, result.over)
    found: list[tuple[str, str, ScoreRange | None]] = [("gap", where, result.gap)]
    if result.given and result.largest is None:
        both = [(name, where, getattr(result, formula)) for formula, name in FORMULA_NAMES.items()]
        found = [*both, *found]
    found.append(("averaged F1", "2 classes, one label per row", result.binary))
    rows = [
        [name, of, *(repr(end) if full else f"{end:.4f}" for end in (ends.low, ends.high))]
        for name, of, ends in found
        if ends is not None
    ]
    rows += [] if result.any_n is None else _range_rows(result.any_n, None, full=full)
    for name, attained in (("gap of the witness", witness), ("largest gap found", result.largest)):
        if attained is not None:
            rows.append([name, "attained", *[repr(attained.gap) if full else f"{attained.gap:.4f}"] * 2])
    return rows


def _about(result: BoundsResult, witness: WitnessResult | None) -> list[str]:
    if witness is not None:
        supremum = f"The supremum for {_where(witness.n_classes)} is {witness.supremum:.6g}"
        return [f"{supremum}; the witness, a confusion matrix, has a gap of {witness.gap:.6g}."]
    found = result.largest
    if found is None:
        return []
    rows = f"the {counted(sum(found.support), 'gold row')}"
    limit = f"A classifier with a gap of {found.gap:.6g} on {rows} exists; none passes {found.limit:.6g}"
    largest = f"The largest gap that any classifier could have on {rows} is {found.gap:.6g}"
    return [
        f"{largest if found.exact else limit} ({found.reason}).",
        f"It has averaged F1 {found.averaged_f1:.4f} and F1 of averages {found.f1_of_averages:.4f}.",
    ]


def _assumed(result: BoundsResult, notes: Sequence[str]) -> list[str]:
    figures = [f"{_NAMES[name]} {value:g}" for name, value in result.given.items() if name in _NAMES]
    if not figures:
        # The reason why a largest gap is exact is printed next to it.
        note = result.note if result.largest is None else result.note.removesuffix(f"; {result.largest.reason}")
        return [*notes, f"{note[:1].upper()}{note[1:]}."]
    read = f"{' and '.join(figures)} {'is' if len(figures) == 1 else 'are'} read as exact"
    exact = f"{read[:1].upper()}{read[1:]}; for rounded figures use mf1 audit."
    return [*notes, f"Holds for {result.note}.", exact]
