"""Turn the scores of several systems into two rankings: ranks, flips, Kendall's tau, and pairs that cannot flip."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from macrof1.bounding.closed_forms import highest_f1_of_averages, lowest_averaged_f1_below
from macrof1.comparing.result import (
    CompareResult,
    Difference,
    FewDiffering,
    Flip,
    PublishedScore,
    SystemPair,
    SystemScore,
    Verdict,
)
from macrof1.convention import FORMULAS, Convention, Formula, Signature, class_text
from macrof1.counts import Making
from macrof1.sampling.student import quantile, two_sided_p
from macrof1.scoring.score_result import ScoreResult

if TYPE_CHECKING:
    from macrof1.comparing.options import Options, TestName
    from macrof1.comparing.significance import Evidence

# Smaller differences between scores are rounding errors, not data.
_DECIMALS = 12


def settled(values: Sequence[float]) -> list[float]:
    """Round away floating-point noise, so that equal scores compare as equal."""
    return [round(float(value), _DECIMALS) for value in values]


def ranks(values: Sequence[float]) -> list[int]:
    """Rank scores, the best first; ties share the better rank.

    Examples
    --------
    >>> ranks([0.7, 0.9, 0.7, 0.1])
    [2, 1, 2, 4]
    """
    worse = [-score for score in settled(values)]
    best_first = sorted(worse)
    return [bisect_left(best_first, score) + 1 for score in worse]


def order(first: float, second: float) -> int:
    """Return 1 if the first of two settled scores is better, -1 if it is worse, 0 for a tie."""
    return (first > second) - (first < second)


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's tau-b between two rankings: 1 if they agree, -1 if one is the reverse of the other.

    (concordant - discordant) / sqrt(pairs not tied in the first · pairs not tied in the second). None if all
    systems are tied under one of them.

    References
    ----------
    Kendall 1945, "The treatment of ties in ranking problems", Biometrika 33.

    Examples
    --------
    >>> kendall_tau([1.0, 2.0, 3.0], [1.0, 3.0, 2.0])
    0.3333333333333333
    """
    a, b = ([order(*pair) for pair in combinations(settled(values), 2)] for values in (first, second))
    untied = (len(a) - a.count(0)) * (len(b) - b.count(0))
    return sum(one * other for one, other in zip(a, b, strict=True)) / math.sqrt(untied) if untied else None


