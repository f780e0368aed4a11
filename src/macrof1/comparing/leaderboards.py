"""Compare systems by what was published of them, which needs Python alone."""

from __future__ import annotations

from collections.abc import Mapping

from macrof1.comparing.checks import check_classes, checked_names
from macrof1.comparing.options import Options
from macrof1.comparing.published import published_score
from macrof1.comparing.ranking import Scored, ranked
from macrof1.comparing.result import CompareResult
from macrof1.errors import InputError, quote_some
from macrof1.message import Note


def compare_published(
    systems: Mapping[str, Mapping[str, tuple[float, float]]], options: Options | None = None
) -> CompareResult:
    """Compare systems by the published precision and recall of each class: ranks and flips, no tests.

    Examples
    --------
    >>> result = compare_published({
    ...     "x": {"yes": (0.34, 0.86), "no": (0.68, 0.16)},
    ...     "y": {"yes": (0.45, 0.45), "no": (0.55, 0.55)},
    ... })
    >>> [system.name for system in result.systems], result.discordant_pairs
    (['y', 'x'], 1)
    """
    names = checked_names(systems)
    scored = [published_score(name, systems[name]) for name in names]
    check_classes(scored)
    for name in names:
        if set(systems[name]) != set(systems[names[0]]):
            raise InputError(
                f"system {name!r} has the classes {quote_some(systems[name], most=3)} and {names[0]!r} has "
                f"{quote_some(systems[names[0]], most=3)}",
                argument="systems",
                expected="the same classes for every system",
            )
    only = (
        "Scores are computed from published precision and recall of each class: there are ranks and flips, but no "
        "intervals and no tests. Rounded figures can change the order of systems that are close."
    )
    notes: list[str] = [Note(only, code="no_tests")]
    return ranked(Scored.of(names, scored), None, options or Options(), paired=None, n_rows=None, notes=notes)
