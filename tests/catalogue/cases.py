"""Random cases to call real systems on: labels, sets of labels, and tags of sentences; the standard library alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

Ask = Callable[[Any, Any, int | None], float]
"""Takes gold, predicted and the number of declared classes; returns what a system prints."""

# Classes that are declared; most cases lack some of them.
DECLARED = 6
# Where chance seldom goes: one row, one class, all wrong, all right, disjoint sides, a class on one side only.
DEGENERATE = (
    "0 0", "0 1", "5 5", "000 111", "0000 0000", "012345 012345", "012345 123450", "0011 2233", "000112 001130",
)  # fmt: skip
TYPES = ("LOC", "ORG", "PER")


def label_rows(seed: int, n: int = DECLARED) -> tuple[list[int], list[int]]:
    """Return one label per row: some classes are absent, some only gold, some only predicted."""
    if seed < len(DEGENERATE) and n == DECLARED:
        gold, pred = DEGENERATE[seed].split()
        return list(map(int, gold)), list(map(int, pred))
    rng = random.Random(seed)  # noqa: S311
    some, others = (rng.sample(range(n), rng.randint(1, n)) for _ in range(2))
    right = rng.choice([0, 0.2, 0.5, 0.8])
    rows = [rng.choice(some) for _ in range(rng.choice([rng.randint(1, 6), rng.randint(1, 60)]))]
    return rows, [label if rng.random() < right else rng.choice(others) for label in rows]


def label_sets(seed: int, n: int = DECLARED) -> tuple[list[list[int]], list[list[int]]]:
    """Return several labels per row, as 0 and 1 per class: some classes are absent, some rows have none."""
    rng = random.Random(seed)  # noqa: S311
    shares = [rng.choice([0, 0.2, 0.5]) for _ in range(n)]
    gold = [[int(rng.random() < share) for share in shares] for _ in range(rng.randint(1, 30))]
    return gold, [[one if rng.random() < 0.7 else int(rng.random() < 0.3) for one in row] for row in gold]


def tag_rows(seed: int, n: int = DECLARED) -> tuple[list[list[str]], list[list[str]]]:  # noqa: ARG001
    """Return sentences of IOB2 tags, by their rules; some without an entity."""
    rng = random.Random(seed)  # noqa: S311
    gold = [_entities(rng, rng.randint(1, 12)) for _ in range(rng.randint(1, 6))]
    pred = [tags if rng.random() < 0.4 else _entities(rng, len(tags)) for tags in gold]
    return gold, pred


def tag_rows_without_confusion(seed: int, n: int = DECLARED) -> tuple[list[list[str]], list[list[str]]]:
    """Return such sentences, without predicted entities that overlap a gold entity of another type."""
    gold, pred = tag_rows(seed, n)
    for tags, found in zip(gold, pred, strict=True):
        for kind, start, end in spans(found):
            if {tag[2:] for tag in tags[start:end]} - {kind, ""}:
                found[start:end] = ["O"] * (end - start)
    return gold, pred


def spans(tags: list[str]) -> list[tuple[str, int, int]]:
    """Return type, start and end of the entities of correct IOB2 tags."""
    starts = [place for place, tag in enumerate(tags) if tag[0] == "B"]
    ends = [next((end for end in range(start + 1, len(tags)) if tags[end][0] != "I"), len(tags)) for start in starts]
    return [(tags[start][2:], start, end) for start, end in zip(starts, ends, strict=True)]


def _entities(rng: random.Random, n: int) -> list[str]:
    tags: list[str] = []
    while len(tags) < n:
        kind = rng.choice(TYPES)
        tags += [f"B-{kind}", *[f"I-{kind}"] * rng.randint(0, 2)] if rng.random() < 0.4 else ["O"]
    return tags[:n]
