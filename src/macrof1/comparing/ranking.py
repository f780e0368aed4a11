"""Scores of several systems become two rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from macrof1.comparing.published import PublishedScore
from macrof1.comparing.randomisation import Rules
from macrof1.comparing.ranks import cannot_flip, kendall_tau, orders, ranks
from macrof1.comparing.result import CompareResult, Difference, Flip, SystemPair, SystemScore
from macrof1.comparing.significance import TESTS, Evidence, TestName, holm
from macrof1.convention import FORMULAS, ClassSet, Convention, Formula, Signature, Undefined, checked_beta
from macrof1.errors import InputError
from macrof1.sampling.intervals import IntervalMethod, checked_level, normal_quantile
from macrof1.sampling.resampling import Random, checked_random, checked_resamples
from macrof1.scoring.result import ScoreResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What every way to compare takes, checked."""

    confidence_level: float
    method: IntervalMethod
    test: TestName
    n_resamples: int
    rng: np.random.Generator
    rules: Rules

    @property
    def alpha(self) -> float:
        """The p-value up to which a difference is significant."""
        return 1 - self.confidence_level

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
    ) -> Options:
        """Refuse what cannot be compared with."""
        if method not in ("delta", "bootstrap"):
            raise InputError.unknown_value("method", method, ("delta", "bootstrap"))
        if test not in TESTS:
            raise InputError.unknown_value("test", test, TESTS)
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


def ranked(
    names: list[str],
    scored: Sequence[ScoreResult | PublishedScore],
    evidence: Evidence | None,
    options: Options,
    *,
    paired: bool | None,
    n_rows: int | None,
    notes: list[str],
) -> CompareResult:
    """Rank scored systems under both formulas, and say which pairs flip and which differences are real."""
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
    settled = cannot_flip(values["averaged_f1"], values["f1_of_averages"], classes)
    comparisons, flips = [], []
    for position, (a, b) in enumerate(couples):
        probability = None if evidence is None else float(evidence.flip_probability[a, b])
        flip = bool(by_averaged[a, b] * by_averages[a, b] < 0)
        comparisons.append(
            SystemPair(
                a=names[a],
                b=names[b],
                averaged_f1=differences["averaged_f1"][position],
                f1_of_averages=differences["f1_of_averages"][position],
                flip=flip,
                flip_probability=probability,
                cannot_flip=options.rules.beta == 1 and bool(settled[a, b]),
                n_differing=None
                if evidence is None or evidence.n_differing is None
                else int(evidence.n_differing[a, b]),
                doubts=() if evidence is None else evidence.doubts_about(a, b),
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
        notes = (
            notes
            + doubt_notes(comparisons, options.test, paired=bool(paired))
            + _reach_notes(comparisons, options, evidence.smallest_check)
        )
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
    values: list[float], evidence: Evidence | None, formula: Formula, options: Options
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
    options: Options,
) -> list[Difference]:
    apart = [values[a] - values[b] for a, b in couples]
    if evidence is None:
        return [
            Difference(difference=difference, standard_error=None, p={}, p_holm={}, significant=None)
            for difference in apart
        ]
    plain = {test: [float(found[formula][a, b]) for a, b in couples] for test, found in evidence.p.items()}
    corrected = {test: holm(p) for test, p in plain.items()}
    # Where the normal approximation is in doubt, a test without it must agree: the larger p-value decides.
    decides = holm(
        [
            max(p, float(evidence.checks[formula][couple])) if evidence.doubts_about(*couple) else p
            for couple, p in zip(couples, plain[options.test], strict=True)
        ]
    )
    return [
        Difference(
            difference=difference,
            standard_error=float(evidence.pair_errors[formula][couple]),
            p={test: p[position] for test, p in plain.items()},
            p_holm={test: p[position] for test, p in corrected.items()},
            significant=decides[position] <= options.alpha,
            p_decides=decides[position],
        )
        for position, (couple, difference) in enumerate(zip(couples, apart, strict=True))
    ]


def doubt_notes(comparisons: Sequence[SystemPair], test: TestName, *, paired: bool) -> list[str]:
    """Say where the normal approximation is in doubt, why, and what decides there."""
    doubtful = [pair for pair in comparisons if pair.doubts]
    if test == "randomisation" or not doubtful:
        return []
    worst = min(doubtful, key=lambda pair: (-len(pair.doubts), pair.n_differing or 0))
    if len(comparisons) == 1:
        where = f"Between {worst.a} and {worst.b}"
        reason = "; ".join(worst.doubts)
    else:
        where = f"In {len(doubtful):,} of {len(comparisons):,} pairs"
        reason = f"as between {worst.a} and {worst.b}: {'; '.join(worst.doubts)}"
    check = "the randomisation test agrees" if paired else "shuffling the rows of both systems shows it too"
    return [
        f"{where} the normal approximation is not trusted ({reason}): there a difference is called significant only "
        f"where {check}."
    ]


def _reach_notes(comparisons: Sequence[SystemPair], options: Options, smallest_check: float) -> list[str]:
    """Say where a test by resampling could not find anything, whatever the data."""
    n_pairs = len(comparisons)
    needed = int(np.ceil(n_pairs / options.alpha))
    little = f"With {n_pairs:,} pairs and {options.n_resamples:,} resamples"
    if options.test != "delta" and n_pairs / (options.n_resamples + 1) > options.alpha:
        return [
            f"{little} no {options.test} test can reach {options.alpha:.2g} after Holm's correction: take at least "
            f"{needed:,} resamples, or the delta test."
        ]
    if any(pair.doubts for pair in comparisons) and n_pairs * smallest_check > options.alpha:
        return [
            f"{little} no randomisation can reach {options.alpha:.2g} after Holm's correction, so that no difference "
            f"is called significant in such pairs: take at least {needed:,} resamples."
        ]
    return []


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
