"""What every kind of comparison shares: options, at least two systems with names, and at least two classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    progress: Progress | None = None,
    **options: Any,
) -> Options:
    """Check the options of a comparison of these systems; as in `compare`."""
    # Resampling needs NumPy, which published figures alone do not.
    from macrof1.sampling.intervals import CompareMethod, checked_level, checked_margin
    from macrof1.sampling.resampling import checked_random, checked_resamples

    found = Options(
        convention=chosen_convention(convention, classes=classes, undefined=undefined, beta=beta, exclude=exclude),
        named=convention if isinstance(convention, str) else None,
        step=adding(progress),
        **options,
    )
    for name, known in (("method", get_args(CompareMethod)), ("test", TESTS), ("baseline", names)):
        given = getattr(found, name)
        if given not in known and (name != "baseline" or given is not None):
            raise InputError.unknown_value(name, given, known)
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
