"""Options shared by all kinds of comparison, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from macrof1.convention import Convention
from macrof1.errors import InputError
from macrof1.message import Argument, Message
from macrof1.reading.progress import Progress, Step, adding

if TYPE_CHECKING:
    from macrof1.sampling.intervals import CompareMethod
    from macrof1.sampling.resampling import Random

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
    method: CompareMethod = "logit"
    test: TestName = "delta"
    n_resamples: int = 1000
    rng: Any = None
    convention: Convention = field(default_factory=Convention)
    baseline: str | None = None
    step: Step | None = None

    @property
    def alpha(self) -> float:
        """The largest p-value that is significant."""
        return 1 - self.confidence_level

    @classmethod
    def checked(
        cls,
        *,
        convention: Convention,
        confidence_level: float = 0.95,
        method: str = "logit",
        test: str = "delta",
        n_resamples: int = 1000,
        rng: Random = 0,
        baseline: str | None = None,
        progress: Progress | None = None,
    ) -> Options:
        """Reject invalid options."""
        # Resampling needs NumPy, which published figures alone do not.
        from macrof1.sampling.intervals import CompareMethod, checked_level
        from macrof1.sampling.resampling import checked_random, checked_resamples

        methods = get_args(CompareMethod)
        if method not in methods:
            raise InputError.unknown_value("method", method, methods)
        if test not in TESTS:
            raise InputError.unknown_value("test", test, TESTS)
        return cls(
            confidence_level=checked_level(confidence_level),
            method=method,  # type: ignore[arg-type]  # one of its values
            test=test,
            n_resamples=checked_resamples(n_resamples),
            rng=checked_random(rng),
            convention=convention,
            baseline=baseline,
            step=adding(progress),
        )

    def couples(self, names: Sequence[str], places: Iterable[int]) -> list[tuple[int, int]]:
        """Return the pairs of systems to compare, by their places: all, or those with the baseline."""
        every = combinations(places, 2)
        return [couple for couple in every if self.baseline is None or self.baseline in map(names.__getitem__, couple)]

    def check_testable(self) -> None:
        """Reject conventions that cannot be tested."""
        from macrof1.sampling.macro_scores import check_counted

        check_counted(self.convention.undefined)

    def check_baseline(self, names: list[str]) -> None:
        """Reject a baseline that is not one of the systems."""
        if self.baseline is not None and self.baseline not in names:
            raise InputError.unknown_value("baseline", self.baseline, names)

    def check_rows(self, test: TestName, why: str) -> None:
        """Reject a test that this kind of input cannot support."""
        if self.test == test:
            others = [f'"{name}"' for name in TESTS if name != test]
            raise InputError(
                Message(Argument("test", test), f" {why}"),
                expected=f"{' or '.join(others)}, or the predictions of each row",
            )
