"""Compare systems under both formulas: two rankings, the pairs that flip, and the significant differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from macrof1.catalogue.reader import find_convention
from macrof1.comparing import significance
from macrof1.comparing.compared import CompareResult, Options, TestName, check_classes, checked_names, checked_options
from macrof1.comparing.ranking import compare_published, ranked
from macrof1.comparing.reliability import count_notes, label_notes, row_notes, run_notes, weight_notes
from macrof1.comparing.unit_comparison import compare_units
from macrof1.convention import UNKNOWN_GOLD, ClassSet, Convention, Empty, Undefined
from macrof1.counting.confusion import Confusion
from macrof1.counting.doubts import checked_differences
from macrof1.counting.units import check_over, count_units, is_over_units
from macrof1.counts import PLAIN, ClassCounts, Making, class_counts_of
from macrof1.entry import GoldRows
from macrof1.errors import EmptyError, InputError
from macrof1.labels import Missing
from macrof1.message import Argument, Message, Note
from macrof1.reading.files import Progress
from macrof1.sampling.intervals import CompareMethod
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.policies import Outside, apply_to_counts, apply_to_patterns
from macrof1.sampling.resampling import Random
from macrof1.scoring.macro import check_excluded, met_convention
from macrof1.scoring.score_result import ScoreResult, score_counts


def compare(
    gold: Any,
    systems: Mapping[str, Any] | None = None,
    *,
    labels: Iterable[object] | None = None,
    sample_weight: Any = None,
    cluster: Any = None,
    missing: Missing = "error",
    normalize: str | Iterable[str] = (),
    extract: bool = False,
    outside: Outside = "wrong",
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    exclude: Iterable[object] = (),
    convention: str | Convention | None = None,
    over: Any = "classes",
    positive: object = None,
    empty: Empty | None = None,
    baseline: str | None = None,
    equivalent: float | None = None,
    confidence_level: float = 0.95,
    method: CompareMethod = "combined",
    test: TestName = "delta",
    n_resamples: int = 1000,
    rng: Random = 0,
    progress: Progress | None = None,
) -> CompareResult:
    """Compare systems on the same rows, or systems known only by their counts or published figures.

    Parameters
    ----------
    gold
        One label per row, or several as sets or an indicator matrix; as in `score`. None, or left out, if the systems
        are given as counts or figures.
    systems
        Maps the name of each system to its predictions for the same rows, in the same order, or to a list of such
        predictions, one per run (seed): scores are then means over runs, and both rows and runs are treated as random.
        Without gold: to its counts (a `Confusion`; `ClassCounts` allow ranks and flips, but no tests), or to the
        published precision and recall of each class, ``{"cat": (0.71, 0.64), …}``.
    sample_weight
        A non-negative number per row. A row is one draw whatever its weight: resamples draw rows together with their
        weights. If weights stand for repeated rows, repeat the rows or pass counts instead.
    cluster
        The cluster (document, user, …) of each row, if rows are not independent. Intervals and tests then treat
        clusters as the sampling units.
    labels, missing, normalize, extract, outside, classes, undefined, beta, exclude, convention, over, positive, empty
        As in `score`. Over other units than classes, these are the sample, and systems are paired by unit.
        ``missing="drop"`` leaves out a row if gold or any system lacks a label, and ``outside="drop"`` if any system
        predicts outside `labels`: all systems keep the same rows.
    baseline
        The name of one system: only its differences from the others are tested.
    equivalent
        The largest difference that makes no difference in practice, such as 0.01: systems shown to differ by less are
        called equivalent.
    confidence_level
        Confidence level of the intervals; a difference is significant if its p-value is at most 1 minus this level.
    method
        How intervals are computed: ``"combined"``, ``"delta"`` or ``"bootstrap"``.
    test
        The test that decides significance: ``"delta"``, ``"bootstrap"`` or ``"randomisation"``. The p-values
        of all three are in ``comparisons``, unless nothing asks for resamples that would take long.
    n_resamples
        Number of bootstrap resamples, and of randomisations.
    rng
        A seed, a NumPy generator, or None for fresh randomness. The same seed gives the same result.
    progress
        Called from time to time with the share of the work that is done, from 0 to 1.

    Notes
    -----
    Each system gets the same scores as from `score`. Resamples draw joint patterns of gold and all predictions, so two
    systems are always compared on the same drawn rows. With one run per system, the comparison is about these
    predictions, not about the training procedures.

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
    normalize = checked_differences(normalize, extract=extract)
    names = checked_names(systems)
    units = next((one.over for one in systems.values() if isinstance(one, ClassCounts)), None) if systems else None
    if is_over_units(over):
        if gold is None or outside != "wrong" or extract:
            other = "systems" if gold is None else "extract" if extract else "outside"
            raise InputError.beside("over", other, expected="labels" if gold is None else "one of them")
        units = "units"
    else:
        check_over(positive=positive)
    options = checked_options(
        names, classes=classes, undefined=undefined, beta=beta, exclude=exclude, convention=convention, empty=empty,
        over=units,
        baseline=baseline, equivalent=equivalent, confidence_level=confidence_level, method=method, test=test,
        n_resamples=n_resamples, rng=rng, progress=progress,
    )  # fmt: skip
    assert systems is not None  # checked with its names
    gold = list(gold) if isinstance(gold, Iterator) else gold
    if is_over_units(over):
        cut: dict[str, Any] = {
            "labels": labels, "positive": positive, "exclude": options.convention.exclude, "normalize": normalize,
            "sample_weight": sample_weight, "missing": missing, "cluster": cluster,
        }  # fmt: skip
        found, groups = significance.expanded_runs(gold, systems)
        counts = {name: count_units(gold, pred, over, **cut) for name, pred in found.items()}
        return compare_units(counts, options.without_excluded(), gold=GoldRows(gold), groups=groups)
    if gold is None:
        given = {"labels": labels, "sample_weight": sample_weight, "cluster": cluster}
        beside = [name for name, value in given.items() if value is not None]
        policies = {"normalize": normalize, "outside": outside}
        return _compare_without_rows(systems, names, options, beside + ["missing"] * (missing != "error"), policies)
    return compare_rows(
        gold, systems, options, normalize=normalize, outside=outside, labels=labels, missing=missing,
        sample_weight=sample_weight, cluster=cluster, digest=GoldRows(gold),
    )  # fmt: skip


