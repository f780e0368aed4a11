"""Compare systems by what was published of them, which needs Python alone."""

from __future__ import annotations

import math
from collections.abc import Mapping

from macrof1.bounding.closed_forms import harmonic_mean
from macrof1.comparing.options import Options, check_classes, checked_names
from macrof1.comparing.ranking import Scored, ranked
from macrof1.comparing.result import CompareResult, PublishedScore
from macrof1.errors import InputError, quote_some
from macrof1.message import Note
from macrof1.scoring.macro import check_excluded


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
    if options is not None and options.convention.exclude:
        left = set(options.convention.exclude)
        check_excluded(options.convention, [label for classes in systems.values() for label in classes])
        systems = {name: {k: v for k, v in systems[name].items() if k not in left} for name in names}
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


def published_score(name: str, classes: Mapping[str, tuple[float, float]]) -> PublishedScore:
    """Compute both macro F1s of one system.

    The gap is 2 (P̄ + R̄) times the variance of P / (P + R) over classes, weighted by P + R: never negative.

    Examples
    --------
    >>> round(published_score("x", {"yes": (0.5, 1.0), "no": (1.0, 0.5)}).gap, 4)
    0.0833
    """
    if not classes:
        raise InputError(f"system {name!r} has no classes", expected="precision and recall of each class")
    for label, pair in classes.items():
        usable = len(pair) == 2 and all(isinstance(value, (int, float)) and 0 <= value <= 1 for value in pair)
        if not usable:
            raise InputError(
                f"system {name!r}, class {label!r}: found {pair!r}",
                given=pair,
                expected="precision and recall between 0 and 1",
            )
    n = len(classes)
    mean_p = math.fsum(p for p, _ in classes.values()) / n
    mean_r = math.fsum(r for _, r in classes.values()) / n
    weights = [(p + r, p / (p + r)) for p, r in classes.values() if p + r]
    total = math.fsum(weight for weight, _ in weights)
    centre = math.fsum(weight * lean for weight, lean in weights) / total if total else 0.0
    return PublishedScore(
        averaged_f1=math.fsum(harmonic_mean(float(p), float(r)) for p, r in classes.values()) / n,
        f1_of_averages=harmonic_mean(mean_p, mean_r),
        gap=2 / n * math.fsum(weight * (lean - centre) ** 2 for weight, lean in weights),
        labels=tuple(classes),
    )
