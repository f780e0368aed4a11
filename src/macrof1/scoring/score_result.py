"""The result of a score: both macro F1s of one system, the gap between them, and what they mean."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from macrof1.catalogue.reader import chosen_convention
from macrof1.convention import (
    DEFAULT,
    FORMULA_NAMES,
    FORMULAS,
    UNKNOWN_GOLD,
    ClassSet,
    Convention,
    Empty,
    Signature,
    Task,
    Undefined,
    checked_formula,
    class_text,
)
from macrof1.counting.doubts import label_doubts, never_in_gold, no_common_label
from macrof1.counts import PLAIN, AnyCounts, ClassCounts, Making, RowSource, class_counts_of, plain_numbers
from macrof1.errors import EmptyError, InputError
from macrof1.labels import Label, dropped_note, label_name
from macrof1.message import Argument, Note
from macrof1.result import Result
from macrof1.scoring import macro
from macrof1.scoring.gap import GapPair, explain, gap_pairs, spread, within_noise
from macrof1.scoring.macro import ClassColumns, check_excluded, columns_of

if TYPE_CHECKING:
    from macrof1.counting.array_columns import ArrayColumns
    from macrof1.counting.confusion import Confusion
    from macrof1.sampling.intervals import IntervalMethod, IntervalResult, Measure
    from macrof1.sampling.resampling import Random
    from macrof1.sampling.standard_errors import Noise
    from macrof1.scoring.system_scores import ScoreConventionsResult

_WITHIN_NOISE: Final = Note(
    "The gap is not clearly above the sampling noise: the two formulas may not really differ.", code="gap_within_noise"
)


# A note tells of empty units if what they count as moves averaged F1 by this much.
_NOTICEABLE: Final = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassScore(Result):
    """One class, or unit: its scores, counts and share of the gap; NaN for an undefined ratio that is left out."""

    label: Label | None
    precision: float
    recall: float
    f1: float
    actual: int | float
    predicted: int | float
    tp: int | float
    gap_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreResult(Result):
    """Both macro F1s of one system, the gap between them, and what they mean.

    Every number is computed from the counts on demand.

    Attributes
    ----------
    counts
        True positives, predicted and actual per class.
    convention
        Class set, undefined ratios and beta, for both formulas.
    rows
        What intervals are computed from: a confusion matrix, or the rows that were counted.
    making
        How rows became counts, if not in the default way.
    gold
        The digest of the gold column, or what prints it.
    """

    _keys = (
        "averaged_f1", "f1_of_averages", "gap", "noise_floor", "macro_precision", "macro_recall", "accuracy",
        "balanced_accuracy", "micro_f1", "weighted_f1", "cohen_kappa", "mcc", "n_classes", "n_rows", "n_dropped",
        "n_outside", "task", "weighted", "beta", "classes", "undefined", "exclude", "unusable_share", "explanation",
        "notes", "note_codes", "over", "empty", "per_class",
    )  # fmt: skip

    counts: ClassCounts
    convention: Convention = DEFAULT
    rows: RowSource = None  # type: ignore[assignment]  # taken from the counts
    making: Making = PLAIN
    gold: object = field(default=UNKNOWN_GOLD, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Label a class set given by the user as listed; counts and result know alike how they were made."""
        if self.rows is None:
            object.__setattr__(self, "rows", self.counts.rows)
        if self.making is not self.counts.making:
            if self.making is PLAIN:
                object.__setattr__(self, "making", self.counts.making)
            else:
                object.__setattr__(self, "counts", self.counts.with_facts(making=self.making))
        if self.counts.n_listed is not None and self.convention.classes == "union":
            object.__setattr__(self, "convention", replace(self.convention, classes="listed"))

    def _columns(self, *, as_counted: bool = False) -> ClassColumns | ArrayColumns:
        """Return the units averaged over; those that are empty with the counts they stand for, or as they are."""
        convention = self.convention
        if as_counted and convention.empty != "drop":
            convention = replace(convention, empty=None)
        return columns_of(self.counts, convention)

    @property
    def over(self) -> str:
        """What the mean is taken over: classes, rows, or the values of a column."""
        return self.counts.over or "classes"

    @property
    def empty(self) -> Empty | None:
        """The value of units with nothing gold and nothing predicted; None for that of undefined ratios."""
        return self.convention.empty

    @property
    def cells(self) -> Confusion | None:
        """The confusion matrix; None if there is none (several labels per row) or it is not known."""
        cells = self.rows.confusion()
        return cells if cells is None or cells.making is self.making else replace(cells, making=self.making)

    @property
    def averaged_f1(self) -> float:
        """Mean of the per-class F1 scores: the recommended one."""
        return macro.mean_f(self.counts, self.convention)

    @property
    def f1_of_averages(self) -> float:
        """Harmonic mean of macro precision and macro recall."""
        return macro.f_of_averages(self._columns(), self.convention)

    @property
    def gap(self) -> float:
        """F1 of averages minus averaged F1, by the exact identity; never negative.

        Only if undefined ratios are left out is it a plain difference, of means over different classes.
        """
        columns = self._columns()
        if columns.means_differ(self.undefined):
            return macro.f_of_averages(columns, self.convention) - self.averaged_f1
        return spread(columns, self.convention).gap()

    @property
    def macro_precision(self) -> float:
        """Mean of the per-class precision."""
        return macro.mean_of(self._columns(), "precision", self.convention)

    @property
    def macro_recall(self) -> float:
        """Mean of the per-class recall."""
        return macro.mean_of(self._columns(), "recall", self.convention)

    @property
    def micro_f1(self) -> float:
        """F1 of the pooled counts of all classes; the accuracy, if rows have one label and all classes count."""
        return macro.micro_f(self._columns(as_counted=True), self.beta)

    @property
    def weighted_f1(self) -> float:
        """Mean of the per-class F1, each class weighted by its gold rows."""
        columns = self._columns(as_counted=True)
        return macro.weighted_mean(columns.f(self.beta, self.undefined), columns.actual)

    @property
    def accuracy(self) -> float | None:
        """Fraction of all rows that are right, whatever the class set; None unless every row has one label."""
        return self._of_rows(macro.accuracy)

    @property
    def balanced_accuracy(self) -> float | None:
        """Mean recall of all classes that occur in gold; None if `accuracy` is."""
        return self._of_rows(macro.balanced_accuracy)

    @property
    def cohen_kappa(self) -> float | None:
        """Cohen's kappa over all labels; None if `accuracy` is, NaN if there is only one class."""
        return self._of_rows(macro.cohen_kappa)

    @property
    def mcc(self) -> float | None:
        """Matthews' correlation coefficient over all labels; None if `accuracy` is."""
        return self._of_rows(macro.mcc)

    def _of_rows(self, measure: Callable[[ClassCounts], float]) -> float | None:
        return measure(self.counts) if macro.covers_rows(self.counts) else None

    @property
    def n_classes(self) -> int:
        """Number of classes, or of other units, averaged over."""
        return len(self._columns())

    @property
    def n_rows(self) -> int | None:
        """Number of rows scored, if known."""
        return self.counts.n_rows

    @property
    def n_dropped(self) -> int:
        """Rows left out because a label was missing."""
        return self.counts.n_dropped

    @property
    def n_outside(self) -> int | float:
        """Gold and predicted labels outside a listed class set."""
        return self.counts.n_outside

    @property
    def task(self) -> Task:
        """One label per row, or several."""
        return self.counts.task

    @property
    def weighted(self) -> bool:
        """Whether rows were given weights."""
        return self.counts.weighted

    @property
    def beta(self) -> float:
        """Weight of recall relative to precision."""
        return self.convention.beta

    @property
    def classes(self) -> ClassSet:
        """Which classes are averaged over."""
        return self.convention.classes

    @property
    def exclude(self) -> tuple[Label | None, ...]:
        """Classes that are not averaged over."""
        return self.convention.exclude

    @property
    def undefined(self) -> Undefined:
        """The value of undefined ratios."""
        return self.convention.undefined

    @property
    def per_class(self) -> list[ClassScore]:
        """One record per class, in the order of the class set; over other units, one per unit."""
        columns = self._columns()
        no_shares = columns.means_differ(self.undefined)
        shares = [math.nan] * len(columns) if no_shares else spread(columns, self.convention).shares()
        ratios = columns.precision(self.undefined), columns.recall(self.undefined), columns.f(self.beta, self.undefined)
        seen = self._columns(as_counted=True)
        numbers = (*ratios, seen.actual, seen.predicted, seen.tp, shares)
        rows = zip(columns.labels, *map(plain_numbers, numbers), strict=True)
        return [
            ClassScore(label=label, precision=p, recall=r, f1=f, actual=g, predicted=m, tp=t, gap_share=share)
            for label, p, r, f, g, m, t, share in rows
        ]

    @property
    def explanation(self) -> str:
        """One sentence: how far apart the formulas are and which classes cause it."""
        return explain(self._columns(), self.convention, self.counts.noun)

    @property
    def noise_floor(self) -> float | None:
        """The sampling noise of the gap: about how large it is by chance alone if both formulas truly agree.

        By the delta method, from the cells. None if they are not known or are weights, or if some ratios are
        undefined and do not count as 0; also None if all rows are right, which leaves no noise to measure.

        Examples
        --------
        >>> import macrof1
        >>> result = macrof1.score_matrix([[250, 240], [260, 250]], rows="gold")
        >>> print(f"{result.gap:.6f} {result.noise_floor:.6f}")
        0.000200 0.000250
        """
        noise = self._noise() if self._knows_noise() else None
        return noise.floor or None if noise is not None else None

    def _noise(self) -> Noise | None:
        try:
            from macrof1.sampling.standard_errors import gap_noise
        except ImportError:  # no NumPy in a browser
            return None
        return gap_noise(self.rows.kept_patterns(), self.convention)

    def _knows_noise(self) -> bool:
        # Integer weights do not say how many rows a cell has.
        counts = self.counts
        if counts.weighted or counts.task == "multilabel" or type(self.rows).confusion is RowSource.confusion:
            return False
        if self.undefined == 0:
            return True
        columns = self._columns()
        return bool(all(columns.predicted) and all(columns.actual))

    @property
    def notes(self) -> list[str]:
        """Sentences a reader should know: rows left out, labels outside the class set, a gap within sampling noise."""
        found: list[str] = [*self.making.notes, *self.rows.notes, *self._doubts()]
        if self.counts.n_dropped or self.counts.n_listed is not None:
            found += row_notes(self.counts)
        if self._within_noise():
            found.append(_WITHIN_NOISE)
        return found

    def _within_noise(self) -> bool:
        """Decide by bounds from the counts if they suffice: they cost a small part of the noise floor itself."""
        gap = self.gap
        if not gap or not self._knows_noise():
            return False
        if self.rows.n_clusters is None:  # rows vary as their cells say
            columns = self._columns()
            decided = within_noise(columns, spread(columns, self.convention), gap, self.beta)
            if decided is not None:
                return decided
        noise = self._noise()
        return noise is not None and gap < noise.limit

    @property
    def note_codes(self) -> list[str]:
        """The codes of the notes, for programs, in the same order."""
        return [getattr(note, "code", "") for note in self.notes]

    def _doubts(self) -> list[Note]:
        counts = self.counts
        if counts.over is not None:
            return self._doubts_about_units()
        if 0 not in counts.tp:
            return label_doubts(counts, all_met=True)
        found = label_doubts(counts)
        # The columns of an indicator matrix are all the labels there are; a list of classes is a choice.
        if counts.n_listed is not None and not self.rows.is_matrix:
            return found
        strange = no_common_label(counts)
        if strange is None and self.classes in ("union", "listed"):
            gold = replace(self.convention, classes="gold")
            strange = never_in_gold(counts, self, lambda: replace(self, convention=gold))
        return [strange, *found] if strange else found

    def _doubts_about_units(self) -> list[Note]:
        """Say what empty units count as, if nobody chose it and it moves the score."""
        columns, policy = self._columns(), self.convention.undefined
        n_empty, noun = len(columns) - len(columns.occurring(predicted=True)), self.counts.noun
        if self.empty is not None or not n_empty:
            return []
        choices: tuple[Empty, ...] = (0, 1, "drop") if n_empty < len(columns) else (0, 1)
        policies = [replace(self.convention, empty=each) for each in choices]
        zero, one, *gone = (replace(self, convention=each).averaged_f1 for each in policies)
        if one - zero < _NOTICEABLE:
            return []
        now = "left out of the means" if isinstance(policy, str) else f"counted as {policy}"
        be = "has" if n_empty == 1 else "have"
        return [
            Note(
                f"{n_empty:,} of {len(columns):,} {noun.many} {be} nothing gold and nothing predicted, and "
                f"{'is' if n_empty == 1 else 'are'} {now}: averaged F1 is {zero:.4f} if they count as 0, {one:.4f} as "
                f"1{''.join(f', {score:.4f} without them' for score in gone)}; ",
                Argument("empty"),
                " says which.",
                code="empty_units",
            )
        ]

    @property
    def unusable_share(self) -> float | None:
        """Fraction of the answers that lie outside the listed classes; None if no classes were listed."""
        if self.making.unusable is not None:
            return self.making.unusable
        n_listed, predicted = self.counts.n_listed, self.counts.predicted
        if n_listed is None or not any(predicted):
            return None
        return sum(predicted[n_listed:]) / sum(predicted)

    def pairs(self, *, most: int | None = 10) -> list[GapPair]:
        """Return the pairs of classes that cause the gap, largest contribution first."""
        return gap_pairs(self.counts, self.convention, most=most)

    def conventions(self) -> ScoreConventionsResult:
        """Return what every known system would call macro F1 on these counts.

        Examples
        --------
        >>> import macrof1
        >>> found = macrof1.score([0, 0, 1, 1], [0, 2, 1, 0]).conventions()
        >>> {score.known.name: round(score.value, 4) for score in found.scores if score.known.name in ("weka", "keras")}
        {'keras': 0.3889, 'weka': 0.5833}
        """
        from macrof1.scoring.system_scores import score_conventions

        return score_conventions(self.counts)

    def interval(
        self,
        of: Measure = "averaged_f1",
        *,
        label: object = None,
        confidence_level: float = 0.95,
        method: IntervalMethod | None = None,
        n_resamples: int = 1000,
        rng: Random = 0,
    ) -> IntervalResult:
        """Return an interval: how far the score may be off because the rows are a sample.

        Parameters
        ----------
        of
            ``"averaged_f1"``, ``"f1_of_averages"``, ``"gap"``, ``"macro_precision"``, ``"macro_recall"``, or
            ``"f1"`` with the `label` of a class.
        method
            ``"combined"`` (the default: the outer ends of three intervals, none wider than the classes allow),
            ``"wilson"`` (the default for ``"f1"``), ``"delta"`` (normal, by derivatives) or ``"bootstrap"``
            (percentiles of resamples; for ``"gap"``, corrected for its noise floor).
        n_resamples, rng
            For the bootstrap: the number of resamples, and a seed or generator; the same seed gives the same interval.

        Notes
        -----
        The ``notes`` of the result say when actual coverage is known to be too low. For the gap, the
        delta method fails near 0.

        References
        ----------
        Takahashi et al. 2022, "Confidence interval for micro-averaged F1 and macro-averaged F1 scores",
        Applied Intelligence 52, doi 10.1007/s10489-021-02635-5.

        Examples
        --------
        >>> import macrof1
        >>> result = macrof1.score_matrix([[60, 5, 2], [8, 20, 5], [3, 4, 13]], rows="gold")
        >>> found = result.interval("averaged_f1")
        >>> round(found.low, 4), round(found.high, 4), round(found.standard_error, 4)
        (0.6152, 0.8147, 0.0475)
        """
        from macrof1.sampling.intervals import MEASURES, interval

        InputError.one_of("of", of, MEASURES)
        options: dict[str, Any] = {
            "label": label, "confidence_level": confidence_level, "method": method, "n_resamples": n_resamples,
            "rng": rng,
        }  # fmt: skip
        if self.counts.over is not None:
            from macrof1.sampling.unit_intervals import unit_interval

            if self.rows is not self.counts.rows:
                self.rows.patterns()  # says why these rows are not a sample
            return replace(unit_interval(self.counts, self.convention, of, **options), estimate=getattr(self, of))
        found = interval(self.rows.kept_patterns(), of, self.convention, **options)
        notes = found.notes
        n_counted = sum(self.counts.actual) if self.weighted and not self.counts.real else self.n_rows
        if n_counted != self.n_rows and self.rows.confusion() is self.rows:  # the weights are not known row by row
            note = Note(
                f"Whole-number weights count as so many rows: {n_counted:,}, from {self.n_rows:,} given; where they "
                "say how much a row matters, the width is wrong, and right in compare with ",
                Argument("sample_weight"),
                code="weights_as_rows",
            )
            notes = (*notes, note)
        return replace(found, notes=notes, estimate=found.estimate if of == "f1" else getattr(self, of))

    def at_prevalence(self, prevalence: Mapping[Any, float] | None) -> ScoreResult:
        """Return the scores as they would be where classes are as common as given, with intervals.

        Parameters
        ----------
        prevalence
            The share of each gold class there; shares are divided by their sum. None keeps the mix of the test set,
            with intervals for rows that were sampled class by class.

        Notes
        -----
        A row of class j counts π_j N / g_j times: recall stays, precision changes. This assumes that a class looks the
        same there, as if only its frequency differed. Intervals take the number of gold rows of each class as fixed.

        Examples
        --------
        >>> import macrof1
        >>> balanced = macrof1.score_matrix([[90, 10], [20, 80]], rows="gold", labels=["no", "yes"])
        >>> there = balanced.at_prevalence({"no": 0.99, "yes": 0.01})
        >>> round(balanced.averaged_f1, 3), round(there.averaged_f1, 3), round(there.macro_recall, 3)
        (0.85, 0.542, 0.85)
        """
        from macrof1.sampling.samples import score_at_prevalence

        return score_at_prevalence(self, prevalence)

    def signature(self, formula: str = "averaged_f1") -> str:
        """Return one line that states exactly what was computed.

        Examples
        --------
        >>> import macrof1
        >>> macrof1.score([0, 1, 1], [0, 1, 0]).signature("averaged_f1")  # doctest: +ELLIPSIS
        'averaged_f1|classes:union(0,1)|k:2|rows:3|gold:...|undefined:0|beta:1|task:multiclass|weights:no|version:...'
        """
        share, task, own = self.unusable_share, self.task, self.making.unusable is not None
        n_clusters = self.rows.n_clusters
        # Answers outside the class set that count as wrong are a fact too.
        wrong = bool(share) and not own and task == "multiclass"
        facts = {
            **dict(self.making.facts),
            **({"outside": "wrong"} if wrong else {}),
            **({"unusable": f"{share:.4f}"} if wrong or own else {}),
            **({"missing": "drop"} if self.n_dropped else {}),
            **({"unit": "entities"} if task == "spans" else {}),
            **({"clusters": str(n_clusters)} if n_clusters is not None else {}),
        }
        line = Signature(
            convention=replace(self.convention, formula=checked_formula(formula)),
            n_classes=self.n_classes,
            class_set=class_text(self._columns().labels) if self.counts.over is None else "",
            n_rows=self.n_rows,
            gold=str(self.gold),
            task=task,
            weighted=self.weighted,
            facts=tuple(facts.items()),
        )
        return str(line)

    def __str__(self) -> str:
        return (
            f"{FORMULA_NAMES['averaged_f1']} = {self.averaged_f1:.4f} "
            f"({FORMULA_NAMES['f1_of_averages']} = {self.f1_of_averages:.4f}) {self.signature('averaged_f1')}"
        )

    def metrics(self, *, prefix: str = "") -> dict[str, float]:
        """Return the scores as a flat dict of floats for loggers and trainers; the keys are always the same.

        Examples
        --------
        >>> import macrof1
        >>> macrof1.score([0, 1, 1, 1], [0, 1, 1, 1]).metrics(prefix="val_")["val_averaged_f1"]
        1.0
        """
        warned(self)
        names = ("averaged_f1", "f1_of_averages", "gap", "macro_precision", "macro_recall")
        return {f"{prefix}{name}": getattr(self, name) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        # Plain super() would need the original class, which a dataclass with slots replaces.
        return {**Result.to_dict(self), "signature": {formula: self.signature(formula) for formula in FORMULAS}}


def warned(result: ScoreResult) -> ScoreResult:
    """Return a result of which only numbers are taken: doubts about token tags and -100 become warnings."""
    for note in (*result.making.notes, *(label_doubts(result.counts) if result.counts.over is None else ())):
        if getattr(note, "code", "") in ("tags", "ignored_label"):
            warnings.warn(str(note), UserWarning, stacklevel=4)
    return result


def score_counts(
    counts: AnyCounts,
    *,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    exclude: Iterable[object] = (),
    empty: Empty | None = None,
    convention: str | Convention | None = None,
) -> ScoreResult:
    """Score counts that were made, merged or loaded before.

    Parameters
    ----------
    counts
        What `macrof1.count` returns, a `Confusion`, or `ClassCounts` from elsewhere.
    classes, undefined, beta, exclude, empty, convention
        As in `macrof1.score`.

    Examples
    --------
    >>> import macrof1
    >>> parts = macrof1.count(["a", "b"], ["a", "a"]) + macrof1.count(["b"], ["b"])
    >>> score_counts(parts).averaged_f1 == macrof1.score(["a", "b", "b"], ["a", "a", "b"]).averaged_f1
    True
    """
    tallied = class_counts_of(counts)
    check_weights(tallied)
    chosen = chosen_convention(
        convention, classes=classes, undefined=undefined, beta=beta, exclude=exclude, empty=empty, task=tallied.task,
        over=tallied.over,
    )  # fmt: skip
    if tallied.over is None:
        check_excluded(chosen, tallied.labels)
    return ScoreResult(counts=tallied, convention=chosen, rows=counts.rows)


def check_weights(counts: ClassCounts) -> None:
    """Reject all-zero weights; no rows at all, or rows without a label, score 0 over listed classes by convention."""
    no_list = counts.n_listed is None or (counts.task == "multiclass" and counts.n_rows != 0)
    if counts.is_empty and no_list and counts.over is None:  # units may all be empty
        raise EmptyError("all weights are 0", expected="a positive weight in some row")


def row_notes(counts: ClassCounts) -> list[str]:
    """Say which rows were left out, and which labels lie outside the class set."""
    found: list[str] = [dropped_note(counts.n_dropped)] if counts.n_dropped else []
    n = counts.n_outside
    if n:
        outside = counts.labels[counts.n_listed :]
        names = ", ".join(map(label_name, outside[:5])) + (", …" if len(outside) > 5 else "")
        who, then = f"{n:,} gold or predicted labels lie", "they count as errors of the classes they meet, and are"
        if isinstance(n, float):
            who = f"Gold or predicted labels of weight {n:,.6g} lie"
        elif n == 1:
            who, then = "1 gold or predicted label lies", "it counts as an error of the class it meets, and is"
        text = f"{who} outside the listed classes ({names}): {then} not averaged over; what is a class belongs in "
        found.append(Note(text, Argument("labels"), ".", code="labels_outside"))
    return found