def compare_rows(
    gold: Any, systems: Mapping[str, Any], options: Options, *, digest: object, **facts: Any
) -> CompareResult:
    """Compare systems, or their runs, on rows with these facts (`joint_patterns`) and policies."""
    policies = {name: facts.pop(name) for name in ("normalize", "outside") if name in facts}
    found, groups = significance.expanded_runs(gold, systems)
    names, columns = list(systems), list(found)
    patterns, making = apply_to_patterns(joint_patterns(gold, found, **facts), columns, **policies)
    if options.named is not None:
        find_convention(options.named, task=patterns.task)
    alone = [patterns.alone(at) for at in range(len(columns))]
    scored, notes = scored_rows(columns, alone, options, making, digest)
    if len(columns) == len(names):
        evidence = significance.paired_evidence(patterns, options)
    else:
        significance.check_runs(options)
        notes = [*run_notes(groups), *notes]
        evidence = significance.runs_evidence(patterns, options, list(groups.values()))
    results = [[scored[run] for run in runs] for runs in groups.values()]
    return ranked(
        names, results, evidence, options, paired=True, n_rows=patterns.n_rows, n_clusters=patterns.n_clusters,
        notes=notes,
    )  # fmt: skip


def scored_rows(
    names: Sequence[str],
    each: Sequence[Patterns],
    options: Options,
    making: Making = PLAIN,
    gold: object = UNKNOWN_GOLD,
) -> tuple[list[ScoreResult], list[str]]:
    """Score systems, or runs, each on its own patterns; return the results, and what to note about them."""
    check_excluded(options.convention, [label for own in each for label in own.labels])
    rules: dict[str, Any] = {"convention": options.convention, "making": making, "gold": gold}
    scored = [ScoreResult(counts=own.class_counts(), **rules) for own in each]
    check_classes(scored)
    of_rows = [*weight_notes(each[0]), *row_notes(names, scored, each, options)]
    return scored, [*making.notes, *of_rows, *label_notes(names, scored)]


