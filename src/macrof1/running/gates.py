"""Gates of a score: thresholds for all rows and for every slice, the last accepted run, and a published signature."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from macrof1.convention import Signature
from macrof1.counting.doubts import DOUBTS
from macrof1.counts import group_text
from macrof1.errors import InputError
from macrof1.message import Argument, Message
from macrof1.reading.files import whole_text
from macrof1.request import Request
from macrof1.scoring.group_scores import GroupsResult
from macrof1.scoring.score_result import ScoreResult

_SCORES: Final = ("averaged_f1", "f1_of_averages", "macro_precision", "macro_recall")
_MORE_SCORES: Final = ("accuracy", "balanced_accuracy", "micro_f1", "weighted_f1", "cohen_kappa", "mcc")
_THRESHOLDS: Final = ("fail_under", "fail_under_pooled", "fail_under_low")


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition, where it was checked, and what is wrong; nothing if it is met."""

    name: str
    where: str = "all rows"
    failure: str = ""


def check_request(request: Request) -> None:
    """Reject an invalid gate before anything is read."""
    for name in _THRESHOLDS:
        for text in getattr(request, name):
            _threshold(name, text)
    if request.verify is not None:
        _published(request.verify)
    if request.baseline_file is not None:
        _earlier(request.baseline_file or "")


def gates_of(result: ScoreResult | GroupsResult, request: Request) -> list[Gate]:
    """Check every gate of a request: of all rows and, unless it is for the pooled score alone, of each slice."""
    total = result.total if isinstance(result, GroupsResult) else result
    slices: list[tuple[str, ScoreResult]] = []
    if isinstance(result, GroupsResult):
        slices = [(group_text(result.by, group.key), group.result) for group in result.groups]
    found = []
    for option, text in ((name, text) for name in _THRESHOLDS for text in getattr(request, name)):
        name, least = _threshold(option, text)
        for where, own in [("all rows", total), *(slices if option != "fail_under_pooled" else ())]:
            low = option == "fail_under_low"
            value = own.interval(name, confidence_level=request.confidence_level).low if low else getattr(own, name)
            if value is None:
                raise InputError(f"{name} is not defined here", argument="fail_under", expected="another score")
            what = f"{'the lower end of the interval of ' if low else ''}{name}"
            beside = f" in {where}" if where != "all rows" else ""
            failure = "" if value >= float(least) else f"{what} is {value:.6g}{beside}, below {least}"
            found.append(Gate(f"{what} >= {least}", where, failure))
    if request.baseline_file is not None:
        found.append(Gate(f"no worse than {request.baseline_file}", failure=_worse(total, request)))
    if request.verify is not None:
        found.append(Gate("verify", failure="; ".join(differences(total, request.verify))))
    return [*found, *doubts(request, result.notes)]


def doubts(request: Request, notes: Iterable[str]) -> list[Gate]:
    """Return the problems that fail a strict run."""
    grave = {*DOUBTS, "foreign_labels"} if request.strict else set()
    return [Gate("strict", failure=f"strict: {note}") for note in notes if getattr(note, "code", "") in grave]


def _threshold(argument: str, text: str) -> tuple[str, str]:
    """Parse ``averaged_f1=0.70``."""
    known = _SCORES if argument == "fail_under_low" else _SCORES + _MORE_SCORES
    name, equals, number = (part.strip() for part in text.partition("="))
    given = Argument(argument, text)
    if not equals and not math.isnan(number_in(name)):
        named = Message(Argument(argument, f"averaged_f1={name}"), " or ", Argument(argument, f"f1_of_averages={name}"))
        raise InputError(Message(given, " does not say which score"), expected=named)
    name = name.replace("-", "_")
    if name not in known:
        raise InputError(Message(given, " is not a known score"), given=name, expected=f"one of {', '.join(known)}")
    least = -1 if name in ("cohen_kappa", "mcc") else 0
    if not least <= number_in(number) <= 1:
        expected = Message(f"a number from {least} to 1, such as ", Argument(argument, f"{name}=0.70"))
        raise InputError(Message(given), given=number, expected=expected)
    return name, number


def number_in(text: str) -> float:
    """Return the number that a text is, or NaN."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _published(text: str) -> tuple[str, Signature]:
    """Return the number before or after a published signature, if there is one, and the signature."""
    words = text.split()
    line = next((word for word in words if "|" in word), text)
    number = next((word.strip("=:,;()") for word in words if re.fullmatch(r"[=:(]*\d*\.?\d+%?[:,;)]*", word)), "")
    return number, Signature.parse(line)


def differences(result: ScoreResult, published: str) -> list[str]:
    """Say in what a result differs from a published signature, and from the number beside it, if there is one.

    What one of the two does not state is not compared, nor are versions.
    """
    number, theirs = _published(published)
    formula = theirs.convention.formula
    ours, stated = Signature.parse(result.signature(formula)).fields(), theirs.fields()
    found = []
    for name in dict.fromkeys((*stated, *ours)):
        a, b = str(stated.get(name, "nothing")), str(ours.get(name, "nothing"))
        unknown = "-" in (a, b) or (name == "classes" and not theirs.class_set and b.startswith(a))
        if a != b and name != "version" and not unknown:
            found.append(f"{name} is {b} here and {a} in the signature")
    if number:
        value, digits = getattr(result, formula), number.rstrip("%")
        scale = 100 if number.endswith("%") or float(digits) > 1 else 1
        decimals = len(digits.partition(".")[2])
        if abs(value * scale - float(digits)) > 0.5 * 10**-decimals * (1 + 1e-9):
            found.append(f"{formula} is {value * scale:.{decimals}f} here, not {number}")
    return found


def _worse(result: ScoreResult, request: Request) -> str:
    """Say if averaged F1 is significantly below that of an earlier run, of which only score and error are known."""
    from macrof1.sampling.student import quantile

    before, error_before = _earlier(request.baseline_file or "")
    own = result.interval("averaged_f1", confidence_level=request.confidence_level)
    error = math.hypot(own.standard_error or 0.0, error_before)
    fall = before - result.averaged_f1
    reach = quantile(2 * request.confidence_level - 1, math.inf) * error
    if fall <= reach:
        return ""
    return (
        f"averaged_f1 is {result.averaged_f1:.6g}, significantly below {before:.6g} in {request.baseline_file} (the "
        f"fall of {fall:.4f} is more than the {reach:.4f} that chance explains)"
    )


def _earlier(source: str) -> tuple[float, float]:
    """Return averaged F1 of an earlier run, and its standard error."""
    expected = "what mf1 score -f json wrote"
    text, name = whole_text(source, expected=expected)
    try:
        last = json.loads(text)
        last = last.get("total", last)
        of_last = last["intervals"]["averaged_f1"]
        return float(of_last["estimate"]), float(of_last["standard_error"] or 0.0)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{name} has no averaged F1", argument="baseline_file", expected=expected) from None
