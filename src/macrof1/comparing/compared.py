"""What every kind of comparison shares: its options, checked, and its result: systems, pairs of systems, flips."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias, get_args

from macrof1.catalogue.reader import chosen_convention
from macrof1.convention import FORMULA_NAMES, Convention, Formula
from macrof1.errors import InputError, counted
from macrof1.message import Argument, shown
from macrof1.reading.files import Progress, Step, adding
from macrof1.result import Result

if TYPE_CHECKING:
    from macrof1.sampling.intervals import CompareMethod
    from macrof1.scoring.score_result import ScoreResult


TestName: TypeAlias = Literal["delta", "bootstrap", "randomisation"]
TEST_NAMES: Final[dict[TestName, str]] = {
    "delta": "Wald test",
    "bootstrap": "bootstrap test",
    "randomisation": "approximate randomisation test",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Checked options shared by all kinds of comparison."""

    confidence_level: float = 0.95
    method: CompareMethod = "combined"
    test: TestName = "delta"
    n_resamples: int = 1000
    rng: Any = 0
    convention: Convention = field(default_factory=Convention)
    baseline: str | None = None
    equivalent: float | None = None
    step: Step | None = None
    named: str | None = None  # the name of the convention, which must fit the task of the data

    @property
    def alpha(self) -> float:
        """The largest p-value that is significant."""
        return 1 - self.confidence_level

    def couples(self, names: Sequence[str], places: Iterable[int]) -> list[tuple[int, int]]:
        """Return the pairs of systems to compare, by their places: all, or each system with the baseline."""
        if self.baseline is None:
            return list(combinations(places, 2))
        base = names.index(self.baseline)
        return [(place, base) for place in places if place != base]

    def changed(self) -> list[Argument]:
        """Return the options that say how rows are scored and tested, where they are not the default."""
        plain = Options()
        own = ("method", "test", "n_resamples", "baseline")
        found = [Argument(name, getattr(self, name)) for name in own if getattr(self, name) != getattr(plain, name)]
        rules = ("classes", "undefined", "beta")
        ours, default = self.convention, plain.convention
        return [*found, *(Argument(name) for name in rules if getattr(ours, name) != getattr(default, name))]

    def without_excluded(self) -> Options:
        """Return the options for counts over units, in which labels are left out already."""
        return replace(self, convention=replace(self.convention, exclude=()))

    def too_few_resamples(self, test: TestName, n_pairs: int) -> bool:
        """Return whether a test of so many pairs cannot reach significance, whatever the data."""
        return test != "delta" and n_pairs / (self.n_resamples + 1) > self.alpha


def checked_options(
    names: Sequence[str],
    *,
    convention: str | Convention | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Options:
    """Check the options of a comparison of these systems; as in `compare`."""
    # Resampling needs NumPy, which published figures alone do not.
    from macrof1.sampling.intervals import CompareMethod, checked_level, checked_margin
    from macrof1.sampling.resampling import checked_random, checked_resamples

    rules = ("classes", "undefined", "beta", "exclude", "empty", "over")
    found = Options(
        convention=chosen_convention(convention, **{name: options.pop(name) for name in rules if name in options}),
        named=convention if isinstance(convention, str) else None,
        step=adding(progress),
        **options,
    )
    for name, known in (("method", get_args(CompareMethod)), ("test", get_args(TestName)), ("baseline", names)):
        if name != "baseline" or found.baseline is not None:
            InputError.one_of(name, getattr(found, name), known)
    return replace(
        found,
        confidence_level=checked_level(found.confidence_level),
        n_resamples=checked_resamples(found.n_resamples),
        rng=checked_random(found.rng),
        equivalent=None if found.equivalent is None else checked_margin("equivalent", found.equivalent),
    )


def checked_names(systems: Any) -> list[str]:
    """Return the names of the systems, or reject input that cannot be compared."""
    if not isinstance(systems, Mapping):
        expected = 'a dictionary of names and predictions, such as {"a": …}'
        raise InputError(f"systems is a {type(systems).__name__}", argument="systems", expected=expected)
    names = list(systems)
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"{shown(name)} is not a valid name of a system", argument="systems", expected="text")
    if len(names) < 2:
        given = f"only one system, {names[0]!r}" if names else "no system"
        raise InputError(given, argument="systems", expected="at least two to compare", hint="score takes one")
    return names


def check_classes(scored: Sequence[ScoreResult | PublishedScore]) -> None:
    """Reject a single class."""
    if max(result.n_classes for result in scored) < 2:
        hint = "with one, both macro F1s are its F1, and nothing flips"
        raise InputError("there is only one class", expected="at least two", hint=hint)