def _compare_without_rows(
    systems: Mapping[str, Any], names: list[str], options: Options, beside: Sequence[str], policies: dict[str, Any]
) -> CompareResult:
    counted = [isinstance(systems[name], ClassCounts | Confusion) for name in names]
    published = [isinstance(systems[name], Mapping) for name in names]
    if not (all(counted) or all(published)):
        kinds = zip(names, counted, published, strict=True)
        odd = next((name for name, *known in kinds if not any(known)), names[-1])
        raise InputError(
            Message(Argument("gold"), f" is not given, and system {odd!r} is of type {type(systems[odd]).__name__}"),
            expected="gold labels and predictions, or counts of every system, or published precision and recall of "
            "every class of every system",
        )
    if beside:
        raise InputError.beside(beside[0], "systems", expected="options for rows beside rows only")
    chosen = policies != {"normalize": (), "outside": "wrong"}
    if all(counted):
        found, making = apply_to_counts(systems, **policies) if chosen else (systems, PLAIN)
        return _compare_counts(found, names, options, making)
    if chosen:
        raise InputError.beside("normalize" if policies["normalize"] else "outside", "systems", expected="predictions")
    for argument in options.changed():
        raise InputError.beside(argument, Message("published figures"), expected="predictions or counts")
    return compare_published(systems, options)


def _compare_counts(
    systems: Mapping[str, Confusion | ClassCounts], names: list[str], options: Options, making: Making
) -> CompareResult:
    """Compare systems known by counts, as if each had its own rows; without whole cells, by ranks and flips only."""
    tallied = {name: class_counts_of(systems[name]) for name in names}
    first = tallied[names[0]].making
    for name, counts in tallied.items():
        # One signature could not name rows that became counts in different ways.
        if making is PLAIN and counts.making.facts != first.facts:
            ways = f"({counts.making.text}; {first.text})"
            raise InputError(f"{name!r} was not counted as {names[0]!r} was {ways}", expected="counts made in one way")
    if any(counts.over is not None for counts in tallied.values()):
        return compare_units(tallied, options, making.notes)
    for name, counts in tallied.items():
        # A multilabel row may have no label at all.
        if counts.task != "multilabel" and counts.is_empty:
            problem = f"system {name!r} has no rows (all its counts are 0)"
            raise EmptyError(problem, argument="systems", expected="at least one counted row of every system")
    check_excluded(options.convention, [label for counts in tallied.values() for label in counts.labels])
    scored = []
    for name, counts in tallied.items():
        met = met_convention(options.convention, counts.labels)
        scored.append(replace(score_counts(systems[name], convention=met), making=making))
    check_classes(scored)
    if options.test == "randomisation":
        raise InputError(
            Message(Argument("test", options.test), " without rows"),
            expected='"delta" or "bootstrap", or the predictions of each row',
        )
    totals = {None if result.n_rows is None else int(sum(result.counts.actual)) for result in scored}
    n_rows = next(iter(totals)) if len(totals) == 1 else None
    results, notes = [[result] for result in scored], [*making.notes, *label_notes(names, scored)]
    cells = [result.cells for result in scored]
    if any(part is None or part.real for part in cells):
        only = (
            "There are ranks and flips only: intervals and tests need the whole numbers of a confusion matrix, or the "
            "labels of every row, with the weights of the rows where they have any."
        )
        notes.append(Note(only, code="no_tests"))
        return ranked(names, results, None, options, paired=None, n_rows=n_rows, notes=notes)
    patterns = [Patterns.of_cells(part) for part in cells if part is not None]
    evidence = significance.unpaired_evidence(patterns, options)
    notes += [*row_notes(names, scored, patterns, options), *count_notes(scored)]
    return ranked(names, results, evidence, options, paired=False, n_rows=n_rows, notes=notes)
