"""What the scores of one system, or of groups of rows, say."""

from __future__ import annotations

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
from macrof1.reporting.as_text import machine_number, range_of, shown_digits
from macrof1.reporting.document import AS_CSV, Chart, Code, Document, Fact, Facts, Part, Sentences, Table
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
    """The intervals of both scores and of the gap, if requested; `notes` say why one is missing or unreliable."""

    level: float | None
    found: dict[str, IntervalResult]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, result: ScoreResult, confidence_level: float | None) -> ScoreIntervals:
        """Compute the intervals, or none if the level is None."""
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
            units = "rows" if result.counts.over is None else result.counts.noun.many
            treated = f"Intervals treat {clusters:,} clusters of {units} as the sample."
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
    """Return what a score says; `digits` are its decimals, by default 4, and all in CSV; `also` adds other averages."""
    shown = shown_digits(digits)
    intervals = cache(lambda: ScoreIntervals.of(result, confidence_level))
    return Document(
        title="Both macro F1s",
        parts=lambda: _score_parts(result, intervals(), shown, also=also),
        details=lambda: _score_details(result, shown, also=also),
        data=lambda: {**result.to_dict(), **intervals().to_dict()},
        records=lambda _: _score_records(result, intervals(), digits),
        notes=lambda: [*result.notes, *intervals().notes],
    )


def _score_parts(result: ScoreResult, intervals: ScoreIntervals, digits: int, *, also: bool) -> list[Part]:
    notes, names = result.notes, formula_names(result)
    grave = [note for note in notes if getattr(note, "code", "") in GRAVE]
    facts = []
    for of, name in (*names.items(), ("gap", "gap")):
        ends, advice = range_of(intervals.ends(of), digits), "report this one" if of == "averaged_f1" else ""
        beside = f"{intervals.title} {ends}" if ends else ""
        facts.append(Fact(name, f"{getattr(result, of):.{digits}f}", beside, advice))
    facts += [Fact(f"macro {of}", f"{getattr(result, f'macro_{of}'):.{digits}f}") for of in ("precision", "recall")]
    row, share = "sentence" if result.counts.task == "spans" else "row", result.unusable_share
    rows = "" if result.n_rows is None else counted(result.n_rows, row)
    classes = counted(result.n_classes, *result.counts.noun)
    if result.counts.over is not None:
        rows, classes = "" if result.counts.over == "rows" else rows, f"mean over {classes}"
    outside = f"{share:.1%} of the predictions outside the classes" if share else ""
    size = ", ".join(filter(None, [rows, classes, outside]))
    paste: list[Part] = []
    if intervals.found:
        # One line to paste: both scores by name, with their intervals, and what they rest on.
        level, short, both = f"{100 * (intervals.level or 0):g}% CI", min(digits, 3), []
        for formula, name in names.items():
            low, high = intervals.ends(formula) or (0.0, 0.0)
            both.append(f"{name} {getattr(result, formula):.{short}f} ({level} {low:.{short}f}–{high:.{short}f})")
        clusters = intervals.found["averaged_f1"].n_clusters
        places = "" if clusters is None else f" in {counted(clusters, 'cluster')}"
        rests = [rows + places, classes] if result.counts.over is None else [rows, classes + places]
        line = f"{'; '.join(both)}; {', '.join(filter(None, rests))}."
        paste = [Code(lines=[line], title="For a paper")]
    return [
        Sentences(items=grave),
        Facts(rows=facts, in_caption=True),
        Sentences(items=[result.explanation], flowing=True),
        *_score_charts(result),
        _class_table(result, digits),
        Sentences(items=[size, *(note for note in notes if note not in grave), *intervals.notes]),
        *([_other_averages(result, digits)] if also else []),
        *paste,
        Code(lines=[result.signature("averaged_f1")], title="Signature"),
    ]


