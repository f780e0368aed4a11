"""What every kind of comparison shares: options, at least two systems with names, and at least two classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from macrof1.catalogue.reader import chosen_convention
from macrof1.convention import ClassSet, Convention, Undefined
from macrof1.errors import InputError
from macrof1.message import Argument, shown
from macrof1.reading.progress import Progress, Step, adding

if TYPE_CHECKING:
    from macrof1.comparing.result import PublishedScore
    from macrof1.sampling.intervals import CompareMethod
    from macrof1.sampling.resampling import Random
    from macrof1.scoring.score_result import ScoreResult

TestName: TypeAlias = Literal["delta", "bootstrap", "randomisation"]
TESTS: Final[tuple[TestName, ...]] = get_args(TestName)
TEST_NAMES: Final[dict[TestName, str]] = {
    "delta": "Wald test",
    "bootstrap": "bootstrap test",
    "randomisation": "approximate randomisation test",
}
NULL_HYPOTHESES: Final[dict[TestName, str]] = {
    "delta": "both systems have the same score on the data that the test rows were drawn from",
    "bootstrap": "both systems have the same score on the data that the test rows were drawn from",
    "randomisation": "it makes no difference which of the two systems made which prediction, row by row, and both "
    "have the same score",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Checked options shared by all kinds of comparison."""

    confidence_level: float = 0.95
    method: CompareMethod = "combined"
    test: TestName = "delta"
    n_resamples: int = 1000
    rng: Any = None
    convention: Convention = field(default_factory=Convention)
    baseline: str | None = None
    equivalent: float | None = None
    step: Step | None = None
    named: str | None = None
    """The name of the convention, which must fit the task of the data."""

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

    def check_testable(self) -> None:
        """Reject conventions that cannot be tested."""
        from macrof1.sampling.macro_scores import check_counted

        check_counted(self.convention.undefined)

    def too_few_resamples(self, test: TestName, n_pairs: int) -> bool:
        """Return whether a test of so many pairs cannot reach significance, whatever the data."""
        return test != "delta" and n_pairs / (self.n_resamples + 1) > self.alpha


def checked_options(
    names: Sequence[str],
    *,
    classes: ClassSet = "union",
    undefined: Undefined = 0,
    beta: float = 1.0,
    exclude: Iterable[object] = (),
    convention: str | Convention | None = None,
    confidence_level: float = 0.95,
    method: str = "combined",
    test: str = "delta",
    n_resamples: int = 1000,
    rng: Random = 0,
    baseline: str | None = None,
    equivalent: float | None = None,
    progress: Progress | None = None,
) -> Options:
    """Check the options of a comparison of these systems; as in `compare`."""
    # Resampling needs NumPy, which published figures alone do not.
    from macrof1.sampling.intervals import CompareMethod, checked_level
    from macrof1.sampling.resampling import checked_random, checked_resamples

    chosen = chosen_convention(convention, classes=classes, undefined=undefined, beta=beta, exclude=exclude)
    methods = get_args(CompareMethod)
    if method not in methods:
        raise InputError.unknown_value("method", method, methods)
    if test not in TESTS:
        raise InputError.unknown_value("test", test, TESTS)
    found = Options(
        confidence_level=checked_level(confidence_level),
        method=method,  # type: ignore[arg-type]  # one of its values
        test=test,
        n_resamples=checked_resamples(n_resamples),
        rng=checked_random(rng),
        convention=chosen,
        baseline=baseline,
        equivalent=_checked_margin(equivalent),
        step=adding(progress),
        named=convention if isinstance(convention, str) else None,
    )
    if baseline is not None and baseline not in names:
        raise InputError.unknown_value("baseline", baseline, names)
    return found


def _checked_margin(margin: float | None) -> float | None:
    """Return the largest difference that is none in practice, or reject one that is no difference of scores."""
    if margin is None:
        return None
    usable = isinstance(margin, (int, float)) and not isinstance(margin, bool)
    if not usable or not 0 < margin < 1:
        raise InputError.bad_value(
            "equivalent",
            margin,
            expected="a difference between 0 and 1, such as 0.01 for one point",
            hint=f"did you mean {margin / 100:g}?" if usable and 1 <= margin <= 20 else None,
        )
    return float(margin)


def checked_names(systems: Any) -> list[str]:
    """Return the names of the systems, or reject input that cannot be compared."""
    if not isinstance(systems, Mapping):
        raise InputError(
            f"systems is a {type(systems).__name__}",
            argument="systems",
            expected='a dictionary of names and predictions, such as {"a": …}',
        )
    names = list(systems)
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"{shown(name)} is not a valid name of a system", argument="systems", expected="text")
    if len(names) < 2:
        given = f"only one system, {names[0]!r}" if names else "no system"
        raise InputError(given, argument="systems", expected="at least two to compare", hint="score takes one")
    return names


def check_making(scored: Mapping[str, ScoreResult]) -> None:
    """Reject systems whose rows became counts in different ways: one signature could not name them all."""
    (first, one), *others = scored.items()
    for name, other in others:
        if other.making.facts != one.making.facts:
            raise InputError(
                f"{name!r} was not counted as {first!r} was ({other.making.text}; {one.making.text})",
                expected="counts made in one way",
            )


def check_classes(scored: Sequence[ScoreResult | PublishedScore]) -> None:
    """Reject a single class."""
    if max(result.n_classes for result in scored) < 2:
        raise InputError(
            "there is only one class",
            expected="at least two",
            hint="with one, both macro F1s are its F1, and nothing flips",
        )