class FewDiffering(str):
    """The doubt that two systems differ on few rows: no reason against calling them equivalent, or no worse."""

    __slots__ = ()


Verdict: TypeAlias = Literal["better", "worse", "equivalent", "undecided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedScore:
    """The scores of one system, computed from published precision and recall."""

    averaged_f1: float
    f1_of_averages: float
    gap: float
    labels: tuple[str, ...]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScores(Result):
    """One formula's scores of several runs: of each, their mean and standard deviation.

    `standard_error_rows` is that of the mean for these runs on other rows; `standard_error` for other runs on other
    rows, with `df` degrees of freedom, or None if it is normal. A single run has no standard deviation.
    """

    scores: tuple[float, ...]
    mean: float
    sd: float | None
    standard_error_rows: float
    standard_error: float
    df: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScore(Result):
    """One system: both scores with intervals, its rank under each, and the gap.

    `rank_change` is how many ranks the system gains when averaged F1 replaces F1 of averages. With several runs, scores
    are means over runs, and `runs` gives their spread.
    """

    _keys: ClassVar[tuple[str, ...]] = (
        "name", "averaged_f1", "f1_of_averages", "gap", "rank_averaged_f1", "rank_f1_of_averages", "rank_change",
        "n_classes", "averaged_f1_interval", "f1_of_averages_interval", "runs", "signature",
    )  # fmt: skip

    name: str
    averaged_f1: float
    f1_of_averages: float
    gap: float
    rank_averaged_f1: int
    rank_f1_of_averages: int
    n_classes: int
    signature: str = ""
    averaged_f1_interval: tuple[float, float] | None = None
    f1_of_averages_interval: tuple[float, float] | None = None
    runs: dict[Formula, RunScores] | None = None

    @property
    def rank_change(self) -> int:
        """Ranks gained under averaged F1, compared with F1 of averages."""
        return self.rank_f1_of_averages - self.rank_averaged_f1


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Result):
    """The difference between two systems under one formula, and whether it is more than noise.

    `p` and `p_holm` map the name of a test to its p-value, plain and corrected for all pairs; a corrected one is None
    if there are too few resamples to reach significance, whatever the data. `p_decides` is the corrected p-value that
    decides `significant`: that of the chosen test, or the largest among it and the tests that have to agree with it.
    `detectable` is the smallest true difference that a sample like this one would detect with 80% power, before any
    correction.

    `interval` is that of the difference, on its own. `verdict` is corrected for all pairs: ``"better"`` or ``"worse"``
    if the difference is significant, ``"equivalent"`` if both one-sided tests place it within the margin that was
    asked for, and ``"undecided"`` otherwise; None if nothing can be tested.
    """

    difference: float
    standard_error: float | None
    p: dict[TestName, float]
    p_holm: dict[TestName, float | None]
    significant: bool | None
    p_decides: float | None = None
    detectable: float | None = None
    df: float | None = None
    interval: tuple[float, float] | None = None
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPair(Result):
    """Two systems; differences are `a` minus `b`, which is the baseline if there is one.

    `n_differing` is the number of rows on which their predictions differ, if rows are known. `doubts` say why tests
    that assume normality are not trusted for this pair; a randomisation test then decides.
    """

    a: str
    b: str
    averaged_f1: Difference
    f1_of_averages: Difference
    flip: bool
    flip_probability: float | None
    cannot_flip: bool
    n_differing: int | None = None
    doubts: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """What is missing to call the systems equivalent, or one of them no worse: rows of a class, or runs.

        That they differ on few rows is no reason against it: the standard error allows for rows not seen.
        """
        return tuple(doubt for doubt in self.doubts if not isinstance(doubt, FewDiffering))


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip(Result):
    """Two systems whose order differs between the formulas.

    `significant` says whether both leads are; None if nothing can be tested.

    `size` is the sum of both leads, which is also the difference between the two systems' gaps. `probability` is the
    share of resamples in which they flip too.
    """

    _keys: ClassVar[tuple[str, ...]] = (
        "averaged_f1_prefers", "f1_of_averages_prefers", "averaged_f1_lead", "f1_of_averages_lead", "size",
        "probability", "significant",
    )  # fmt: skip

    averaged_f1_prefers: str
    f1_of_averages_prefers: str
    averaged_f1_lead: float
    f1_of_averages_lead: float
    probability: float | None
    significant: bool | None = None

    @property
    def size(self) -> float:
        """The sum of both leads."""
        return self.averaged_f1_lead + self.f1_of_averages_lead


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareResult(Result):
    """Two rankings of the same systems.

    Attributes
    ----------
    systems
        The systems, the best under `rank_by` first.
    comparisons
        Every pair of systems, or the baseline paired with every other system.
    flips
        The pairs whose order differs between the formulas, the largest flip first.
    kendall_tau
        Between the two rankings (tau-b); None if all systems are tied under one formula.
    paired
        Whether all systems were scored on the same rows, known row by row; None without any counts.
    test, n_clusters, equivalent
        The test that decides significance, the number of clusters, and the margin within which systems count as
        equivalent; None if nothing can be tested, rows are independent, or it was not asked for.
    rank_by, ties
        The formula that ranks systems, and which of them share a place in `places`.
    rejected
        The submissions that could not be scored, and why.
    """

    _keys: ClassVar[tuple[str, ...]] = (
        "systems", "pairs", "discordant_pairs", "kendall_tau", "rank_changes", "settled_pairs", "flips", "comparisons",
        "significant_flips", "baseline", "equivalent", "paired",
        "test", "null_hypothesis", "confidence_level", "n_resamples", "n_rows", "n_clusters", "rank_by", "ties",
        "places", "rejected", "notes",
    )  # fmt: skip

    systems: tuple[SystemScore, ...]
    comparisons: tuple[SystemPair, ...]
    flips: tuple[Flip, ...]
    kendall_tau: float | None
    paired: bool | None
    test: TestName | None
    confidence_level: float
    n_resamples: int | None
    n_rows: int | None
    signatures: dict[Formula, str]
    notes: tuple[str, ...]
    n_clusters: int | None = None
    baseline: str | None = None
    equivalent: float | None = None
    rank_by: Formula = "averaged_f1"
    ties: Literal["test", "score"] = "test"
    rejected: dict[str, str] = field(default_factory=dict)

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """The best and the worst place of each system, given which differences are significant.

        A system is behind all that are significantly better, and before all that are significantly worse; with ties by
        score, or if not every pair was tested, both are its rank.
        """
        ranks = {system.name: getattr(system, f"rank_{self.rank_by}") for system in self.systems}
        if self.ties == "score" or self.test is None or self.baseline is not None:
            return {name: (rank, rank) for name, rank in ranks.items()}
        better, worse = dict.fromkeys(ranks, 0), dict.fromkeys(ranks, 0)
        for pair in self.comparisons:
            found: Difference = getattr(pair, self.rank_by)
            if found.significant:
                ahead, behind = (pair.a, pair.b) if found.difference > 0 else (pair.b, pair.a)
                better[behind], worse[ahead] = better[behind] + 1, worse[ahead] + 1
        return {name: (1 + better[name], len(ranks) - worse[name]) for name in ranks}

    @property
    def significant_flips(self) -> int | None:
        """Number of flips whose leads are significant under both formulas; None if nothing can be tested."""
        return None if self.test is None else sum(1 for flip in self.flips if flip.significant)

    @property
    def summary(self) -> str:
        """Who is first under each formula, and how many pairs flip, in one line."""
        firsts = []
        for name, words in FORMULA_NAMES.items():
            best = max(self.systems, key=lambda system: getattr(system, name))
            firsts.append(f"{best.name} is first under {words} ({getattr(best, name):.4f})")
        flips = f"{self.discordant_pairs:,} of {counted(self.pairs, 'pair')} flip"
        return f"{counted(len(self.systems), 'system')}: {', '.join(firsts)}; {flips}"

    @property
    def pairs(self) -> int:
        """Number of pairs of systems."""
        return len(self.comparisons)

    @property
    def discordant_pairs(self) -> int:
        """Number of pairs whose order differs between the formulas."""
        return len(self.flips)

    @property
    def rank_changes(self) -> int:
        """Number of systems whose rank differs between the formulas."""
        return sum(1 for system in self.systems if system.rank_change)

    @property
    def settled_pairs(self) -> int:
        """Number of pairs whose order is provably the same under both formulas, from one formula's scores alone."""
        return sum(1 for pair in self.comparisons if pair.cannot_flip)

    @property
    def null_hypothesis(self) -> str | None:
        """The null hypothesis of the test, in plain words."""
        if self.test is None:
            return None
        if self.test == "randomisation":
            exchanged = "it makes no difference which of the two systems made which prediction, row by row"
            return f"{exchanged}, and both have the same score"
        score = "mean score over runs," if any(system.runs for system in self.systems) else "score"
        return f"both systems have the same {score} on the data that the test rows were drawn from"

    def signature(self, formula: Formula = "averaged_f1") -> str:
        """Return the signature: one line that says what was computed."""
        return self.signatures[formula]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        codes = [getattr(note, "code", "") for note in self.notes]
        return {**Result.to_dict(self), "note_codes": codes, "signature": dict(self.signatures)}
