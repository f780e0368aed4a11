"""What the scores of one system, or of groups of rows, say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from macrof1.bounding.closed_forms import harmonic_mean, lowest_averaged_f1
from macrof1.convention import FORMULA_NAMES, FORMULAS
from macrof1.counting.doubts import GRAVE
from macrof1.counts import group_text
from macrof1.errors import InputError, counted
from macrof1.labels import label_text
from macrof1.message import Message, Note
from macrof1.reporting.document import (
    AS_CSV,
    Chart,
    Code,
    Document,
    Fact,
    Facts,
    OutputFormat,
    Part,
    Sentences,
    Table,
    machine_number,
    range_of,
    shown_digits,
)
from macrof1.sampling.intervals import IntervalResult, Measure, checked_level
from macrof1.scoring.group_scores import GroupsResult
from macrof1.scoring.score_result import ScoreResult

# The most classes shown in a terminal, and as pairs in a chart; the longest label in a terminal.
_MOST_CLASSES = 40
_WITH_INTERVALS: Final[tuple[Measure, ...]] = (*FORMULAS, "gap")
_LONGEST_LABEL = 60
_POOLED = "score of pooled counts"
_MEAN = "mean of scores"
_OTHERS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "micro_f1": "micro F1",
    "weighted_f1": "weighted F1",
    "cohen_kappa": "Cohen's kappa",
    "mcc": "MCC",
}


@dataclass(frozen=True, slots=True)
class ScoreIntervals:
    """The intervals of both scores of one system and of the gap; None if not requested or not available.

    `notes` say why an interval is missing or unreliable.
    """

    level: float | None
    found: dict[str, IntervalResult]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, result: ScoreResult, confidence_level: float | None) -> ScoreIntervals:
        """Compute both intervals, or none if the level is None."""
        if confidence_level is None:
            return cls(None, {})
        level = checked_level(confidence_level)
        try:
            found = {str(of): result.interval(of, confidence_level=level) for of in _WITH_INTERVALS}
        except InputError as error:
            return cls(level, {}, (Note("No intervals: ", *error.args[:1], ".", code="no_intervals"),))
        # The result itself says if the gap may be noise.
        every = (note for each in found.values() for note in each.notes)
        notes = dict.fromkeys(note for note in every if getattr(note, "code", "") != "gap_within_noise")
        clusters = found["averaged_f1"].n_clusters
        if clusters is not None:
            treated = f"Intervals treat {clusters:,} clusters of rows as the sample."
            notes = {Note(treated, code="clusters"): None, **notes}
        return cls(level, found, tuple(notes))

    @property
    def title(self) -> str:
        """The title of a column of intervals."""
        return "" if self.level is None else f"{100 * self.level:g}% interval"

    def ends(self, of: str) -> tuple[float, float] | None:
        """Return both ends, if there is an interval."""
        each = self.found.get(of)
        return None if each is None else (each.low, each.high)

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON adds to the scores."""
        if self.level is None:
            return {}
        found = {name: each.to_dict() for name, each in self.found.items()}
        return {"intervals": found, "interval_notes": [str(note) for note in self.notes]}


def score_document(
    result: ScoreResult, *, digits: int | None = None, confidence_level: float | None = None, also: bool = False
) -> Document:
    """Return what a score says.

    Parameters
    ----------
    digits
        Decimals of every score; by default 4, and all in CSV. JSON always has all.
    confidence_level
        Level of the intervals of both scores; no intervals by default.
    also
        Whether every format, not only a page, has the averages often reported alongside.
    """
    shown = shown_digits(digits)
    intervals = cache(lambda: ScoreIntervals.of(result, confidence_level))
    return Document(
        title="Both macro F1s",
        parts=lambda: _score_parts(result, intervals(), shown, also=also),
        details=lambda: _score_details(result, shown, also=also),
        data=lambda: {**result.to_dict(), **intervals().to_dict()},
        records=lambda _: _score_records(result, intervals(), digits),
        notes=lambda: [*result.notes, *intervals().notes],
        scores=[("", result.averaged_f1, result.f1_of_averages)],
    )


