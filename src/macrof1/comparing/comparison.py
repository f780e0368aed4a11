"""Several systems under both formulas: two rankings, the pairs that flip, and which differences are real."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from macrof1.comparing.published import PublishedScore, published_score
from macrof1.comparing.ranking import Options, ranked
from macrof1.comparing.result import CompareResult
from macrof1.comparing.significance import TestName, paired_evidence, unpaired_evidence
from macrof1.convention import ClassSet, Undefined
from macrof1.counting.confusion import Confusion
from macrof1.counts import ClassCounts, class_counts_of
from macrof1.errors import EmptyError, InputError, counted, quote_some
from macrof1.labels import Missing, label_text
from macrof1.message import Argument, Message
from macrof1.sampling.delta import class_sums
from macrof1.sampling.intervals import IntervalMethod, coverage_notes
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import Progress, Random, class_places
from macrof1.scoring.result import ScoreResult, score_counts


def compare(
    gold: Any,
    systems: Mapping[str, Any] | None = None,
    *,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
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
    """Compare systems that were run on the same rows, or of which only counts or published figures are known.

    Parameters
    ----------
    gold
        One label per row, or several as sets or an indicator matrix; as in `score`. None, or left out, where the
        systems come as counts or figures.
    systems
        The name of each system with its predictions for the same rows, in the same order; with its counts (a
        `Confusion`, or `ClassCounts`: then there are ranks and flips, but no tests); or with the published precision
        and recall of each class, ``{"cat": (0.71, 0.64), …}``.
    sample_weight
        A non-negative number per row. A row stays one draw whatever it weighs: resamples draw rows and take their
        weights along. For counts of equal rows, repeat the rows, or give counts.
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
    [('x', 1, 0.8667), ('y', 2, 0.5222)]
    >>> result.pairs, result.discordant_pairs
    (1, 0)
    """
    if systems is None and isinstance(gold, Mapping):
        gold, systems = None, gold
    if gold is None:
        given = {
            "labels": labels is not None,
            "sample_weight": sample_weight is not None,
            "missing": missing != "error",
        }
        return _compare_without_rows(
            systems,
            [name for name, there in given.items() if there],
            classes=classes,
            undefined=undefined,
            beta=beta,
            confidence_level=confidence_level,
            method=method,
            test=test,
            n_resamples=n_resamples,
            rng=rng,
            progress=progress,
        )
    options = Options.checked(
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
    assert systems is not None  # the names were checked
    patterns = joint_patterns(
        gold,
        {name: systems[name] for name in names},
        labels=labels,
        missing=missing,
        sample_weight=sample_weight,
    )
    scored = [
        score_counts(patterns.class_counts(place), classes=classes, undefined=undefined, beta=beta)
        for place in range(len(names))
    ]
    _check_classes(scored)
    evidence = paired_evidence(
        patterns, options.rules, n_resamples=options.n_resamples, rng=options.rng, progress=progress
    )
    gold_rows = class_sums(patterns, 0, power=0)[2].tolist()
    # Gold classes are the same for every system: those that any of them is averaged over.
    averaged = class_places(patterns, 0, classes).tolist()
    rare = [label_text(patterns.labels[at]) for at in averaged if 0 < gold_rows[at] < 5]
    notes = [*_row_notes(names, scored, round(patterns.effective_rows), rare), *_label_notes(names, scored)]
    if patterns.weights is not None:
        notes.insert(0, _weight_note(patterns))
    return ranked(names, scored, evidence, options, paired=True, n_rows=patterns.n_rows, notes=notes)


def _compare_without_rows(systems: Any, beside: Sequence[str], **options: Any) -> CompareResult:
    """Compare systems that come as counts or as published figures."""
    names = _checked_names(systems)
    kinds = {name: _kind(systems[name]) for name in names}
    if len(set(kinds.values())) > 1 or None in kinds.values():
        odd = next((name for name in names if kinds[name] is None), names[-1])
        raise InputError(
            Message(Argument("gold"), f" is not given, and system {odd!r} is of type {type(systems[odd]).__name__}"),
            argument="gold",
            expected="gold labels and predictions, or counts of every system, or published precision and recall of "
            "every class of every system",
        )
    if beside:
        raise InputError.beside(beside[0], "systems", expected="options for rows beside rows only")
    if kinds[names[0]] == "counts":
        return compare_counts(systems, **options)
    return compare_published(systems, confidence_level=options["confidence_level"])


def _kind(system: Any) -> str | None:
    if isinstance(system, ClassCounts | Confusion):
        return "counts"
    return "published" if isinstance(system, Mapping) else None


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
    options = Options.checked(
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
    _check_rows(systems)
    scored = [score_counts(systems[name], classes=classes, undefined=undefined, beta=beta) for name in names]
    _check_classes(scored)
    if test == "randomisation":
        raise InputError(
            'test="randomisation" without rows: expected "delta" or "bootstrap", or the predictions of each row'
        )
    notes = _label_notes(names, scored)
    cells = [result.cells for result in scored]
    totals = {None if result.n_rows is None else int(sum(result.counts.actual)) for result in scored}
    n_rows = next(iter(totals)) if len(totals) == 1 else None
    fewest = min((total for total in totals if total is not None), default=None)
    if any(part is None or part.weighted for part in cells):
        notes.append(
            "There are ranks and flips only: intervals and tests need the whole numbers of a confusion matrix, or the "
            "labels of every row, with the weights of the rows where they have any."
        )
        return ranked(names, scored, None, options, paired=None, n_rows=n_rows, notes=notes)
    evidence = unpaired_evidence(
        [Patterns.of_cells(part) for part in cells if part is not None],
        options.rules,
        n_resamples=options.n_resamples,
        rng=options.rng,
        alpha=options.alpha,
        progress=progress,
    )
    rare = [label_text(record.label) for record in scored[0].per_class if 0 < record.actual < 5]
    notes += _row_notes(names, scored, fewest, rare)
    golds = [{str(record.label): record.actual for record in result.per_class if record.actual} for result in scored]
    if any(gold != golds[0] for gold in golds):
        notes.append("The systems have different gold counts: they were not scored on the same rows.")
    notes.append(
        "Only counts are known, not rows: differences are tested as if each system had its own test rows (unpaired), "
        "which is usually too careful where they had the same."
    )
    return ranked(names, scored, evidence, options, paired=False, n_rows=n_rows, notes=notes)


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
    for name in names:
        if set(systems[name]) != set(systems[names[0]]):
            raise InputError(
                f"system {name!r} has the classes {quote_some(systems[name], most=3)} and {names[0]!r} has "
                f"{quote_some(systems[names[0]], most=3)}: expected the same classes for every system"
            )
    options = Options.checked(
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
    return ranked(names, scored, None, options, paired=None, n_rows=None, notes=notes)


def _checked_names(systems: Any) -> list[str]:
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


def _check_rows(systems: Mapping[str, Confusion | ClassCounts]) -> None:
    for name, counts in systems.items():
        tallied = class_counts_of(counts)
        # Rows with several labels may have none of them.
        if tallied.task != "multilabel" and tallied.is_empty:
            raise EmptyError(
                f"system {name!r} has no rows (all its counts are 0): expected at least one counted row of every system"
            )


def _weight_note(patterns: Patterns) -> str:
    assert patterns.weights is not None  # asked only where rows have weights
    whole = patterns.weights.dtype.kind == "i"
    return (
        "Rows carry weights, and each is one draw whatever it weighs: for intervals and tests the "
        f"{counted(patterns.n_rows, 'row is', 'rows are')} worth about {patterns.effective_rows:,.0f} of equal weight."
        + (" Where the weights are counts of equal rows, repeat the rows instead." if whole else "")
    )


def _row_notes(names: Sequence[str], scored: Sequence[ScoreResult], n_rows: int | None, rare: list[str]) -> list[str]:
    notes = []
    first = scored[0]
    if first.counts.n_dropped:
        n = first.counts.n_dropped
        left_out = f"{n:,} rows were" if n != 1 else "1 row was"
        notes.append(f"{left_out} left out: gold or one of the systems lacks a label there.")
    if n_rows is not None:
        notes += coverage_notes(n_rows, first.n_classes, rare, [])
    unused = [
        name
        for name, result in zip(names, scored, strict=True)
        if any(record.actual and not record.predicted for record in result.per_class)
    ]
    if unused:
        who = f"{len(unused):,} systems never predict" if len(unused) > 1 else "1 system never predicts"
        notes.append(
            f"{who} some of the gold classes ({quote_some(unused, most=3)}): the intervals do not know how these would "
            "score in another sample, and cover too rarely."
        )
    return notes


def _label_notes(names: Sequence[str], scored: Sequence[ScoreResult]) -> list[str]:
    notes = []
    for name, result in zip(names, scored, strict=True):
        foreign = [label_text(record.label) for record in result.per_class if record.predicted and not record.actual]
        if foreign:
            notes.append(
                f"System {name} predicts labels that gold never has ({quote_some(foreign, most=3)}): each is a class "
                "with F1 0 in its mean; the class set “gold” leaves them out."
            )
        if result.counts.n_outside:
            n = result.counts.n_outside
            notes.append(f"System {name}: {n:,} {'label lies' if n == 1 else 'labels lie'} outside the listed classes.")
    return notes if len(notes) <= 10 else [*notes[:9], f"… and {len(notes) - 9} more notes of this kind."]
