"""Scores per group of rows (domain, fold, seed, …), and the two ways to average over groups.

The note's ambiguity exists one level up: the mean of the groups' scores and the score of their pooled counts are two
numbers (Forman & Scholz 2010, for cross-validation folds). Both are here, named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from macrof1.convention import ClassSet, Convention, Undefined, checked_formula
from macrof1.counting.cells import Group, GroupedCounts, group_text
from macrof1.counting.confusion import ClassCounts, Confusion
from macrof1.counting.frames import count_frame_groups, names_of
from macrof1.counting.labels import Missing
from macrof1.errors import EmptyError, InputError
from macrof1.scoring.macro import score_counts
from macrof1.scoring.ratios import mean
from macrof1.scoring.result import ScoreResult, row_notes


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupScore:
    """One group: the values of the columns it was grouped by, and its result."""

    key: Group
    result: ScoreResult


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsResult:
    """Both macro F1s of every group, of all rows together, and both averages over groups.

    Attributes
    ----------
    by
        The columns that rows were grouped by.
    groups
        One record per group, in the order of the keys. Each is scored as if it were all the data.
    total
        The result of all rows together: of the pooled counts.
    """

    by: tuple[str, ...]
    groups: tuple[GroupScore, ...]
    total: ScoreResult

    def mean_of_scores(self, formula: str = "averaged_f1") -> float:
        """Return the mean of the groups' scores: every group counts the same, however small."""
        name = checked_formula(formula)
        return mean([getattr(group.result, name) for group in self.groups])

    def mean_of_gaps(self) -> float:
        """Return the mean of the groups' gaps."""
        return mean([group.result.gap for group in self.groups])

    def score_of_pooled_counts(self, formula: str = "averaged_f1") -> float:
        """Return the score of all groups' counts together: every row counts the same."""
        value: float = getattr(self.total, checked_formula(formula))
        return value

    def __getitem__(self, key: object) -> ScoreResult:
        """Return one group's result: by its value, or by the tuple of its values."""
        wanted = key if isinstance(key, tuple) else (key,)
        for group in self.groups:
            if group.key == wanted and list(map(type, group.key)) == list(map(type, wanted)):
                return group.result
        known = "; ".join(group_text(self.by, group.key) for group in self.groups[:8])
        raise KeyError(f"no group {key!r} of {', '.join(self.by)}: there are {known}")

    @property
    def notes(self) -> list[str]:
        """Sentences on what a reader should know: those of the total, and groups that lack classes of the total."""
        found = row_notes(self.total.counts)
        fewer = sum(group.result.n_classes < self.total.n_classes for group in self.groups)
        if fewer:
            have = "has" if fewer == 1 else "have"
            found.append(
                f"{fewer:,} of {len(self.groups):,} groups {have} fewer classes than all rows together: each is "
                "averaged over its own classes; give labels to average all over the same."
            )
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain JSON types."""
        formulas = ("averaged_f1", "f1_of_averages")
        return {
            "by": list(self.by),
            "groups": [
                {
                    "key": {name: _plain(value) for name, value in zip(self.by, group.key, strict=True)},
                    **group.result.to_dict(),
                }
                for group in self.groups
            ],
            "total": self.total.to_dict(),
            "mean_of_scores": {formula: self.mean_of_scores(formula) for formula in formulas},
            "score_of_pooled_counts": {formula: self.score_of_pooled_counts(formula) for formula in formulas},
            "notes": self.notes,
        }


def _plain(value: object) -> str | int | float | bool | None:
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def score_groups(
    df: Any,
    *,
    gold: str | Sequence[str],
    pred: str | Sequence[str],
    by: str | Sequence[str],
    weight: str | None = None,
    labels: Iterable[object] | None = None,
    missing: Missing = "error",
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
) -> GroupsResult:
    """Score every group of rows and all rows together, in one pass over the data.

    Parameters
    ----------
    df, gold, pred, weight, labels, missing, classes, undefined, beta
        As in `macrof1.score_frame`.
    by
        One or more columns to group by: domain, fold, seed, annotator, …; nulls form a group of their own.

    References
    ----------
    Forman & Scholz 2010, "Apples-to-apples in cross-validation studies".

    Examples
    --------
    >>> import polars as pl
    >>> df = pl.DataFrame({"fold": [1, 1, 2, 2], "gold": ["a", "b", "a", "b"], "pred": ["a", "b", "a", "a"]})
    >>> result = score_groups(df, gold="gold", pred="pred", by="fold")
    >>> result[1].averaged_f1, round(result[2].averaged_f1, 4)
    (1.0, 0.3333)
    >>> round(result.mean_of_scores("averaged_f1"), 4), round(result.score_of_pooled_counts("averaged_f1"), 4)
    (0.6667, 0.7333)
    """
    names = names_of(by)
    if not names:
        raise InputError("by is empty: expected at least one column to group by; score_frame scores all rows")
    counts = count_frame_groups(df, gold=gold, pred=pred, by=names, weight=weight, labels=labels, missing=missing)
    return score_grouped_counts(counts, classes=classes, undefined=undefined, beta=beta)


def score_grouped_counts(
    counts: GroupedCounts,
    *,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    convention: str | Convention | None = None,
) -> GroupsResult:
    """Score counts per group that were made before."""

    def scored(part: ClassCounts | Confusion, key: Group = ()) -> ScoreResult:
        try:
            return score_counts(part, classes=classes, undefined=undefined, beta=beta, convention=convention)
        except EmptyError as error:
            named = ", ".join(f"{name} {value}" for name, value in zip(counts.by, key, strict=False))
            raise EmptyError(f"{named}: {error}") if named else error from None

    groups = tuple(GroupScore(key=key, result=scored(part, key)) for key, part in counts.groups)
    return GroupsResult(by=counts.by, groups=groups, total=scored(counts.total))
