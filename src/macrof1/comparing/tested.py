"""Differences between systems that were tested: standard errors, p-values, and which are significant."""

from __future__ import annotations

import math
from typing import Any

from macrof1.comparing.notes import resamples_needed
from macrof1.comparing.options import Options
from macrof1.comparing.result import Difference
from macrof1.comparing.significance import Evidence, holm
from macrof1.convention import Formula
from macrof1.sampling.planning import detectable_difference


def tested_differences(
    couples: list[tuple[int, int]], apart: list[float], evidence: Evidence, formula: Formula, options: Options
) -> list[Difference]:
    """Return the difference of every pair under one formula, with its tests corrected for all pairs."""
    plain = {test: [float(found[formula][a, b]) for a, b in couples] for test, found in evidence.p.items()}
    corrected = {test: holm(p) for test, p in plain.items()}
    decides = holm(_deciding_p(couples, plain, evidence, formula, options))
    hopeless = {test for test in plain if resamples_needed(len(couples), test, options) is not None}
    found = []
    for position, (couple, difference) in enumerate(zip(couples, apart, strict=True)):
        error = float(evidence.pair_errors[formula][couple])
        df = float("inf") if evidence.pair_df is None else float(evidence.pair_df[formula][couple])
        found.append(
            Difference(
                difference=difference,
                standard_error=error,
                p={test: p[position] for test, p in plain.items()},
                p_holm={test: None if test in hopeless else p[position] for test, p in corrected.items()},
                significant=decides[position] <= options.alpha,
                p_decides=None if options.test in hopeless else decides[position],
                detectable=detectable_difference(error, options.confidence_level, df=df),
                df=df if math.isfinite(df) else None,
            )
        )
    return found


def _deciding_p(
    couples: list[tuple[int, int]],
    plain: dict[Any, list[float]],
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
