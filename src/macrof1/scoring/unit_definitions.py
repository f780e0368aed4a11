"""Both formulas over units other than classes, with every rule about undefined ratios and empty units in use."""

from __future__ import annotations

from itertools import product
from typing import Any

from macrof1.convention import DEFAULT, ClassSet, Convention, Empty, Undefined
from macrof1.counts import COLUMNS, ClassCounts, GroupedCounts, class_counts_of, exact_sum
from macrof1.scoring import macro
from macrof1.scoring.definitions import KIND_NAMES, UNDEFINED_WORDS, DefinedScore
from macrof1.scoring.macro import columns_of
from macrof1.scoring.score_result import ScoreResult

_EMPTY_WORDS: dict[Any, str] = {0: "empty ones count as 0", 1: "empty ones count as 1", "drop": "without empty ones"}


def pooled_groups(grouped: GroupedCounts) -> ClassCounts | None:
    """Return counts over groups, the labels of each pooled; None if precision and recall are both the accuracy."""
    parts = [class_counts_of(part) for _, part in grouped.groups]
    if not parts or all(map(macro.covers_rows, parts)):
        return None
    columns: dict[str, Any] = {name: [exact_sum(getattr(part, name)) for part in parts] for name in COLUMNS}
    return ClassCounts.of(range(len(parts)), **columns, over=", ".join(grouped.by))


def unit_definitions(counts: ClassCounts) -> list[DefinedScore]:
    """Compute what a macro F1 over these units can mean: only rules that make a difference are tried."""
    everything, noun = columns_of(counts, DEFAULT), counts.noun
    n, n_gold, n_seen = len(everything), *(len(everything.occurring(predicted=also)) for also in (False, True))
    sets: tuple[ClassSet, ...] = ("union", "gold") if 0 < n_gold < n else ("union",)
    empties: tuple[Empty | None, ...] = (0, 1, "drop") if 0 < n_seen < n else (None,)
    policies: tuple[Undefined, ...] = (0,) if all(everything.predicted) and all(everything.actual) else (0, 1)
    kinds = ["averaged_f1", "f1_of_averages", "macro_precision", "macro_recall"]
    found: list[DefinedScore] = []
    for classes, undefined, empty in product(sets, policies, empties):
        if classes == "gold" and empty not in (None, 0):
            continue  # units with something gold are not empty
        options, words = [], f"over {noun.many}"
        if classes == "gold":
            options, words = ["units=gold"], f"{words} with something gold"
        if undefined != 0:
            options, words = [*options, f"undefined={undefined}"], f"{words}, where {UNDEFINED_WORDS[undefined]}"
        if classes == "union" and empty not in (None, undefined):
            options, words = [*options, f"empty={empty}"], f"{words}, {_EMPTY_WORDS[empty]}"
        result = ScoreResult(
            counts=counts, convention=Convention(classes=classes, undefined=undefined, empty=empty)
        )  # fmt: skip
        told = f"({', '.join(options)})" if options else ""
        # Units that stand for several would each count once in a sum.
        pooled = ["micro_f1"] if not found and counts.weights is None else []
        found += [
            DefinedScore(
                definition=f"{kind} over {counts.over}{told}",
                value=getattr(result, kind),
                words=f"{KIND_NAMES[kind]} {words}",
            )
            for kind in [*kinds, *pooled]
        ]
    return found
