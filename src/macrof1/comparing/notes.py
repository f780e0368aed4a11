"""Notes for the reader of a comparison, one sentence each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from macrof1.comparing.options import Options, TestName
from macrof1.comparing.result import SystemPair
from macrof1.counting.doubts import label_doubts
from macrof1.counting.policies import OUTSIDE_CLASS
from macrof1.errors import counted, quote_some
from macrof1.labels import label_text
from macrof1.message import Argument, Note
from macrof1.sampling.intervals import FewRows, cluster_notes, coverage_notes, few_rows
from macrof1.sampling.macro_scores import class_places
from macrof1.sampling.patterns import Patterns
from macrof1.scoring.score_result import ScoreResult


def weight_notes(patterns: Patterns) -> Iterator[str]:
    """Report the effective number of rows if weights are unequal."""
    if patterns.weights is not None:
        whole = " Where the weights are counts of equal rows, repeat the rows instead."
        yield Note(
            "Rows carry weights, and each is one draw whatever it weighs: for intervals and tests the "
            f"{counted(patterns.n_rows, 'row is', 'rows are')} worth about {patterns.effective_rows:,.0f} of equal "
            f"weight.{whole if patterns.weights.dtype.kind == 'i' else ''}",
            code="weighted_rows",
        )


def row_notes(
    names: Sequence[str], scored: Sequence[ScoreResult], patterns: Sequence[Patterns], options: Options
) -> Iterator[str]:
    """Report which rows were left out, and which intervals are known to undercover.

    `patterns` are joint over all systems, or one per system.
    """
    n_dropped = scored[0].counts.n_dropped
    if n_dropped:
        yield Note(
            f"{counted(n_dropped, 'row was', 'rows were')} left out: gold or a system lacks a label there.",
            code="rows_dropped",
        )
    yield from cluster_notes(patterns[0])
    rare: dict[str, None] = {}
    unused = []
    for at, name in enumerate(names):
        own, system = (patterns[0], at) if len(patterns) == 1 else (patterns[at], 0)
        classes = few_rows(own, system, class_places(own, system, options.convention))
        rare |= dict.fromkeys(classes.rare)
        # Labels absent from gold have their own note.
        unused += [name] if classes.never_predicted else []
    n_rows = min(round(part.effective_rows) for part in patterns)
    n_classes = scored[0].n_classes
    yield from coverage_notes(n_rows, n_classes, FewRows(list(rare), [], []), options.method)
    if unused:
        yield Note(
            f"{counted(len(unused), 'system never predicts', 'systems never predict')} some of the gold classes "
            f"({quote_some(unused, most=3)}): the intervals cannot know how these would score in another sample, and "
            "their actual coverage is lower.",
            code="empty_classes",
        )


def label_notes(names: Sequence[str], scored: Sequence[ScoreResult]) -> list[str]:
    """Report systems that predict labels absent from gold or outside the class set, and suspicious labels."""
    notes: list[str] = []
    doubts: dict[str, Note] = {}
    for name, result in zip(names, scored, strict=True):
        for note in (*result.rows.notes, *label_doubts(result.counts)):
            doubts.setdefault(note.code, Note(f"System {name}: ", note, code=note.code))
    for name, result in zip(names, scored, strict=True):
        foreign = [
            label_text(record.label)
            for record in result.per_class
            if record.predicted and not record.actual and record.label != OUTSIDE_CLASS
        ]
        if foreign:
            notes.append(
                Note(
                    f"System {name} predicts labels that gold never has ({quote_some(foreign, most=3)}): each is a "
                    "class with F1 0 in its mean; ",
                    Argument("classes", "gold"),
                    " leaves them out.",
                    code="foreign_labels",
                )
            )
        if result.counts.n_outside:
            n = result.counts.n_outside
            lies = "label lies" if n == 1 else "labels lie"
            notes.append(Note(f"System {name}: {n:,} {lies} outside the listed classes.", code="labels_outside"))
    notes = [*doubts.values(), *notes]
    return notes if len(notes) <= 10 else [*notes[:9], f"… and {len(notes) - 9} more notes of this kind."]


def count_notes(scored: Sequence[ScoreResult]) -> Iterator[str]:
    """Report what cannot be inferred from counts without rows."""
    golds = [{str(record.label): record.actual for record in result.per_class if record.actual} for result in scored]
    if any(gold != golds[0] for gold in golds):
        yield Note(
            "The systems have different gold counts: they were not scored on the same rows.", code="different_gold"
        )
    yield Note(
        "Only counts are known, not rows: differences are tested as if each system had its own test rows (unpaired), "
        "which is usually too careful where they had the same.",
        code="unpaired",
    )


def run_notes(names: Sequence[str], n_runs: Sequence[int]) -> Iterator[str]:
    """Report what is tested with several runs, and which systems have only one."""
    single = [name for name, n in zip(names, n_runs, strict=True) if n == 1]
    low, high = min(n_runs), max(n_runs)
    yield Note(
        f"Scores are means over {low if low == high else f'{low} to {high}'} runs on the same rows; standard errors "
        "and tests treat rows and runs as samples.",
        code="runs",
    )
    if single:
        yield Note(
            f"{counted(len(single), 'system has', 'systems have')} one run only ({quote_some(single, most=3)}): "
            "how much another run would differ is not known, and no difference from it is called significant.",
            code="single_run",
        )
    elif low < 3:
        yield Note("Two runs say little about how much runs differ: take at least three, better five.", code="few_runs")


def doubt_notes(comparisons: Sequence[SystemPair], test: TestName, *, paired: bool) -> Iterator[str]:
    """Report for which pairs the normal approximation is in doubt, why, and which test decides instead."""
    doubtful = [pair for pair in comparisons if pair.doubts]
    if test == "randomisation" or not doubtful:
        return
    worst = min(doubtful, key=lambda pair: (-len(pair.doubts), pair.n_differing or 0))
    if len(comparisons) == 1:
        where = f"Between {worst.a} and {worst.b}"
        reason = "; ".join(worst.doubts)
    else:
        where = f"In {len(doubtful):,} of {len(comparisons):,} pairs"
        reason = f"as between {worst.a} and {worst.b}: {'; '.join(worst.doubts)}"
    check = "only where the randomisation test agrees"
    if not paired:
        check = "only where shuffling the rows of both systems shows it too"
    elif any("randomisation" not in pair.averaged_f1.p for pair in doubtful):
        check = "in no case, as there is no other test of several runs"
    yield Note(
        f"{where} the normal approximation is not trusted ({reason}): there a difference is called significant "
        f"{check}.",
        code="normal_approximation",
    )


def reach_notes(comparisons: Sequence[SystemPair], options: Options, smallest_check: float) -> Iterator[str]:
    """Report if a resampling test could not reach significance, whatever the data."""
    n_pairs = len(comparisons)
    corrected = f"can reach {options.alpha:.2g} after Holm's correction"
    if options.too_few_resamples(options.test, n_pairs):
        little, more = f"no {options.test} test {corrected}: take ", " or more, or the delta test."
    elif any(pair.doubts for pair in comparisons) and n_pairs * smallest_check > options.alpha:
        little = f"no randomisation {corrected}, so that no difference is called significant in such pairs: take "
        more = " or more."
    elif any(options.too_few_resamples(test, n_pairs) for pair in comparisons[:1] for test in pair.averaged_f1.p):
        little = "corrected p-values of resampling tests would all be 1 and are not shown: they need "
        more = " or more."
    else:
        return
    yield Note(
        f"With {counted(n_pairs, 'pair')} and {options.n_resamples:,} resamples {little}",
        Argument("n_resamples", math.ceil(n_pairs / options.alpha)),
        more,
        code="few_resamples",
    )
