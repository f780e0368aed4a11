"""Turn the scores of several systems into two rankings: ranks, flips, Kendall's tau, and pairs that cannot flip.

Systems known by what was published of them are ranked here too, which needs Python alone.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from macrof1.bounding.closed_forms import harmonic_mean, highest_f1_of_averages, lowest_averaged_f1_below
from macrof1.comparing import compared as records
from macrof1.comparing.compared import CompareResult, Difference, Options, PublishedScore
from macrof1.convention import FORMULAS, Convention, Formula, Signature, class_text
from macrof1.counts import Making
from macrof1.errors import InputError, quote_some
from macrof1.message import Note
from macrof1.sampling.student import quantile, two_sided_p
from macrof1.scoring.macro import check_excluded
from macrof1.scoring.score_result import ScoreResult

if TYPE_CHECKING:
    from macrof1.comparing.significance import Evidence

# Smaller differences between scores are rounding errors, not data.
_DECIMALS = 12
# With more classes, what is possible for their number is hardly narrower than what is possible for any.
_MANY = 1000


def settled(values: Sequence[float]) -> list[float]:
    """Round away floating-point noise, so that equal scores compare as equal."""
    return [round(float(value), _DECIMALS) for value in values]


def ranks(values: Sequence[float]) -> list[int]:
    """Rank scores, the best first; ties share the better rank."""
    worse = [-score for score in settled(values)]
    best_first = sorted(worse)
    return [bisect_left(best_first, score) + 1 for score in worse]


def order(first: float, second: float) -> int:
    """Return 1 if the first of two settled scores is better, -1 if it is worse, 0 for a tie."""
    return (first > second) - (first < second)


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's tau-b between two rankings: 1 if they agree, -1 if one is the reverse of the other.

    (concordant - discordant) / sqrt(pairs not tied in the first · pairs not tied in the second); None if all systems
    are tied under one of them (Kendall 1945, "The treatment of ties in ranking problems", Biometrika 33).
    """
    a, b = ([order(*pair) for pair in combinations(settled(values), 2)] for values in (first, second))
    untied = (len(a) - a.count(0)) * (len(b) - b.count(0))
    return sum(one * other for one, other in zip(a, b, strict=True)) / math.sqrt(untied) if untied else None


def cannot_flip(
    averaged_f1: Sequence[float], f1_of_averages: Sequence[float], n_classes: Sequence[int]
) -> list[list[bool]]:
    """Return whether the order of each pair provably stays: the least of one system exceeds the most of the other."""
    margin = 10.0**-_DECIMALS
    # A limit that holds for any number is less than 1/n away, and takes no loop over classes or units.
    known = [n if n <= _MANY else None for n in n_classes]
    scores = list(zip(averaged_f1, f1_of_averages, known, strict=True))
    least = [(averaged, lowest_averaged_f1_below(of_averages, n)) for averaged, of_averages, n in scores]
    most = [(highest_f1_of_averages(averaged, n) + margin, of_averages + margin) for averaged, of_averages, n in scores]
    ahead = [[any(low > high for low, high in zip(own, other, strict=True)) for other in most] for own in least]
    return [[ahead[a][b] or ahead[b][a] for b in range(len(scores))] for a in range(len(scores))]


