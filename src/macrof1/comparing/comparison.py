"""Several systems under both formulas: two rankings, the pairs that flip, and which differences are real."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from macrof1.comparing.notes import count_notes, label_notes, row_notes, run_notes, weight_notes
from macrof1.comparing.options import Options, TestName
from macrof1.comparing.published import PublishedScore, published_score
from macrof1.comparing.ranking import Scored, ranked
from macrof1.comparing.result import CompareResult
from macrof1.comparing.runs import expanded_runs
from macrof1.comparing.significance import paired_evidence, runs_evidence, unpaired_evidence
from macrof1.convention import ClassSet, Convention, Undefined
from macrof1.counting.confusion import ClassCounts, Confusion
from macrof1.counting.labels import Missing
from macrof1.errors import EmptyError, InputError, quote_some
from macrof1.message import Argument, Message, Note
from macrof1.sampling.intervals import CompareMethod
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import Progress, Random
from macrof1.scoring.macro import score_counts
from macrof1.scoring.result import ScoreResult


def compare(
    gold: Any,
    systems: Mapping[str, Any],
    *,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
    cluster: Any = None,
    missing: Missing = "error",
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    baseline: str | None = None,
    confidence_level: float = 0.95,
    method: CompareMethod = "logit",
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
        The name of each system with its predictions for the same rows, in the same order; or with a list of such
        predictions, one per run (seed): then scores are means over runs, and rows and runs are both taken as samples.
    sample_weight
        A non-negative number per row. A row stays one draw whatever it weighs: resamples draw rows and take their
        weights along. For counts of equal rows, repeat the rows, or use `compare_counts`.
    cluster
        The cluster (document, user, …) that each row belongs to, where rows are not independent. Intervals and tests
        then take clusters as the sample.
    labels, missing, classes, undefined, beta
        As in `score`. With ``missing="drop"`` a row is left out where gold or any system lacks a label.
    baseline
        The name of one system: only its differences to the others are tested.
    confidence_level
        Of the intervals; differences are significant where p is at most 1 minus this.
    method
        How intervals are computed: ``"logit"``, ``"delta"`` or ``"bootstrap"``.
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
    so that two systems are always compared on the same drawn rows. Without several runs, the comparison is about these
    predictions, not about how the systems were trained.

    Examples
    --------
    >>> gold = ["a", "a", "a", "b", "b", "c"]
    >>> result = compare(gold, {"x": ["a", "a", "b", "b", "b", "c"], "y": ["a", "c", "b", "a", "b", "c"]})
    >>> [(system.name, system.rank_averaged_f1, round(system.averaged_f1, 4)) for system in result.systems]
    [('x', 1, 0.8667), ('y', 2, 0.5222)]
    >>> result.pairs, result.discordant_pairs
    (1, 0)
    """
    options = Options.checked(
        confidence_level=confidence_level,
        method=method,
        test=test,
        n_resamples=n_resamples,
        rng=rng,
        convention=Convention(formula="averaged_f1", classes=classes, undefined=undefined, beta=beta),
        baseline=baseline,
        progress=progress,
    )
    names = checked_names(systems)
    options.check_baseline(names)
    columns, groups = expanded_runs(gold, systems)
    patterns = joint_patterns(
        gold, columns, labels=labels, missing=missing, sample_weight=sample_weight, cluster=cluster
    )
    return _compare_patterns(patterns, list(columns), names, groups, options)


def _compare_patterns(
    patterns: Patterns, columns: list[str], names: list[str], groups: list[list[int]], options: Options
) -> CompareResult:
    """Compare systems, or their runs, on joint patterns; `groups` are the places of each system's runs."""
    convention = options.convention
    scored = [
        ScoreResult(
            counts=patterns.class_counts(place),
            classes=convention.classes,
            undefined=convention.undefined,
            beta=convention.beta,
        )
        for place in range(len(columns))
    ]
    check_classes(scored)
    notes = [
        *weight_notes(patterns),
        *row_notes(columns, scored, [patterns], options),
        *label_notes(columns, scored),
    ]
    if len(columns) == len(names):
        evidence, ranking = paired_evidence(patterns, options), Scored.of(names, scored)
    else:
        if options.test != "delta":
            raise InputError(
                Message(Argument("test", options.test), " with several runs"),
                argument="test",
                given=options.test,
                expected=Message(Argument("test", "delta"), ", which takes rows and runs as samples"),
            )
        notes = [*run_notes(names, [len(runs) for runs in groups]), *notes]
        evidence = runs_evidence(patterns, options, groups)
        ranking = Scored.of_runs(names, [[scored[run] for run in runs] for runs in groups])
    return ranked(
        ranking,
        evidence,
        options,
        paired=True,
        n_rows=patterns.n_rows,
        n_clusters=patterns.n_clusters,
        notes=notes,
    )


