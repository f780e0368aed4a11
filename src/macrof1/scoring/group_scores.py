"""Scores per group of rows (domain, fold, seed, …), and the two ways to average over groups.

The paper's ambiguity recurs one level up: the mean of the groups' scores and the score of their pooled counts are two
different numbers (Forman & Scholz 2010, for cross-validation folds). Both are available here, by name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Final, NoReturn

from macrof1.convention import DEFAULT, FORMULA_NAMES, FORMULAS, Convention, checked_formula
from macrof1.counts import ROWS, Group, GroupedCounts, Making, RowSource, class_counts_of, group_text
from macrof1.errors import CountError, EmptyError
from macrof1.labels import label_key
from macrof1.message import Argument, Note
from macrof1.result import Result, plain
from macrof1.scoring.macro import mean, met_convention
from macrof1.scoring.score_result import ScoreResult, score_counts

# Folds are different rows, although stratified folds may have the same gold counts.
_FOLDS: Final = frozenset(("fold", "folds", "split", "cv", "cv_fold", "fold_id"))


@dataclass(frozen=True, slots=True)
class RepeatedRows(RowSource):
    """Rows that may repeat across groups: the counts do not say how they combine."""

    n_groups: int
    notes: tuple[Note, ...]

    def patterns(self) -> NoReturn:
        """Refuse to treat the rows of all groups as independent."""
        raise CountError(
            f"all {self.n_groups:,} groups have the same gold counts, as runs on the same rows have",
            expected="different rows in every group, to take them together as a sample",
            hint="compare takes several runs of a system; a column named fold holds different rows",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupScore(Result):
    """One group: its values in the grouping columns, and its result."""

    key: Group
    result: ScoreResult


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsResult(Result):
    """Both macro F1s of every group and of all rows together, and both averages over groups.

    Attributes
    ----------
    by
        The grouping columns.
    groups
        One record per group, in key order. Each is scored as if it were all the data.
    total
        The result of all rows together, from the pooled counts.
    """

    by: tuple[str, ...]
    groups: tuple[GroupScore, ...]
    total: ScoreResult

    def mean_of_scores(self, formula: str = "averaged_f1") -> float:
        """Return the mean of the groups' scores: every group counts equally, however small."""
        name = checked_formula(formula)
        return mean([getattr(group.result, name) for group in self.groups])

    def mean_of_gaps(self) -> float:
        """Return the mean of the groups' gaps."""
        return mean([group.result.gap for group in self.groups])

    def fold_standard_error(self, formula: str = "averaged_f1") -> float | None:
        """Return the standard error of the mean score, if the groups are the folds of a cross-validation.

        sqrt(s² (1/k + 1/(k - 1))), with s² the variance of the k folds' scores: folds share training rows, so
        s²/k alone is too small (Nadeau & Bengio 2003, "Inference for the generalization error", Machine Learning 52).
        None for a single group.
        """
        name, k = checked_formula(formula), len(self.groups)
        if k < 2:
            return None
        centre = self.mean_of_scores(name)
        squares = [(getattr(group.result, name) - centre) ** 2 for group in self.groups]
        return math.sqrt(math.fsum(squares) / (k - 1) * (1 / k + 1 / (k - 1)))

    @property
    def repeated(self) -> bool:
        """Whether the groups look like runs on the same rows: same gold counts in all, and not folds."""
        return isinstance(self.total.rows, RepeatedRows)

    def score_of_pooled_counts(self, formula: str = "averaged_f1") -> float:
        """Return the score of the pooled counts: every row counts equally."""
        value: float = getattr(self.total, checked_formula(formula))
        return value

    def signature(self, formula: str = "averaged_f1") -> str:
        """Return the signature of the mean of the groups' scores; ``total.signature()`` is that of pooled counts."""
        nested = Making(facts=(("nested", ",".join(self.by)),))
        return replace(self.total, making=self.total.making + nested).signature(formula)

    def __getitem__(self, key: object) -> ScoreResult:
        """Return one group's result, by its value or by the tuple of its values."""
        wanted = key if isinstance(key, tuple) else (key,)
        for group in self.groups:
            if group.key == wanted and list(map(type, group.key)) == list(map(type, wanted)):
                return group.result
        known = "; ".join(group_text(self.by, group.key) for group in self.groups[:8])
        raise KeyError(f"no group {key!r} of {', '.join(self.by)}: there are {known}")

    @property
    def summary(self) -> str:
        """Both scores of all rows together, and the mean over groups beside them, in one line."""
        scores = (
            f"{words} {self.score_of_pooled_counts(name):.4f} over all rows, {self.mean_of_scores(name):.4f} on average"
            for name, words in FORMULA_NAMES.items()
        )
        return f"{len(self.groups):,} groups by {', '.join(self.by)}: {'; '.join(scores)}"

    @property
    def notes(self) -> list[str]:
        """Sentences a reader should know: those of the total, and how many groups lack classes of the total."""
        found: list[str] = [note for note in self.total.notes if getattr(note, "code", "") != "gap_within_noise"]
        fewer = sum(group.result.n_classes < self.total.n_classes for group in self.groups)
        if fewer and self.total.counts.over is None:
            lack = f"{'has' if fewer == 1 else 'have'} fewer classes than all rows together"
            text = f"{fewer:,} of {len(self.groups):,} groups {lack}: each is averaged over its own classes; "
            found.append(Note(text, Argument("labels"), " averages all over the same.", code="groups_lack_classes"))
        if self.repeated:
            alike = f"All {len(self.groups):,} groups have the same gold counts, as runs on the same rows have"
            text = (
                f"{alike}: together they are not a sample of independent rows. compare takes several runs of a system."
            )
            found.append(Note(text, code="rows_repeated"))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        return {
            "by": list(self.by),
            "groups": [
                {"key": plain(dict(zip(self.by, group.key, strict=True))), **group.result.to_dict()}
                for group in self.groups
            ],
            "total": self.total.to_dict(),
            "mean_of_scores": {formula: self.mean_of_scores(formula) for formula in FORMULAS},
            "score_of_pooled_counts": {formula: self.score_of_pooled_counts(formula) for formula in FORMULAS},
            "difference": {f: self.mean_of_scores(f) - self.score_of_pooled_counts(f) for f in FORMULAS},
            "signature": {
                "mean_of_scores": {formula: self.signature(formula) for formula in FORMULAS},
                "score_of_pooled_counts": {formula: self.total.signature(formula) for formula in FORMULAS},
            },
            "fold_standard_error": {formula: self.fold_standard_error(formula) for formula in FORMULAS},
            "notes": plain(self.notes),
            "note_codes": [getattr(note, "code", "") for note in self.notes],
        }


def score_grouped_counts(counts: GroupedCounts, convention: Convention = DEFAULT) -> GroupsResult:
    """Score existing counts per group."""
    groups = []
    for key, part in counts.groups:
        scored = partial(score_counts, part, convention=met_convention(convention, part.labels))
        named = ", ".join(f"{name} {value}" for name, value in zip(counts.by, key, strict=True))
        groups.append(GroupScore(key=key, result=EmptyError.located(named, scored)))
    total = score_counts(counts.total, convention=convention)
    # Several runs (seeds) on the same rows have the same gold counts.
    folds = not _FOLDS.isdisjoint(name.strip().lower() for name in counts.by)
    golds = [
        {label_key(label): n for label, n in zip(part.labels, part.actual, strict=True) if n}
        for part in (class_counts_of(part) for _, part in counts.groups)
    ]
    sampled = total.counts.over in (None, ROWS)  # other units hold the rows of all groups
    if len(golds) > 1 and not folds and sampled and all(one == other for one, other in pairwise(golds)):
        total = replace(total, rows=RepeatedRows(len(groups), total.rows.notes))
    return GroupsResult(by=counts.by, groups=tuple(groups), total=total)