def _score_details(result: ScoreResult, digits: int, *, also: bool) -> list[Part]:
    parts: list[Part] = [Code(lines=[result.signature("f1_of_averages")])]
    if _has_shares(result) and result.gap:
        rows = [
            [label_text(pair.over_precise), label_text(pair.over_recalled), f"{pair.contribution:.{digits}f}"]
            for pair in result.pairs(most=10)
        ]
        header = ["over-precise", "over-recalled", "share of gap"]
        parts.append(Table(header, rows, n_text=2, title=f"Pairs of {result.counts.noun.many} that make the gap"))
    if result.beta == 1:
        from macrof1.reporting.convention_documents import conventions_table

        parts.append(replace(conventions_table(result.conventions(), digits), title="What other tools would print"))
    return [*parts, *([] if also else [_other_averages(result, digits)])]


def _has_shares(result: ScoreResult) -> bool:
    """Whether the gap is a sum over classes, which it is not if undefined ratios are left out of the means."""
    return result.undefined in (0, 1)


def _other_averages(result: ScoreResult, digits: int) -> Facts:
    values = {words: getattr(result, name) for name, words in _OTHERS.items()}
    rows = [Fact(words, f"{value:.{digits}f}") for words, value in values.items() if value is not None]
    return Facts(rows=rows, name="also", title="Other averages", in_caption=True)


def formula_names(result: ScoreResult) -> dict[str, str]:
    """Name the two formulas, also for F-beta."""
    return {formula: name.replace("F1", f"F{result.beta:g}") for formula, name in FORMULA_NAMES.items()}


def _class_table(result: ScoreResult, digits: int) -> Table:
    """Return one line per class; a terminal shows the classes that cause most of the gap, in their own order."""
    records, chosen, more, noun = result.per_class, None, "", result.counts.noun
    hidden = len(records) - _MOST_CLASSES
    if hidden > 0:
        largest = sorted(range(len(records)), key=lambda place: -records[place].gap_share)
        chosen = sorted(largest[:_MOST_CLASSES])
        some, shares = counted(hidden, *noun), "a smaller share" if hidden == 1 else "smaller shares"
        more = Message(f"… and {some} with {shares} of the gap (all of them with ", AS_CSV, ")")
    rows = [
        [
            label_text(record.label),
            *(f"{value:.{digits}f}" for value in (record.precision, record.recall, record.f1)),
            *(f"{n:,}" if isinstance(n, int) else f"{n:,.6g}" for n in (record.actual, record.predicted, record.tp)),
            f"{record.gap_share:.{digits}f}",
        ]
        for record in records
    ]
    header = [noun.one, "precision", "recall", f"F{result.beta:g}", "gold", "predicted", "correct", "share of gap"]
    return Table(header, rows, title=noun.many.capitalize(), shown=chosen, more=more, clip=_LONGEST_LABEL)


def _score_charts(result: ScoreResult) -> list[Chart]:
    caption = "Both scores; the bar between them is the gap."
    if result.beta == 1 and _has_shares(result):
        low = lowest_averaged_f1(result.macro_precision, result.macro_recall, result.n_classes)
        high = harmonic_mean(result.macro_precision, result.macro_recall)
        caption += (
            f" Grey: what averaged F1 could be with the same macro precision and recall, {low:.4f} to {high:.4f}."
        )
    axis = Chart(kind="axis_chart", of=result, caption=caption)
    above = f"Every {result.counts.noun.one}; the area of a point is its share of the gap."
    return [axis, Chart(kind="plane_chart", of=result, caption=above)] if _has_shares(result) else [axis]