def compare_counts(
    systems: Mapping[str, Confusion | ClassCounts],
    *,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    baseline: str | None = None,
    confidence_level: float = 0.95,
    method: CompareMethod = "logit",
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
    classes, undefined, beta, baseline, confidence_level, method, test, n_resamples, rng, progress
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
        convention=Convention(formula="averaged_f1", classes=classes, undefined=undefined, beta=beta),
        baseline=baseline,
        progress=progress,
    )
    names = checked_names(systems)
    options.check_baseline(names)
    _check_rows(systems)
    scored = [score_counts(systems[name], classes=classes, undefined=undefined, beta=beta) for name in names]
    check_classes(scored)
    options.check_rows("randomisation", "without rows")
    totals = {None if result.n_rows is None else int(sum(result.counts.actual)) for result in scored}
    n_rows = next(iter(totals)) if len(totals) == 1 else None
    ranking, notes = Scored.of(names, scored), label_notes(names, scored)
    cells = [result.cells for result in scored]
    if any(part is None or part.weighted for part in cells):
        only = (
            "There are ranks and flips only: intervals and tests need the whole numbers of a confusion matrix, or the "
            "labels of every row, with the weights of the rows where they have any."
        )
        notes.append(Note(only, code="no_tests"))
        return ranked(ranking, None, options, paired=None, n_rows=n_rows, notes=notes)
    patterns = [Patterns.of_cells(part) for part in cells if part is not None]
    evidence = unpaired_evidence(patterns, options)
    notes += [*row_notes(names, scored, patterns, options), *count_notes(scored)]
    return ranked(ranking, evidence, options, paired=False, n_rows=n_rows, notes=notes)


def compare_published(
    systems: Mapping[str, Mapping[str, tuple[float, float]]],
    *,
    baseline: str | None = None,
    confidence_level: float = 0.95,
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
    names = checked_names(systems)
    scored = [published_score(name, systems[name]) for name in names]
    check_classes(scored)
    for name in names:
        if set(systems[name]) != set(systems[names[0]]):
            raise InputError(
                f"system {name!r} has the classes {quote_some(systems[name], most=3)} and {names[0]!r} has "
                f"{quote_some(systems[names[0]], most=3)}",
                argument="systems",
                expected="the same classes for every system",
            )
    options = Options.checked(
        confidence_level=confidence_level,
        method="logit",
        test="delta",
        n_resamples=1000,
        rng=0,
        convention=Convention(formula="averaged_f1"),
        baseline=baseline,
    )
    options.check_baseline(names)
    only = (
        "Scores are computed from published precision and recall of each class: there are ranks and flips, but no "
        "intervals and no tests. Rounded figures can change the order of systems that are close."
    )
    notes: list[str] = [Note(only, code="no_tests")]
    return ranked(Scored.of(names, scored), None, options, paired=None, n_rows=None, notes=notes)


def checked_names(systems: Mapping[str, Any]) -> list[str]:
    """Return the names of the systems, or refuse what cannot be compared."""
    if not isinstance(systems, Mapping):
        raise InputError(
            f"systems is a {type(systems).__name__}",
            argument="systems",
            expected='a dictionary of names and predictions, such as {"a": …}',
        )
    names = list(systems)
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"{name!r} is not a valid name of a system", argument="systems", expected="text")
    if len(names) < 2:
        given = f"only one system, {names[0]!r}" if names else "no system"
        raise InputError(given, argument="systems", expected="at least two to compare", hint="score takes one")
    return names


def check_classes(scored: Sequence[ScoreResult | PublishedScore]) -> None:
    """Refuse a single class."""
    if max(result.n_classes for result in scored) < 2:
        raise InputError(
            "there is only one class",
            expected="at least two",
            hint="with one, both macro F1s are its F1, and nothing flips",
        )


def _check_rows(systems: Mapping[str, Confusion | ClassCounts]) -> None:
    for name, counts in systems.items():
        amounts = (counts.actual, counts.predicted) if isinstance(counts, ClassCounts) else (counts.amounts,)
        # Rows with several labels may have none of them.
        several = isinstance(counts, ClassCounts) and counts.task == "multilabel"
        if not several and not any(any(part) for part in amounts):
            raise EmptyError(
                f"system {name!r} has no rows (all its counts are 0)",
                argument="systems",
                expected="at least one counted row of every system",
            )