def ranked(
    names: list[str],
    results: Sequence[Sequence[ScoreResult | PublishedScore]],
    evidence: Evidence | None,
    options: Options,
    *,
    paired: bool | None,
    n_rows: int | None,
    notes: list[str],
    n_clusters: int | None = None,
) -> CompareResult:
    """Rank systems under both formulas, by the means over the runs of each; with flips and significant differences."""

    def means(of: str) -> list[float]:
        return [sum(getattr(run, of) for run in runs) / len(runs) for runs in results]

    values, gaps = {formula: means(formula) for formula in FORMULAS}, means("gap")
    n_classes = [max(run.n_classes for run in runs) for runs in results]
    rank = {formula: ranks(values[formula]) for formula in FORMULAS}
    best_first = sorted(range(len(names)), key=lambda place: [rank[formula][place] for formula in FORMULAS])
    systems = []
    for place in best_first:
        own: dict[str, Any] = {"name": names[place], "gap": gaps[place], "n_classes": n_classes[place]}
        for f in FORMULAS:
            ends = None if evidence is None else evidence.intervals[f][place]
            own |= {f: values[f][place], f"rank_{f}": rank[f][place], f"{f}_interval": ends}
        if evidence is not None and evidence.runs is not None:
            own["runs"] = {f: evidence.runs[f][place] for f in FORMULAS}
        line = _signatures(results[place : place + 1], n_clusters, FORMULAS[:1])["averaged_f1"]
        systems.append(records.SystemScore(signature=line, **own))
    couples = options.couples(names, best_first)
    differences = [_differences(couples, values[formula], evidence, formula, options) for formula in FORMULAS]
    averaged, of_averages = (settled(values[formula]) for formula in FORMULAS)
    kept = cannot_flip(values["averaged_f1"], values["f1_of_averages"], n_classes)
    # The proof applies to the scores of one confusion matrix, not to means over runs.
    provable = options.convention.beta == 1 and (evidence is None or evidence.runs is None)
    chances, differing = (None, None) if evidence is None else (evidence.flip_probability, evidence.n_differing)
    comparisons = [
        records.SystemPair(
            a=names[a],
            b=names[b],
            averaged_f1=by_averaged,
            f1_of_averages=by_averages,
            flip=order(averaged[a], averaged[b]) * order(of_averages[a], of_averages[b]) < 0,
            flip_probability=None if chances is None else float(chances[a, b]),
            cannot_flip=provable and kept[a][b],
            n_differing=None if differing is None else int(differing[a, b]),
            doubts=() if evidence is None else evidence.doubts_about(a, b),
        )
        for (a, b), by_averaged, by_averages in zip(couples, *differences, strict=True)
    ]
    flips = []
    for pair in comparisons:
        if not pair.flip:
            continue
        each: dict[str, Difference] = {f: getattr(pair, f) for f in FORMULAS}
        leads: dict[str, Any] = {f"{f}_lead": abs(found.difference) for f, found in each.items()}
        prefers: dict[str, Any] = {f"{f}_prefers": pair.a if d.difference > 0 else pair.b for f, d in each.items()}
        both = None if evidence is None else all(found.significant for found in each.values())
        flips.append(records.Flip(**prefers, **leads, probability=pair.flip_probability, significant=both))
    if evidence is not None:
        from macrof1.comparing.reliability import doubt_notes, identical_notes, reach_notes

        notes = [
            *notes,
            *identical_notes(comparisons),
            *doubt_notes(comparisons, options.test, paired=bool(paired)),
            *reach_notes(comparisons, options, evidence.smallest_check),
        ]
    resampled = evidence is not None and evidence.flip_probability is not None
    return CompareResult(
        systems=tuple(systems),
        comparisons=tuple(comparisons),
        flips=tuple(sorted(flips, key=lambda flip: -flip.size)),
        kendall_tau=kendall_tau(values["averaged_f1"], values["f1_of_averages"]),
        paired=paired,
        test=None if evidence is None else options.test,
        confidence_level=options.confidence_level,
        n_resamples=options.n_resamples if resampled else None,
        n_rows=n_rows,
        n_clusters=n_clusters,
        baseline=options.baseline,
        equivalent=options.equivalent,
        signatures=_signatures(results, n_clusters),
        notes=tuple(notes),
    )


def _signatures(
    results: Sequence[Sequence[ScoreResult | PublishedScore]], n_clusters: int | None, of: Sequence[Formula] = FORMULAS
) -> dict[Formula, str]:
    """Return the signature of one result, with the clusters and the runs (``5``, or ``3,5`` if they differ)."""
    first, n_runs = results[0][0], sorted(set(map(len, results)))
    if not isinstance(first, ScoreResult):
        listed, labels = Convention(classes="listed"), first.labels
        line = Signature(convention=listed, n_classes=len(labels), class_set=class_text(labels))
        return {f: str(replace(line, convention=replace(listed, formula=f))) for f in of}
    facts = [] if n_clusters is None else [("clusters", str(n_clusters))]
    facts += [] if n_runs == [1] else [("runs", ",".join(map(str, n_runs)))]
    told = replace(first, making=first.making + Making(facts=tuple(facts)))
    return {formula: told.signature(formula) for formula in of}