def cannot_flip(
    averaged_f1: Sequence[float], f1_of_averages: Sequence[float], n_classes: Sequence[int]
) -> list[list[bool]]:
    """Return for every pair of systems whether their order provably stays the same, from one formula's scores alone.

    If one system's smallest possible averaged F1 is above the other's F1 of averages, no other distribution of the
    errors could change their order; the same holds if its averaged F1 is above the other's largest possible F1 of
    averages.
    """
    margin = 10.0**-_DECIMALS
    systems = [
        (averaged, lowest_averaged_f1_below(of_averages, n), of_averages + margin, highest + margin)
        for averaged, of_averages, n in zip(averaged_f1, f1_of_averages, n_classes, strict=True)
        for highest in (highest_f1_of_averages(averaged, n),)
    ]
    ahead = [
        [least > of_averages or averaged > most for _, _, of_averages, most in systems]
        for averaged, least, _, _ in systems
    ]
    return [[ahead[a][b] or ahead[b][a] for b in range(len(systems))] for a in range(len(systems))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """The scores of every system, and one result for the signature."""

    names: list[str]
    values: dict[Formula, list[float]]
    gaps: list[float]
    n_classes: list[int]
    first: ScoreResult | PublishedScore
    n_runs: tuple[int, ...] = ()
    """The number of runs per system, if any has several."""

    @classmethod
    def of(cls, names: list[str], results: Sequence[ScoreResult | PublishedScore]) -> Scored:
        """Take one result per system."""
        return cls.of_runs(names, [[result] for result in results])

    @classmethod
    def of_runs(cls, names: list[str], results: Sequence[Sequence[ScoreResult | PublishedScore]]) -> Scored:
        """Take the results of every system's runs: scores are means over them."""

        def means(of: str) -> list[float]:
            return [sum(getattr(run, of) for run in runs) / len(runs) for runs in results]

        return cls(
            names=names,
            values={formula: means(formula) for formula in FORMULAS},
            gaps=means("gap"),
            n_classes=[max(run.n_classes for run in runs) for runs in results],
            first=results[0][0],
            n_runs=tuple(map(len, results)) if any(len(runs) > 1 for runs in results) else (),
        )

    def signature(self, formula: Formula, n_clusters: int | None) -> str:
        """Return the signature of one result, with the clusters and the runs (``5``, or ``3,5`` if they differ)."""
        if not isinstance(self.first, ScoreResult):
            listed, labels = Convention(formula=formula, classes="listed"), self.first.labels
            return str(Signature(convention=listed, n_classes=len(labels), class_set=class_text(labels)))
        facts = [] if n_clusters is None else [("clusters", str(n_clusters))]
        facts += [("runs", ",".join(map(str, sorted(set(self.n_runs)))))] if self.n_runs else []
        return replace(self.first, making=self.first.making + Making(facts=tuple(facts))).signature(formula)


def ranked(
    scored: Scored,
    evidence: Evidence | None,
    options: Options,
    *,
    paired: bool | None,
    n_rows: int | None,
    notes: list[str],
    n_clusters: int | None = None,
) -> CompareResult:
    """Rank scored systems under both formulas, with flips and significant differences."""
    names, values = scored.names, scored.values
    rank = {formula: ranks(values[formula]) for formula in FORMULAS}
    best_first = sorted(
        range(len(names)), key=lambda place: (rank["averaged_f1"][place], rank["f1_of_averages"][place])
    )
    systems = [_system(scored, place, rank, evidence) for place in best_first]
    couples = options.couples(names, best_first)
    comparisons = _pairs(scored, couples, evidence, options)
    flips = [_flip(scored, *couple, pair) for couple, pair in zip(couples, comparisons, strict=True) if pair.flip]
    if evidence is not None:
        from macrof1.comparing.notes import doubt_notes, reach_notes

        notes = [
            *notes,
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
        signatures={formula: scored.signature(formula, n_clusters) for formula in FORMULAS},
        notes=tuple(notes),
    )


def _system(scored: Scored, place: int, rank: dict[Formula, list[int]], evidence: Evidence | None) -> SystemScore:
    ends = None if evidence is None else [evidence.intervals[formula][place] for formula in FORMULAS]
    runs = None if evidence is None or evidence.runs is None else {f: evidence.runs[f][place] for f in FORMULAS}
    return SystemScore(
        name=scored.names[place],
        averaged_f1=scored.values["averaged_f1"][place],
        f1_of_averages=scored.values["f1_of_averages"][place],
        gap=scored.gaps[place],
        rank_averaged_f1=rank["averaged_f1"][place],
        rank_f1_of_averages=rank["f1_of_averages"][place],
        n_classes=scored.n_classes[place],
        averaged_f1_interval=None if ends is None else ends[0],
        f1_of_averages_interval=None if ends is None else ends[1],
        runs=runs,
    )


def _pairs(
    scored: Scored, couples: list[tuple[int, int]], evidence: Evidence | None, options: Options
) -> list[SystemPair]:
    values = scored.values
    differences = {formula: _differences(couples, values[formula], evidence, formula, options) for formula in FORMULAS}
    averaged, of_averages = (settled(values[formula]) for formula in FORMULAS)
    kept = cannot_flip(values["averaged_f1"], values["f1_of_averages"], scored.n_classes)
    flips = None if evidence is None else evidence.flip_probability
    differing = None if evidence is None else evidence.n_differing
    # The proof applies to the scores of one confusion matrix, not to means over runs.
    provable = options.convention.beta == 1 and (evidence is None or evidence.runs is None)
    return [
        SystemPair(
            a=scored.names[a],
            b=scored.names[b],
            averaged_f1=differences["averaged_f1"][position],
            f1_of_averages=differences["f1_of_averages"][position],
            flip=order(averaged[a], averaged[b]) * order(of_averages[a], of_averages[b]) < 0,
            flip_probability=None if flips is None else float(flips[a, b]),
            cannot_flip=provable and kept[a][b],
            n_differing=None if differing is None else int(differing[a, b]),
            doubts=() if evidence is None else evidence.doubts_about(a, b),
        )
        for position, (a, b) in enumerate(couples)
    ]


def _flip(scored: Scored, a: int, b: int, pair: SystemPair) -> Flip:
    first, second = (a, b) if pair.averaged_f1.difference > 0 else (b, a)
    averaged, of_averages = (scored.values[formula] for formula in FORMULAS)
    return Flip(
        averaged_f1_prefers=scored.names[first],
        f1_of_averages_prefers=scored.names[second],
        averaged_f1_lead=averaged[first] - averaged[second],
        f1_of_averages_lead=of_averages[second] - of_averages[first],
        probability=pair.flip_probability,
        significant=(
            None
            if pair.averaged_f1.significant is None
            else bool(pair.averaged_f1.significant and pair.f1_of_averages.significant)
        ),
    )


def _differences(
    couples: list[tuple[int, int]],
    values: list[float],
    evidence: Evidence | None,
    formula: Formula,
    options: Options,
) -> list[Difference]:
    """Return the difference of every pair under one formula, with its tests corrected for all pairs."""
    apart = [values[a] - values[b] for a, b in couples]
    if evidence is None:
        return [
            Difference(difference=difference, standard_error=None, p={}, p_holm={}, significant=None)
            for difference in apart
        ]
    from macrof1.sampling.planning import detectable_difference  # loads NumPy, as tests do

    plain = {test: [float(found[formula][a, b]) for a, b in couples] for test, found in evidence.p.items()}
    corrected = {test: holm(p) for test, p in plain.items()}
    decides = holm(_deciding_p(couples, plain, evidence, formula, options))
    hopeless = {test for test in plain if options.too_few_resamples(test, len(couples))}
    errors = [float(evidence.pair_errors[formula][couple]) for couple in couples]
    dfs = [math.inf if evidence.pair_df is None else float(evidence.pair_df[formula][couple]) for couple in couples]
    p_alike = [1.0] * len(couples)
    for position, couple in enumerate(couples):
        if all(isinstance(doubt, FewDiffering) for doubt in evidence.doubts_about(*couple)):
            p_alike[position] = _equivalence_p(apart[position], errors[position], dfs[position], options.equivalent)
    alike = holm(p_alike)
    found = []
    for position, (difference, error, df) in enumerate(zip(apart, errors, dfs, strict=True)):
        significant = decides[position] <= options.alpha
        verdict: Verdict = "undecided"
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


def _equivalence_p(difference: float, error: float, df: float, margin: float | None) -> float:
    """Return the larger p-value of two one-sided tests that a difference is at least the margin, either way.

    References
    ----------
    Schuirmann 1987, "A comparison of the two one-sided tests procedure and the power approach for assessing the
    equivalence of average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15.
    """
    if margin is None or abs(difference) >= margin:
        return 1.0
    return two_sided_p((margin - abs(difference)) / error, df) / 2 if error else 0.0


def _deciding_p(
    couples: list[tuple[int, int]],
    plain: dict[TestName, list[float]],
    evidence: Evidence,
    formula: Formula,
    options: Options,
) -> list[float]:
    """Return the p-value that decides each pair, before correction: the largest of those that have to agree.

    Randomisation tests whether predictions are exchangeable, which may be false although the scores are equal, so the
    Wald test has to agree. If the normal approximation is in doubt, a test without it has to agree.
    """
    found = []
    for position, couple in enumerate(couples):
        agree = [plain[options.test][position]]
        if options.test == "randomisation":
            agree.append(plain["delta"][position])
        if evidence.doubts_about(*couple):
            agree.append(float(evidence.checks[formula][couple]))
        found.append(max(agree))
    return found


def holm(p: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple tests by Holm's step-down method.

    The k-th smallest of m is multiplied by m - k + 1; adjusted values are made non-decreasing.

    References
    ----------
    Holm 1979, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> [round(value, 3) for value in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    adjusted, highest = [0.0] * len(p), 0.0
    for rank, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        highest = max(highest, p[place] * (len(p) - rank))
        adjusted[place] = min(1.0, highest)
    return adjusted