def _score_parts(result: ScoreResult, intervals: ScoreIntervals, digits: int, *, also: bool) -> list[Part]:
    notes = result.notes
    grave = [note for note in notes if getattr(note, "code", "") in GRAVE]
    return [
        Sentences(items=grave),
        Facts(rows=_score_facts(result, intervals, digits), in_caption=True),
        Sentences(items=[result.explanation], flowing=True),
        *_score_charts(result),
        _class_table(result, digits),
        Sentences(items=[_size(result), *(note for note in notes if note not in grave), *intervals.notes]),
        *([_other_averages(result, digits)] if also else []),
        *([Code(lines=[_for_a_paper(result, intervals, digits)], title="For a paper")] if intervals.found else []),
        Code(lines=[result.signature("averaged_f1")], title="Signature"),
    ]


def _for_a_paper(result: ScoreResult, intervals: ScoreIntervals, digits: int) -> str:
    """Return one line to paste: both scores by name, with their intervals, and what they rest on."""
    level, short = f"{100 * (intervals.level or 0):g}% CI", min(digits, 3)
    both = []
    for formula, name in formula_names(result).items():
        low, high = intervals.ends(formula) or (0.0, 0.0)
        both.append(f"{name} {getattr(result, formula):.{short}f} ({level} {low:.{short}f}–{high:.{short}f})")
    clusters = intervals.found["averaged_f1"].n_clusters
    of = f" in {counted(clusters, 'cluster')}" if clusters is not None else ""
    unit = "sentence" if result.counts.task == "spans" else "row"
    rows = "" if result.n_rows is None else f"{counted(result.n_rows, unit)}{of}, "
    return f"{'; '.join(both)}; {rows}{counted(result.n_classes, 'class', 'classes')}."


def _score_details(result: ScoreResult, digits: int, *, also: bool) -> list[Part]:
    parts: list[Part] = [Code(lines=[result.signature("f1_of_averages")])]
    if _has_shares(result) and result.gap:
        rows = [
            [label_text(pair.over_precise), label_text(pair.over_recalled), f"{pair.contribution:.{digits}f}"]
            for pair in result.pairs(most=10)
        ]
        header = ["over-precise", "over-recalled", "share of gap"]
        parts.append(Table(header, rows, n_text=2, title="Pairs of classes that make the gap"))
    if result.beta == 1:
        from macrof1.reporting.convention_documents import conventions_table

        table = conventions_table(result.conventions(), digits)
        parts.append(replace(table, title="What other tools would print"))
    return [*parts, *([] if also else [_other_averages(result, digits)])]


def _has_shares(result: ScoreResult) -> bool:
    """Whether the gap is a sum over classes, which it is not if undefined ratios are left out of the means."""
    return result.undefined in (0, 1)


def _other_averages(result: ScoreResult, digits: int) -> Facts:
    """Return the averages often reported alongside the two macro F1s, as far as they apply."""
    values = {words: getattr(result, name) for name, words in _OTHERS.items()}
    rows = [Fact(words, f"{value:.{digits}f}") for words, value in values.items() if value is not None]
    return Facts(rows=rows, name="also", title="Other averages", in_caption=True)


def _score_facts(result: ScoreResult, intervals: ScoreIntervals, digits: int) -> list[Fact]:
    names = {**formula_names(result), "gap": "gap"}

    def fact(of: str, advice: str = "") -> Fact:
        ends = range_of(intervals.ends(of), digits)
        return Fact(names[of], f"{getattr(result, of):.{digits}f}", f"{intervals.title} {ends}" if ends else "", advice)

    return [
        fact("averaged_f1", "report this one"),
        fact("f1_of_averages"),
        fact("gap"),
        Fact("macro precision", f"{result.macro_precision:.{digits}f}"),
        Fact("macro recall", f"{result.macro_recall:.{digits}f}"),
    ]


def formula_names(result: ScoreResult) -> dict[str, str]:
    """Name the two formulas, also for F-beta."""
    return {formula: name.replace("F1", _f_name(result)) for formula, name in FORMULA_NAMES.items()}


def _f_name(result: ScoreResult) -> str:
    return "F1" if result.beta == 1 else f"F{result.beta:g}"