def _differences(
    couples: list[tuple[int, int]],
    values: list[float],
    evidence: Evidence | None,
    formula: Formula,
    options: Options,
) -> list[Difference]:
    apart = [values[a] - values[b] for a, b in couples]
    if evidence is None:
        return [Difference(difference=d, standard_error=None, p={}, p_holm={}, significant=None) for d in apart]
    from macrof1.sampling.planning import detectable_difference  # loads NumPy, as tests do

    plain = {test: [float(found[formula][a, b]) for a, b in couples] for test, found in evidence.p.items()}
    corrected = {test: holm(p) for test, p in plain.items()}
    hopeless = {test for test in plain if options.too_few_resamples(test, len(couples))}
    errors = [float(evidence.pair_errors[formula][couple]) for couple in couples]
    dfs = [float(evidence.pair_df[formula][couple]) for couple in couples]
    p_differ, p_alike = [], []
    for position, couple in enumerate(couples):
        doubts = evidence.doubts_about(*couple)
        # Randomisation tests whether predictions are exchangeable, which may be false although the scores are equal,
        # so the Wald test has to agree. If the normal approximation is in doubt, a test without it has to agree.
        agree: set[records.TestName] = {options.test, "delta"} if options.test == "randomisation" else {options.test}
        checked = [1.0 if evidence.checks is None else float(evidence.checks[formula][couple])] if doubts else []
        p_differ.append(max([*checked, *(plain[test][position] for test in agree)]))
        # Two one-sided tests that the difference is at least the margin, either way (Schuirmann 1987, "A comparison of
        # the two one-sided tests procedure and the power approach for assessing the equivalence of average
        # bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15): the larger p-value.
        inside = 0.0 if options.equivalent is None else options.equivalent - abs(apart[position])
        error, df = errors[position], dfs[position]
        testable = inside > 0 and all(isinstance(doubt, records.FewDiffering) for doubt in doubts)
        p_alike.append((two_sided_p(inside / error, df) / 2 if error else 0.0) if testable else 1.0)
    decides, alike = holm(p_differ), holm(p_alike)
    found = []
    for position, (difference, error, df) in enumerate(zip(apart, errors, dfs, strict=True)):
        significant = decides[position] <= options.alpha
        verdict: records.Verdict = "undecided"
        if alike[position] <= options.alpha:
            verdict = "equivalent"
        elif significant:
            verdict = "better" if difference > 0 else "worse"
        reach = quantile(options.confidence_level, df) * error
        found.append(
            Difference(
                difference=difference,
                standard_error=error,
                p={test: p[position] for test, p in plain.items()},
                p_holm={test: None if test in hopeless else p[position] for test, p in corrected.items()},
                significant=significant,
                p_decides=None if options.test in hopeless else decides[position],
                detectable=detectable_difference(error, options.confidence_level, df=df),
                df=df if math.isfinite(df) else None,
                interval=(max(-1.0, difference - reach), min(1.0, difference + reach)),
                verdict=verdict,
            )
        )
    return found


def holm(p: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple tests by Holm's step-down method.

    The k-th smallest of m is multiplied by m - k + 1; adjusted values are made non-decreasing (Holm 1979, "A simple
    sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6).
    """
    adjusted, highest = [0.0] * len(p), 0.0
    for rank, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        highest = max(highest, p[place] * (len(p) - rank))
        adjusted[place] = min(1.0, highest)
    return adjusted


def compare_published(
    systems: Mapping[str, Mapping[str, tuple[float, float]]], options: Options | None = None
) -> CompareResult:
    """Compare systems by the published precision and recall of each class: ranks and flips, no tests."""
    names = records.checked_names(systems)
    if options is not None and options.convention.exclude:
        left = set(options.convention.exclude)
        check_excluded(options.convention, [label for classes in systems.values() for label in classes])
        systems = {name: {k: v for k, v in systems[name].items() if k not in left} for name in names}
    scored = [published_score(name, systems[name]) for name in names]
    records.check_classes(scored)
    for name in names:
        if set(systems[name]) != set(systems[names[0]]):
            raise InputError(
                f"system {name!r} has the classes {quote_some(systems[name], most=3)} and {names[0]!r} has "
                f"{quote_some(systems[names[0]], most=3)}",
                argument="systems",
                expected="the same classes for every system",
            )
    only = (
        "Scores are computed from published precision and recall of each class: there are ranks and flips, but no "
        "intervals and no tests. Rounded figures can change the order of systems that are close."
    )
    notes: list[str] = [Note(only, code="no_tests")]
    each = [[one] for one in scored]
    return ranked(names, each, None, options or Options(), paired=None, n_rows=None, notes=notes)


def published_score(name: str, classes: Mapping[str, tuple[float, float]]) -> PublishedScore:
    """Compute both macro F1s; the gap is 2 (P̄ + R̄) times the variance of P / (P + R), weighted by P + R."""
    if not classes:
        raise InputError(f"system {name!r} has no classes", expected="precision and recall of each class")
    for label, pair in classes.items():
        if len(pair) != 2 or not all(isinstance(value, (int, float)) and 0 <= value <= 1 for value in pair):
            raise InputError(
                f"system {name!r}, class {label!r}: found {pair!r}",
                given=pair,
                expected="precision and recall between 0 and 1",
            )
    n = len(classes)
    mean_p = math.fsum(p for p, _ in classes.values()) / n
    mean_r = math.fsum(r for _, r in classes.values()) / n
    weights = [(p + r, p / (p + r)) for p, r in classes.values() if p + r]
    total = math.fsum(weight for weight, _ in weights)
    centre = math.fsum(weight * lean for weight, lean in weights) / total if total else 0.0
    return PublishedScore(
        averaged_f1=math.fsum(harmonic_mean(float(p), float(r)) for p, r in classes.values()) / n,
        f1_of_averages=harmonic_mean(mean_p, mean_r),
        gap=2 / n * math.fsum(weight * (lean - centre) ** 2 for weight, lean in weights),
        labels=tuple(classes),
    )
