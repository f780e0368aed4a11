"""Several systems under both formulas: two rankings, the pairs that flip, and which differences are real."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from macrof1.compared import CompareResult, Difference, Flip, SystemPair, SystemScore
from macrof1.convention import FORMULAS, ClassSet, Convention, Formula, Signature, Undefined, checked_beta
from macrof1.counts.confusion import ClassCounts, Confusion
from macrof1.counts.joint import joint_patterns
from macrof1.counts.labels import Missing, label_text
from macrof1.counts.patterns import Patterns
from macrof1.errors import InputError, quote_some
from macrof1.scores.macro import ScoreResult, score_counts
from macrof1.scores.paired import TESTS, Evidence, Rules, TestName, holm, paired_evidence, unpaired_evidence
from macrof1.scores.published import PublishedScore, published_score
from macrof1.scores.ranks import cannot_flip, kendall_tau, orders, ranks
from macrof1.scores.resampling import Progress, Random, checked_random, checked_resamples
from macrof1.scores.uncertainty import IntervalMethod, checked_level, coverage_notes, normal_quantile

__all__ = ["compare", "compare_counts", "compare_published"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """What every way to compare takes, checked."""

    confidence_level: float
    method: IntervalMethod
    test: TestName
    n_resamples: int
    rng: np.random.Generator
    rules: Rules

    @classmethod
    def checked(
        cls,
        *,
        confidence_level: float,
        method: str,
        test: str,
        n_resamples: int,
        rng: Random,
        classes: ClassSet,
        undefined: Undefined,
        beta: float,
    ) -> _Options:
        if method not in ("delta", "bootstrap"):
            raise InputError.unknown_option("method", method, ("delta", "bootstrap"))
        if test not in TESTS:
            raise InputError.unknown_option("test", test, TESTS)
        # A convention refuses what no score could be computed with.
        Convention(formula="averaged_f1", classes=classes, undefined=undefined, beta=beta)
        return cls(
            confidence_level=checked_level(confidence_level),
            method="delta" if method == "delta" else "bootstrap",
            test=test,
            n_resamples=checked_resamples(n_resamples),
            rng=checked_random(rng),
            rules=Rules(classes=classes, undefined=undefined, beta=checked_beta(beta)),
        )


def compare(
    gold: Any,
    systems: Mapping[str, Any],
    *,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    confidence_level: float = 0.95,
    method: IntervalMethod = "delta",
    test: TestName = "delta",
    n_resamples: int = 1000,
    rng: Random = 0,
    progress: Progress | None = None,
) -> CompareResult:
    """Compare systems that were run on the same rows.

    Parameters
    ----------
    gold
        One label per row, or several as sets or an indicator matrix; as in `score`.
    systems
        The name of each system with its predictions for the same rows, in the same order.
    labels, missing, classes, undefined, beta
        As in `score`. With ``missing="drop"`` a row is left out where gold or any system lacks a label.
    confidence_level
        Of the intervals; differences are significant where p is at most 1 minus this.
    method
        How intervals are computed: ``"delta"`` or ``"bootstrap"``.
    test
        Which test decides what is significant: ``"delta"``, ``"bootstrap"`` or ``"randomisation"``. The p-values
        of all three are in ``comparisons``.
    n_resamples
        Resamples of the bootstrap, and randomisations.
    rng
        A seed, a NumPy generator, or None for fresh randomness. The same seed gives the same result.
    progress
        Called now and then with the fraction of the work that was just done.

    Notes
    -----
    Each system has the scores that `score` gives it. Resamples draw joint patterns of gold and all predictions,
    so that two systems are always compared on the same drawn rows.

    Examples
    --------
    >>> gold = ["a", "a", "a", "b", "b", "c"]
    >>> result = compare(gold, {"x": ["a", "a", "b", "b", "b", "c"], "y": ["a", "c", "b", "a", "b", "c"]})
    >>> [(system.name, system.rank_averaged_f1, round(system.averaged_f1, 4)) for system in result.systems]
    [('x', 1, 0.8667), ('y', 2, 0.5556)]
    >>> result.pairs, result.discordant_pairs
    (1, 0)
    """
    options = _Options.checked(
        confidence_level=confidence_level,
        method=method,
        test=test,
        n_resamples=n_resamples,
        rng=rng,
        classes=classes,
        undefined=undefined,
        beta=beta,
    )
    names = _checked_names(systems)
    patterns = joint_patterns(gold, {name: systems[name] for name in names}, labels=labels, missing=missing)
    scored = [
        ScoreResult(counts=patterns.class_counts(place), classes=classes, undefined=undefined, beta=beta)
        for place in range(len(names))
    ]
    _check_classes(scored)
    evidence = paired_evidence(
        patterns, options.rules, n_resamples=options.n_resamples, rng=options.rng, progress=progress
    )
    notes = [*_row_notes(scored[0], patterns.n_rows), *_label_notes(names, scored)]
    return _result(names, scored, evidence, options, paired=True, n_rows=patterns.n_rows, notes=notes)


def compare_counts(
    systems: Mapping[str, Confusion | ClassCounts],
    *,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    confidence_level: float = 0.95,
    method: IntervalMethod = "delta",
    test: TestName = "delta",
    n_resamples: int = 1000,
    rng: Random = 0,
    progress: Progress | None = None,
) -> CompareResult:
    """Compare systems of which only the counts are known.

    Which rows two systems both got right is not in their counts, so that differences are tested as if each system
    had its own test rows. For systems on the same rows that is usually too careful: `compare` sees more.

    Parameters
    ----------
    systems
        The name of each system with its confusion matrix. With `ClassCounts`, or real weights, there are ranks and
        flips but no intervals and no tests.
    classes, undefined, beta, confidence_level, method, test, n_resamples, rng, progress
        As in `compare`; there is no randomisation test without rows.

    Examples
    --------
    >>> import macrof1
    >>> cells = {
    ...     "fosil": Confusion.from_matrix([[1033, 1967], [169, 363]], rows="predicted"),
    ...     "majority": Confusion.from_matrix([[0, 0], [1202, 2330]], rows="predicted"),
    ... }
    >>> compare_counts(cells).flips[0].averaged_f1_prefers
    'majority'
    """
    options = _Options.checked(
        confidence_level=confidence_level,
        method=method,
        test=test,
        n_resamples=n_resamples,
        rng=rng,
        classes=classes,
        undefined=undefined,
        beta=beta,
    )
    names = _checked_names(systems)
    scored = [score_counts(systems[name], classes=classes, undefined=undefined, beta=beta) for name in names]
    _check_classes(scored)
    if test == "randomisation":
        raise InputError(
            'test="randomisation" without rows: expected "delta" or "bootstrap", or the predictions of each row'
        )
    notes = _label_notes(names, scored)
    cells = [result.cells for result in scored]
    totals = {None if result.n_rows is None else int(result.counts.actual.sum()) for result in scored}
    n_rows = totals.pop() if len(totals) == 1 else None
    if any(part is None or part.weighted for part in cells):
        notes.append(
            "There are ranks and flips only: intervals and tests need the whole numbers of a confusion matrix."
        )
        return _result(names, scored, None, options, paired=None, n_rows=n_rows, notes=notes)
    evidence = unpaired_evidence(
        [Patterns.of_cells(part) for part in cells if part is not None],
        options.rules,
        n_resamples=options.n_resamples,
        rng=options.rng,
        progress=progress,
    )
    notes += _row_notes(scored[0], n_rows)
    golds = [{str(record.label): record.actual for record in result.per_class if record.actual} for result in scored]
    if any(gold != golds[0] for gold in golds):
        notes.append("The systems have different gold counts: they were not scored on the same rows.")
    notes.append(
        "Only counts are known, not rows: differences are tested as if each system had its own test rows (unpaired), "
        "which is usually too careful where they had the same."
    )
    return _result(names, scored, evidence, options, paired=False, n_rows=n_rows, notes=notes)


def compare_published(
    systems: Mapping[str, Mapping[str, tuple[float, float]]], *, confidence_level: float = 0.95
) -> CompareResult:
    """Compare systems by published precision and recall of each class: ranks and flips, no tests.

    Parameters
    ----------
    systems
        The name of each system with precision and recall, from 0 to 1, of each class.

    Examples
    --------
    >>> result = compare_published({
    ...     "x": {"yes": (0.34, 0.86), "no": (0.68, 0.16)},
    ...     "y": {"yes": (0.45, 0.45), "no": (0.55, 0.55)},
    ... })
    >>> [system.name for system in result.systems], result.discordant_pairs
    (['y', 'x'], 1)
    """
    names = _checked_names(systems)
    scored = [published_score(name, systems[name]) for name in names]
    _check_classes(scored)
    options = _Options.checked(
        confidence_level=confidence_level,
        method="delta",
        test="delta",
        n_resamples=1000,
        rng=0,
        classes="union",
        undefined=0,
        beta=1.0,
    )
    notes = [
        "Scores are computed from published precision and recall of each class: there are ranks and flips, but no "
        "intervals and no tests. Rounded figures can change the order of systems that are close."
    ]
    return _result(names, scored, None, options, paired=None, n_rows=None, notes=notes)


def _checked_names(systems: Mapping[str, Any]) -> list[str]:
    if not isinstance(systems, Mapping):
        raise InputError(
            f'systems is a {type(systems).__name__}: expected a dictionary of names and predictions, such as {{"a": …}}'
        )
    names = list(systems)
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"{name!r} is no name of a system: expected text that is not empty")
    if len(names) < 2:
        given = f"only one system, {names[0]!r}" if names else "no system"
        raise InputError(f"{given}: expected at least two to compare; score (mf1 score) takes one")
    return names


def _check_classes(scored: Sequence[ScoreResult | PublishedScore]) -> None:
    if max(result.n_classes for result in scored) < 2:
        raise InputError(
            "there is only one class: expected at least two; with one, both macro F1s are its F1, and nothing flips"
        )


def _row_notes(result: ScoreResult, n_rows: int | None) -> list[str]:
    notes = []
    if result.counts.n_dropped:
        notes.append(f"{result.counts.n_dropped:,} rows were left out: gold or one of the systems lacks a label there.")
    records = result.per_class
    rare = [label_text(record.label) for record in records if 0 < record.actual < 5]
    if n_rows is not None:
        notes += coverage_notes(n_rows, result.n_classes, rare, [])
    return notes


def _label_notes(names: Sequence[str], scored: Sequence[ScoreResult]) -> list[str]:
    notes = []
    for name, result in zip(names, scored, strict=True):
        foreign = [label_text(record.label) for record in result.per_class if record.predicted and not record.actual]
        if foreign:
            notes.append(
                f"System {name} predicts labels that gold never has ({quote_some(foreign, most=3)}): each is a class "
                'with F1 0 in its mean; classes="gold" leaves them out.'
            )
        if result.counts.n_outside:
            notes.append(f"System {name}: {result.counts.n_outside:,} labels lie outside the listed classes.")
    return notes if len(notes) <= 10 else [*notes[:9], f"… and {len(notes) - 9} more notes of this kind."]


def _result(
    names: list[str],
    scored: Sequence[ScoreResult | PublishedScore],
    evidence: Evidence | None,
    options: _Options,
    *,
    paired: bool | None,
    n_rows: int | None,
    notes: list[str],
) -> CompareResult:
    values: dict[Formula, list[float]] = {
        "averaged_f1": [result.averaged_f1 for result in scored],
        "f1_of_averages": [result.f1_of_averages for result in scored],
    }
    gaps = [result.gap for result in scored]
    classes = [result.n_classes for result in scored]
    rank = {formula: ranks(values[formula]) for formula in FORMULAS}
    intervals = {formula: _intervals(values[formula], evidence, formula, options) for formula in FORMULAS}
    systems = [
        SystemScore(
            name=name,
            averaged_f1=values["averaged_f1"][place],
            f1_of_averages=values["f1_of_averages"][place],
            gap=gaps[place],
            rank_averaged_f1=rank["averaged_f1"][place],
            rank_f1_of_averages=rank["f1_of_averages"][place],
            n_classes=classes[place],
            averaged_f1_interval=intervals["averaged_f1"][place],
            f1_of_averages_interval=intervals["f1_of_averages"][place],
        )
        for place, name in enumerate(names)
    ]
    best_first = sorted(
        range(len(names)), key=lambda place: (rank["averaged_f1"][place], rank["f1_of_averages"][place])
    )
    couples = list(combinations(best_first, 2))
    differences = {formula: _differences(couples, values[formula], evidence, formula, options) for formula in FORMULAS}
    by_averaged, by_averages = orders(values["averaged_f1"]), orders(values["f1_of_averages"])
    comparisons, flips = [], []
    for position, (a, b) in enumerate(couples):
        probability = None if evidence is None else float(evidence.flip_probability[a, b])
        flip = bool(by_averaged[a, b] * by_averages[a, b] < 0)
        sides = [(values["averaged_f1"][s], values["f1_of_averages"][s], classes[s]) for s in (a, b)]
        comparisons.append(
            SystemPair(
                a=names[a],
                b=names[b],
                averaged_f1=differences["averaged_f1"][position],
                f1_of_averages=differences["f1_of_averages"][position],
                flip=flip,
                flip_probability=probability,
                cannot_flip=options.rules.beta == 1 and (cannot_flip(*sides) or cannot_flip(*reversed(sides))),
            )
        )
        if flip:
            first, second = (a, b) if by_averaged[a, b] > 0 else (b, a)
            flips.append(
                Flip(
                    averaged_f1_prefers=names[first],
                    f1_of_averages_prefers=names[second],
                    averaged_f1_lead=values["averaged_f1"][first] - values["averaged_f1"][second],
                    f1_of_averages_lead=values["f1_of_averages"][second] - values["f1_of_averages"][first],
                    probability=probability,
                )
            )
    if evidence is not None:
        notes = notes + _reach_notes(len(couples), options)
    return CompareResult(
        systems=tuple(systems[place] for place in best_first),
        comparisons=tuple(comparisons),
        flips=tuple(sorted(flips, key=lambda flip: -flip.size)),
        kendall_tau=kendall_tau(values["averaged_f1"], values["f1_of_averages"]),
        paired=paired,
        test=None if evidence is None else options.test,
        confidence_level=options.confidence_level,
        n_resamples=None if evidence is None else options.n_resamples,
        n_rows=n_rows,
        signatures={formula: _signature(scored[best_first[0]], formula) for formula in FORMULAS},
        notes=tuple(notes),
    )


def _intervals(
    values: list[float], evidence: Evidence | None, formula: Formula, options: _Options
) -> list[tuple[float, float] | None]:
    if evidence is None:
        return [None] * len(values)
    level = options.confidence_level
    if options.method == "bootstrap":
        ends = np.quantile(evidence.draws[formula], [(1 - level) / 2, (1 + level) / 2], axis=1)
        return list(zip(*ends.tolist(), strict=True))
    reach = normal_quantile(level) * evidence.errors[formula]
    return [
        (max(0.0, value - up_to), min(1.0, value + up_to)) for value, up_to in zip(values, reach.tolist(), strict=True)
    ]


def _differences(
    couples: list[tuple[int, int]],
    values: list[float],
    evidence: Evidence | None,
    formula: Formula,
    options: _Options,
) -> list[Difference]:
    apart = [values[a] - values[b] for a, b in couples]
    if evidence is None:
        return [
            Difference(difference=difference, standard_error=None, p={}, p_holm={}, significant=None)
            for difference in apart
        ]
    plain = {test: [float(found[formula][a, b]) for a, b in couples] for test, found in evidence.p.items()}
    corrected = {test: holm(p) for test, p in plain.items()}
    alpha = 1 - options.confidence_level
    return [
        Difference(
            difference=difference,
            standard_error=float(evidence.pair_errors[formula][couple]),
            p={test: p[position] for test, p in plain.items()},
            p_holm={test: p[position] for test, p in corrected.items()},
            significant=corrected[options.test][position] <= alpha,
        )
        for position, (couple, difference) in enumerate(zip(couples, apart, strict=True))
    ]


def _reach_notes(n_pairs: int, options: _Options) -> list[str]:
    """Say where a resampling test could not find anything, whatever the data."""
    alpha = 1 - options.confidence_level
    if options.test == "delta" or n_pairs / (options.n_resamples + 1) <= alpha:
        return []
    needed = int(np.ceil(n_pairs / alpha))
    return [
        f"With {n_pairs:,} pairs and {options.n_resamples:,} resamples no {options.test} test can reach "
        f"{alpha:.2g} after Holm's correction: take at least {needed:,} resamples, or the delta test."
    ]


def _signature(result: ScoreResult | PublishedScore, formula: Formula) -> str:
    if isinstance(result, ScoreResult):
        return result.signature(formula)
    return str(
        Signature(
            convention=Convention(formula=formula, classes="listed"),
            n_classes=result.n_classes,
            task="multiclass",
            weighted=False,
        )
    )
