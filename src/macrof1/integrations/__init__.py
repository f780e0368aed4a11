"""Both macro F1s in training and evaluation tools; some modules need an extra."""

from __future__ import annotations

from macrof1.convention import ClassSet, Convention, Undefined
from macrof1.errors import ConventionError, InputError


def checked_rules(*, classes: ClassSet, undefined: Undefined, beta: float) -> Convention:
    """Return the convention of a metric, which needs a number where a ratio is undefined."""
    if undefined not in (0, 1) or isinstance(undefined, bool):
        raise ConventionError.unknown_value("undefined", undefined, (0, 1))
    return Convention(classes=classes, undefined=undefined, beta=beta)


def checked_size(num_classes: int) -> int:
    """Return a number of classes, or reject what is none."""
    if isinstance(num_classes, bool) or not isinstance(num_classes, int) or num_classes < 1:
        raise InputError.bad_value("num_classes", num_classes, expected="a whole number, 1 or larger")
    return num_classes