def _count(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def _class_table(result: ScoreResult, digits: int) -> Table:
    """Return one line per class; a terminal shows the classes that cause most of the gap, in their own order."""
    records, chosen, more = result.per_class, None, ""
    hidden = len(records) - _MOST_CLASSES
    if hidden > 0:
        largest = sorted(range(len(records)), key=lambda place: -records[place].gap_share)
        chosen = sorted(largest[:_MOST_CLASSES])
        some, shares = counted(hidden, "class", "classes"), "a smaller share" if hidden == 1 else "smaller shares"
        more = Message(f"… and {some} with {shares} of the gap (all of them with ", AS_CSV, ")")
    rows = [
        [
            label_text(record.label),
            *(f"{value:.{digits}f}" for value in (record.precision, record.recall, record.f1)),
            *map(_count, (record.actual, record.predicted, record.tp)),
            f"{record.gap_share:.{digits}f}",
        ]
        for record in records
    ]
    header = ["class", "precision", "recall", _f_name(result), "gold", "predicted", "correct", "share of gap"]
    return Table(header, rows, title="Classes", shown=chosen, more=more, clip=_LONGEST_LABEL)


def _size(result: ScoreResult) -> str:
    unit = "sentence" if result.counts.task == "spans" else "row"
    rows = "" if result.n_rows is None else f"{counted(result.n_rows, unit)}, "
    share = result.unusable_share
    unusable = f", {share:.1%} of the predictions outside the classes" if share else ""
    return f"{rows}{counted(result.n_classes, 'class', 'classes')}{unusable}"


def _score_charts(result: ScoreResult) -> list[Chart]:
    from macrof1.reporting.charts.result_charts import axis_chart, plane_chart

    shaded = ""
    if result.beta == 1 and _has_shares(result):
        low = lowest_averaged_f1(result.macro_precision, result.macro_recall, result.n_classes)
        high = harmonic_mean(result.macro_precision, result.macro_recall)
        shaded = f" Grey: what averaged F1 could be with the same macro precision and recall, {low:.4f} to {high:.4f}."
    caption = f"Both scores; the bar between them is the gap.{shaded}"
    charts = [Chart(make=lambda: axis_chart(result), caption=caption)]
    if _has_shares(result):
        caption = "Every class; the area of a point is its share of the gap."
        charts.append(Chart(make=lambda: plane_chart(result), caption=caption))
    return charts


def _score_records(result: ScoreResult, intervals: ScoreIntervals, digits: int | None) -> Table:
    number, with_ends = machine_number(digits), intervals.level is not None
    rows = [
        [
            "class",
            label_text(record.label),
            *map(number, (record.precision, record.recall, record.f1)),
            *map(str, (record.actual, record.predicted, record.tp)),
            number(record.gap_share),
            *([""] * (6 if with_ends else 4)),
        ]
        for record in result.per_class
    ]
    facts = ["" if result.n_rows is None else str(result.n_rows), str(result.counts.n_dropped)]
    facts.append(str(result.counts.n_outside))
    for formula in FORMULAS:
        means = map(number, (result.macro_precision, result.macro_recall, getattr(result, formula)))
        ends = [*map(number, intervals.ends(formula) or (None, None))] if with_ends else []
        row = ["macro", formula, *means, "", "", "", number(result.gap), *facts, result.signature(formula), *ends]
        rows.append(row)
    header = ["scope", "label", "precision", "recall", "f1", "actual", "predicted", "tp", "gap_share"]
    header += ["n_rows", "n_dropped", "n_outside", "signature", *(["low", "high"] if with_ends else [])]
    return Table(header, rows, n_text=2)


def groups_document(
    result: GroupsResult, *, digits: int | None = None, confidence_level: float | None = None, also: bool = False
) -> Document:
    """Return what scores per group say; options as in `score_document`."""
    shown = shown_digits(digits)
    every = cache(
        lambda: [
            ScoreIntervals.of(part, confidence_level)
            for part in (*(group.result for group in result.groups), result.total)
        ]
    )

    def data() -> dict[str, Any]:
        found = result.to_dict()
        for part, intervals in zip([*found["groups"], found["total"]], every(), strict=True):
            part |= intervals.to_dict()
        return found

    def parts() -> list[Part]:
        means = f"{_MEAN}: every group counts the same; {_POOLED}: every row counts the same"
        size = f"{counted(len(result.groups), 'group')} by {', '.join(result.by)}; {means}."
        return [
            _groups_table(result, every(), shown),
            Sentences(items=[size, *result.notes, *_interval_facts(result, every())]),
            *([_other_averages(result.total, shown)] if also else []),
            Code(lines=[result.total.signature("averaged_f1")], title="Signature"),
        ]

    return Document(
        title="Both macro F1s by group",
        parts=parts,
        data=data,
        records=lambda _: _groups_table(result, every(), digits, machine=True),
        notes=lambda: [*result.notes, *_interval_facts(result, every())],
        scores=[
            (group_text(result.by, group.key), group.result.averaged_f1, group.result.f1_of_averages)
            for group in result.groups
        ],
    )


def _interval_facts(result: GroupsResult, every: list[ScoreIntervals]) -> list[str]:
    """List the groups whose intervals are missing or unreliable, one line per reason."""
    names = [group_text(result.by, group.key) for group in result.groups] + ["all rows together"]
    if result.repeated:
        names, every = names[:-1], every[:-1]  # the result already says it
    reasons: dict[str, list[str]] = {}
    for name, intervals in zip(names, every, strict=True):
        for note in intervals.notes:
            reasons.setdefault(note, []).append(name)
    return [f"{note} ({_some(who, len(names))})" for note, who in reasons.items()]


def _some(names: list[str], of: int) -> str:
    if len(names) == of:
        return "all groups"
    return "; ".join(names[:3]) + (f"; … {len(names) - 3:,} more" if len(names) > 3 else "")


def _groups_table(
    result: GroupsResult, every: list[ScoreIntervals], digits: int | None, *, machine: bool = False
) -> Table:
    """Return one line per group and both averages; for programs, with a column that tells them apart."""
    number, total = machine_number(digits), every[-1]

    def whole(value: int | None) -> str:
        return "" if value is None else str(value) if machine else f"{value:,}"

    def cells(scores: Sequence[float], intervals: ScoreIntervals | None, gap: float, *sizes: int | None) -> list[str]:
        row = []
        for formula, value in zip(FORMULAS, scores, strict=True):
            ends = None if intervals is None else intervals.ends(formula)
            row.append(number(value))
            if total.level is not None and machine:
                row += map(number, ends or (None, None))
            elif total.level is not None:
                row.append(range_of(ends, shown_digits(digits)))
        return [*row, number(gap), *map(whole, sizes)]

    def scored(part: ScoreResult, intervals: ScoreIntervals) -> list[str]:
        both = [getattr(part, formula) for formula in FORMULAS]
        return cells(both, intervals, part.gap, part.n_classes, part.n_rows)

    pairs = zip(result.groups, every[:-1], strict=True)
    groups = [[*map(label_text, group.key), *scored(group.result, intervals)] for group, intervals in pairs]
    means = cells([result.mean_of_scores(formula) for formula in FORMULAS], None, result.mean_of_gaps(), None, None)
    pooled = scored(result.total, total)
    if machine:
        header = ["scope", *result.by]
        for formula in FORMULAS:
            header += [formula, *([f"{formula}_low", f"{formula}_high"] if total.level is not None else [])]
        blank = [""] * len(result.by)
        averages = [["mean_of_scores", *blank, *means], ["score_of_pooled_counts", *blank, *pooled]]
        rows = [*(["group", *row] for row in groups), *averages]
        return Table([*header, "gap", "n_classes", "n_rows"], rows, n_text=len(header))
    header = list(result.by)
    for name in formula_names(result.total).values():
        header += [name, *([total.title] if total.level is not None else [])]
    # The first key column also names the two averages.
    blank = [""] * (len(result.by) - 1)
    rows = [*groups, [_MEAN, *blank, *means], [_POOLED, *blank, *pooled]]
    return Table([*header, "gap", "classes", "rows"], rows, n_text=len(result.by))


def render_quietly(result: ScoreResult, output: OutputFormat = "text", *, digits: int | None = None) -> str:
    """Print only the two scores: one per line, or as a JSON object."""
    scores = {formula: getattr(result, formula) for formula in FORMULAS}
    if output == "json":
        return json.dumps(scores, allow_nan=False)
    mark, number = "," if output == "csv" else " ", machine_number(digits if output == "csv" else shown_digits(digits))
    return "\n".join(f"{formula}{mark}{number(value)}" for formula, value in scores.items())
