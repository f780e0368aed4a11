"""What every comparison needs: at least two systems with names, and at least two classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from macrof1.comparing.result import PublishedScore
from macrof1.errors import InputError
from macrof1.message import shown
from macrof1.scoring.result import ScoreResult


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
