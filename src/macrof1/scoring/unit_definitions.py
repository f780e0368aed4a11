"""Both formulas over units other than classes, with every rule about undefined ratios and empty units in use."""

from __future__ import annotations

from itertools import product
from typing import Any

from macrof1.convention import DEFAULT, ClassSet, Convention, Empty, Undefined
from macrof1.counts import COLUMNS, ClassCounts, GroupedCounts, class_counts_of, exact_sum
from macrof1.scoring import macro
from macrof1.scoring.definitions import KIND_NAMES, UNDEFINED_WORDS, DefinedScore
from macrof1.scoring.macro import columns_of

_EMPTY_WORDS: dict[Empty, str] = {0: "empty ones count as 0", 1: "empty ones count as 1", "drop": "without empty ones"}


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
    n_gold, n_seen = (len(everything.occurring(predicted=predicted)) for predicted in (False, True))
    some_undefined = not (all(everything.predicted) and all(everything.actual))
    sets: tuple[ClassSet, ...] = ("union", "gold") if 0 < n_gold < len(everything) else ("union",)
    empties: tuple[Empty, ...] = (0, 1, "drop") if 0 < n_seen < len(everything) else (0,)
    policies: tuple[Undefined, ...] = (0, 1) if some_undefined else (0,)
    found = []
    for classes, undefined, empty in product(sets, policies, empties):
        if classes == "gold" and empty != 0:
            continue  # units with something gold are not empty
        convention = Convention(classes=classes, undefined=undefined, empty=empty if len(empties) > 1 else None)
        columns = columns_of(counts, convention)
        parts = [("units=gold", f" {noun.many} with something gold")] if classes == "gold" else [("", f" {noun.many}")]
        parts += [(f"undefined={undefined}", f", where {UNDEFINED_WORDS[undefined]}")] if undefined != 0 else []
        if classes == "union" and len(empties) > 1 and empty != undefined:
            parts.append((f"empty={empty}", f", {_EMPTY_WORDS[empty]}"))
        options = ", ".join(option for option, _ in parts if option)
        ratios = {
            "averaged_f1": columns.f(1.0, undefined),
            "macro_precision": columns.precision(undefined),
            "macro_recall": columns.recall(undefined),
        }
        values = {kind: macro.mean_over(columns, each) for kind, each in ratios.items()}
        values["f1_of_averages"] = macro.f_of_averages(columns, convention)
        found += [
            DefinedScore(
                definition=f"{kind} over {counts.over}{options and f'({options})'}",
                value=value,
                words=f"{KIND_NAMES[kind]} over{''.join(words for _, words in parts)}",
            )
            for kind, value in values.items()
        ]
    pooled = macro.micro_f(everything)
    told = f"micro F1, all {noun.many} pooled"
    return [*found, DefinedScore(definition=f"micro_f1 over {counts.over}", value=pooled, words=told)]
