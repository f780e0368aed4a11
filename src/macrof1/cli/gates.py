"""Gates for pipelines: a score below its threshold, or a doubt in a strict run, gives exit code 1."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from macrof1.cli.streams import say
from macrof1.errors import InputError
from macrof1.message import Argument, Message
from macrof1.request import Request

if TYPE_CHECKING:
    from macrof1.comparing.result import CompareResult
    from macrof1.scoring.group_scores import GroupsResult
    from macrof1.scoring.score_result import ScoreResult

_SCORES: Final = ("averaged_f1", "f1_of_averages", "macro_precision", "macro_recall")
_MORE_SCORES: Final = ("accuracy", "balanced_accuracy", "micro_f1", "weighted_f1", "cohen_kappa", "mcc")


def doubtful(notes: Iterable[str]) -> list[str]:
    """Return the problems that fail a strict run, one line each."""
    from macrof1.counting.doubts import DOUBTS

    return [f"strict: {note}" for note in notes if getattr(note, "code", "") in {*DOUBTS, "foreign_labels"}]


def failure(lines: Iterable[str]) -> int:
    """Report each gate that is not met in one line, and return the exit code."""
    found = list(lines)
    for line in found:
        say(line)
    return 1 if found else 0


def thresholds(request: Request) -> list[tuple[str, str, bool]]:
    """Return the scores, their thresholds, and whether the lower end of the interval must reach them."""
    found = [(*_threshold(text, "fail_under", _SCORES + _MORE_SCORES), False) for text in request.fail_under]
    return [*found, *((*_threshold(text, "fail_under_low", _SCORES), True) for text in request.fail_under_low)]


def check_scores(
    result: ScoreResult | GroupsResult, gates: list[tuple[str, str, bool]], *, strict: bool, level: float
) -> int:
    """Report each gate that is not met in one line, and return the exit code."""
    total: Any = getattr(result, "total", result)
    failed = []
    for name, least, low in gates:
        value = total.interval(name, confidence_level=level).low if low else getattr(total, name)
        if value is None:
            raise InputError(f"{name} is not defined here", argument="fail_under", expected="another score")
        if not value >= float(least):
            what = f"the lower end of the interval of {name}" if low else name
            failed.append(f"{what} is {value:.6g}, below {least}")
    return failure(failed + (doubtful(result.notes) if strict else []))


def _threshold(text: str, argument: str, known: tuple[str, ...]) -> tuple[str, str]:
    """Parse ``averaged_f1=0.70``."""
    name, equals, number = (part.strip() for part in text.partition("="))
    if not equals and _is_number(name):
        raise InputError(
            Message(Argument(argument, text), " does not say which score"),
            given=text,
            expected=Message(
                Argument(argument, f"averaged_f1={name}"), " or ", Argument(argument, f"f1_of_averages={name}")
            ),
        )
    name = name.replace("-", "_")
    if name not in known:
        raise InputError(
            Message(Argument(argument, text), " is not a known score"),
            given=name,
            expected=f"one of {', '.join(known)}",
        )
    least = -1 if name in ("cohen_kappa", "mcc") else 0
    if not _is_number(number) or not least <= float(number) <= 1:
        raise InputError(
            Message(Argument(argument, text)),
            given=number,
            expected=Message(f"a number from {least} to 1, such as ", Argument(argument, f"{name}=0.70")),
        )
    return name, number


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def check_margin(margin: float | None, baseline: str | None) -> None:
    """Reject an impossible margin, or a margin without a baseline."""
    if margin is None:
        return
    if baseline is None:
        raise InputError("--non-inferior needs --baseline", expected="--baseline SYSTEM --non-inferior 0.01")
    if not 0 <= margin < 1:
        raise InputError(f"--non-inferior {margin:g}", expected="a difference of scores from 0 to 1, such as 0.01")


def check_non_inferior(result: CompareResult, margin: float) -> int:
    """Report the systems not shown to be non-inferior to the baseline, and return the exit code.

    A one-sided interval of the difference in averaged F1, at the confidence level of the comparison, must lie above the
    negative margin: it is a two-sided interval with twice the error.
    """
    from macrof1.sampling.student import quantile

    level = 2 * result.confidence_level - 1
    failed = []
    for pair in result.comparisons:
        found = pair.averaged_f1
        if found.standard_error is None:
            raise InputError("--non-inferior needs rows or counts", expected="a comparison with intervals")
        ours = pair.b if pair.a == result.baseline else pair.a
        difference = found.difference if ours == pair.a else -found.difference
        low = difference - quantile(level, math.inf if found.df is None else found.df) * found.standard_error
        if pair.missing:
            failed.append(
                f"{ours} is not shown to be non-inferior to {result.baseline}: the comparison does not suffice "
                f"({'; '.join(pair.missing)})"
            )
        elif not low >= -margin:
            failed.append(
                f"{ours} is not shown to be non-inferior to {result.baseline}: the difference in averaged F1 is "
                f"{difference:+.4f}, and may be {low:+.4f} (margin {-margin:g})"
            )
    return failure(failed)
