"""Compare systems pair by pair, if the rows of all systems together hardly repeat.

Two systems and gold have few distinct rows, however many rows the data has, and a test needs no more. Scores, intervals
and Wald tests are the same as on the rows of all systems; resampling tests draw for each pair anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from macrof1.comparing.notes import label_notes, row_notes, weight_notes
from macrof1.comparing.options import TESTS, Options, check_classes
from macrof1.comparing.ranking import Scored, ranked
from macrof1.comparing.result import CompareResult
from macrof1.comparing.significance import Ends, Evidence, paired_evidence
from macrof1.convention import FORMULAS, Formula
from macrof1.reading.progress import part_of
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import Array
from macrof1.scoring.macro import check_excluded
from macrof1.scoring.score_result import ScoreResult

# The most labels of distinct rows that are collected for all systems together: about half a gigabyte.
_MOST_LABELS: Final = 1 << 24
# With more distinct rows than this per pair, resampling them takes longer than grouping and testing each pair.
_MOST_ROWS_PER_PAIR: Final = 1 << 14


def most_distinct(names: Sequence[str], of_a_pair: int = 0) -> int | None:
    """Return how many distinct rows of all systems may be collected; None if pairs would not be fewer.

    `of_a_pair` is how many distinct rows two of them have, once that is known.
    """
    n = len(names)
    if n < 3:
        return None
    return max(1, min(_MOST_LABELS // (n + 1), max(_MOST_ROWS_PER_PAIR, of_a_pair) * n * (n - 1) // 2))


def compare_pairs(
    names: list[str],
    patterns_of: Callable[[Sequence[str]], Patterns],
    options: Options,
) -> CompareResult:
    """Compare every pair of systems on the joint patterns of the two."""
    n = len(names)
    couples = options.couples(names, range(n))
    part = part_of(options.step, 0, 1 / len(couples))
    alone: dict[int, Patterns] = {}
    found: dict[tuple[int, int], Evidence] = {}
    for couple in couples:
        patterns = patterns_of([names[place] for place in couple])
        for at, place in enumerate(couple):
            alone.setdefault(place, patterns.alone(at).patterns)
        found[couple] = paired_evidence(patterns, replace(options, step=part))
    each = [alone[place] for place in range(n)]
    check_excluded(options.convention, [label for own in each for label in own.labels])
    scored = [ScoreResult(counts=own.class_counts(), convention=options.convention) for own in each]
    check_classes(scored)
    notes = [*weight_notes(each[0]), *row_notes(names, scored, each, options), *label_notes(names, scored)]
    return ranked(
        Scored.of(names, scored),
        _gathered(found, n),
        options,
        paired=True,
        n_rows=each[0].n_rows,
        n_clusters=each[0].n_clusters,
        notes=notes,
    )


def _gathered(pairs: Mapping[tuple[int, int], Evidence], n: int) -> Evidence:
    """Put the evidence about pairs of systems together."""

    def square(values: Iterable[Array], rest: float = 0.0) -> Array:
        """Return a number of every pair, systems x systems."""
        each = [value[0, 1] for value in values]
        found = np.full((n, n), rest, each[0].dtype)
        for (a, b), value in zip(pairs, each, strict=True):
            found[a, b] = found[b, a] = value
        return found

    every = list(pairs.values())
    intervals: dict[Formula, list[Ends]] = {}
    for formula in FORMULAS:
        known = {
            place: own for couple, e in pairs.items() for place, own in zip(couple, e.intervals[formula], strict=True)
        }
        intervals[formula] = [known[place] for place in range(n)]
    return Evidence(
        intervals=intervals,
        pair_errors={f: square(e.pair_errors[f] for e in every) for f in FORMULAS},
        p={test: {f: square((e.p[test][f] for e in every), 1.0) for f in FORMULAS} for test in TESTS},
        flip_probability=square(e.flip_probability for e in every if e.flip_probability is not None),
        checks={f: square((e.checks[f] for e in every), 1.0) for f in FORMULAS},
        doubts={(min(couple), max(couple)): e.doubts[0, 1] for couple, e in pairs.items() if e.doubts},
        smallest_check=every[0].smallest_check,
        n_differing=square(e.n_differing for e in every if e.n_differing is not None),
        pair_df={f: square((e.pair_df[f] for e in every if e.pair_df is not None), math.inf) for f in FORMULAS},
    )