def _score_records(result: ScoreResult, intervals: ScoreIntervals, digits: int | None) -> Table:
    number, with_ends = machine_number(digits), intervals.level is not None
    rows = [
        [
            "class" if result.counts.over is None else "unit",
            label_text(record.label),
            *map(number, (record.precision, record.recall, record.f1)),
            *map(str, (record.actual, record.predicted, record.tp)),
            number(record.gap_share),
            *([""] * (6 if with_ends else 4)),
        ]
        for record in result.per_class
    ]
    facts = ["" if result.n_rows is None else str(result.n_rows)]
    facts += map(str, (result.counts.n_dropped, result.counts.n_outside))
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
    scored = [*(group.result for group in result.groups), result.total]
    every = cache(lambda: [ScoreIntervals.of(part, confidence_level) for part in scored])
    names = [group_text(result.by, group.key) for group in result.groups]

    def data() -> dict[str, Any]:
        found = result.to_dict()
        for part, intervals in zip([*found["groups"], found["total"]], every(), strict=True):
            part |= intervals.to_dict()
        return found

    def notes() -> list[str]:
        """List also the groups whose intervals are missing or unreliable, one line per reason."""
        # Of repeated rows, the result already says it.
        whose = names if result.repeated else [*names, "all rows together"]
        reasons: dict[str, list[str]] = {}
        for name, intervals in zip(whose, every(), strict=False):
            for note in intervals.notes:
                reasons.setdefault(note, []).append(name)
        found = list(result.notes)
        for note, who in reasons.items():
            some = "; ".join([*who[:3], *([f"… {len(who) - 3:,} more"] if len(who) > 3 else [])])
            found.append(f"{note} ({'all groups' if len(who) == len(whose) else some})")
        return found

    def parts() -> list[Part]:
        each = result.total.counts.noun.one if result.total.counts.over else "row"
        means = f"{_MEAN}: every group counts the same; {_POOLED}: every {each} counts the same"
        size = f"{counted(len(result.groups), 'group')} by {', '.join(result.by)}; {means}."
        return [
            _groups_table(result, every(), shown),
            Sentences(items=[size, *notes()]),
            *([_other_averages(result.total, shown)] if also else []),
            Code(lines=[result.signature("averaged_f1"), result.total.signature("averaged_f1")], title="Signatures"),
        ]

    return Document(
        title="Both macro F1s by group",
        parts=parts,
        data=data,
        records=lambda _: _groups_table(result, every(), digits, machine=True),
        notes=notes,
    )


def _groups_table(
    result: GroupsResult, every: list[ScoreIntervals], digits: int | None, *, machine: bool = False
) -> Table:
    """Return one line per group and both averages; for programs, with a column that tells them apart."""
    number, total, n_keys = machine_number(digits), every[-1], len(result.by)
    with_ends = total.level is not None

    def cells(scores: Sequence[float], intervals: ScoreIntervals | None, gap: float, *sizes: int | None) -> list[str]:
        row = []
        for formula, value in zip(FORMULAS, scores, strict=True):
            ends = None if intervals is None else intervals.ends(formula)
            row.append(number(value))
            if with_ends:
                row += map(number, ends or (None, None)) if machine else [range_of(ends, shown_digits(digits))]
        shown = ("" if n is None else str(n) if machine else f"{n:,}" for n in sizes)
        return [*row, number(gap), *shown]

    def scored(part: ScoreResult, intervals: ScoreIntervals) -> list[str]:
        both = [getattr(part, formula) for formula in FORMULAS]
        return cells(both, intervals, part.gap, part.n_classes, part.n_rows)

    pairs = zip(result.groups, every[:-1], strict=True)
    groups = [[*map(label_text, group.key), *scored(group.result, intervals)] for group, intervals in pairs]
    means = cells([result.mean_of_scores(formula) for formula in FORMULAS], None, result.mean_of_gaps(), None, None)
    pooled = scored(result.total, total)
    header = list(result.by)
    if machine:
        for formula in FORMULAS:
            header += [formula, *([f"{formula}_low", f"{formula}_high"] if with_ends else [])]
        blank = [""] * n_keys
        averages = [["mean_of_scores", *blank, *means], ["score_of_pooled_counts", *blank, *pooled]]
        rows = [*(["group", *row] for row in groups), *averages]
        return Table(["scope", *header, "gap", "n_classes", "n_rows"], rows)
    for name in formula_names(result.total).values():
        header += [name, *([total.title] if with_ends else [])]
    # The first key column also names the two averages.
    blank = [""] * (n_keys - 1)
    rows = [*groups, [_MEAN, *blank, *means], [_POOLED, *blank, *pooled]]
    units = result.total.counts.noun.many
    return Table([*header, "gap", "units" if units == "rows" else units, "rows"], rows, n_text=n_keys)
