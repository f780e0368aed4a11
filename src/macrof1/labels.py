"""What a label is: its kind, its order, and when it is missing.

Labels keep their type. ``1``, ``1.0``, ``"1"`` and ``True`` are four different labels, although Python says that three
are equal; NumPy scalars count as the Python values they hold.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal, TypeAlias

from macrof1.errors import InputError, LabelError, counted, nearest, quote_some
from macrof1.message import MOST_BITS, Argument, Message, Note, shown

Label: TypeAlias = Hashable
"""A class name: bool, int, str, integer-valued float or another hashable value; None is the class of missing labels."""

Missing: TypeAlias = Literal["error", "drop", "label"]
"""What to do with rows that lack a label: raise an error, leave out and report, or make "missing" a class."""

MISSING_POLICIES: tuple[Missing, ...] = ("error", "drop", "label")

# The order in which labels of mixed types are listed, by type.
_KIND_ORDER = {bool: 0, int: 1, float: 2, str: 3, bytes: 4}

# Text that is an integer; longer digit strings are treated as names.
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")

# How tokens are tagged.
_TAG = re.compile(r"O|[BIESLU][-_]\S+", re.IGNORECASE)

# Characters that would obscure where a label ends in a sentence.
_BLURS = re.compile(r"[\s,;:()\"'`]|^$|\.$")


def checked_missing(missing: str) -> Missing:
    """Return the policy, or reject an unknown one."""
    found: Missing = InputError.one_of("missing", missing, MISSING_POLICIES)
    return found


def dropped_note(n_dropped: int) -> Note:
    """Say how many rows ``missing="drop"`` left out."""
    verb = "was" if n_dropped == 1 else "were"
    return Note(f"{counted(n_dropped, 'row')} without a label {verb} left out.", code="rows_dropped")


def canonical(value: object) -> Label | None:
    """Return the label that a value stands for, or None if the value is missing."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is int:
        return _short(value)
    # A value cannot be NumPy's unless NumPy has been imported.
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        value = value.item()
        kind = type(value)
        if kind is str or kind is int or kind is bool:
            return value
    if isinstance(value, float):
        if value != value:
            return None
        if not value.is_integer():
            raise LabelError(
                f"{value!r} is not a valid label",
                expected="class names or whole numbers, found a fraction",
                hint="scores or probabilities must be turned into labels first (a threshold, or argmax)",
            )
        return float(value)
    # pandas.NA and pandas.NaT, recognized by name so that pandas need not be imported.
    if kind.__name__ in {"NAType", "NaTType"}:
        return None
    # Members of str or int enumerations equal plain values, so they are the same labels.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return _short(int(value))
    if isinstance(value, (list, set, dict)) or kind.__name__ == "ndarray":
        raise LabelError(
            f"{shown(value)} is not a valid label",
            expected=f"one label per row, found a {kind.__name__}",
            hint=tags_hint(value) or "for several labels per row give sets on both sides, or an indicator matrix",
        )
    try:
        hash(value)
        str(value)
        if value != value:  # a NaN of another type
            return None
    except Exception:  # noqa: BLE001  # a label's own methods may raise anything
        expected = "what can be hashed and written out"
        raise LabelError(f"{shown(value)} is not a valid label", expected=expected) from None
    return value


def tags_hint(values: Any) -> str | None:
    """Name the call that reads sentences, if these are the tags of one."""
    tags = [isinstance(value, str) and _TAG.fullmatch(value) for value in values]
    return "macrof1.count_spans counts the entities in sentences of tags" if tags and all(tags) else None


def _short(number: Any) -> int:
    if number.bit_length() > MOST_BITS:
        raise LabelError(f"{shown(number)} is not a valid label", expected="numbers that can be written out")
    return int(number)


def label_key(label: Label | None) -> tuple[type, Label | None]:
    """Return a dictionary key that keeps labels of different types distinct."""
    return type(label), label


def label_text(label: Label | None) -> str:
    """Format a label for display; the class of missing labels has a name too."""
    return "(missing)" if label is None else str(label)


def label_name(label: Label | None) -> str:
    """Format a label inside a sentence: quoted if it could be read as more than one word."""
    text = label_text(label)
    return f'"{text}"' if label is not None and _BLURS.search(text) else text


def in_order(labels: Iterable[Label | None]) -> list[Label | None]:
    """Sort labels by kind, then by value, missing last; text that is all integers is sorted numerically."""
    given = list(labels)
    kinds: dict[type, list[Label | None]] = dict.fromkeys(set(map(type, given)), given)
    if len(kinds) > 1:
        kinds = {kind: [label for label in given if type(label) is kind] for kind in kinds}
    none = kinds.pop(type(None), [])
    ordered: list[Label | None] = []
    for kind in sorted(kinds, key=lambda kind: (_KIND_ORDER.get(kind, len(_KIND_ORDER)), kind.__name__)):
        if kind is str and all(_WHOLE.fullmatch(str(label)) for label in kinds[kind]):
            ordered += sorted(kinds[kind], key=lambda label: (int(str(label)), str(label)))
            continue
        try:
            ordered += sorted(kinds[kind])  # type: ignore[type-var]  # the next line handles the incomparable
        except TypeError:
            ordered += sorted(kinds[kind], key=str)
    return ordered + none


def check_comparable(
    gold: Sequence[Label | None], pred: Sequence[Label | None], names: tuple[str, str] = ("gold", "predicted")
) -> None:
    """Reject two sets of labels that could never match because their types differ."""
    gold_kinds, pred_kinds = (
        {kind.__name__ for kind in set(map(type, side)) if kind is not type(None)} for side in (gold, pred)
    )
    if gold_kinds and pred_kinds and gold_kinds.isdisjoint(pred_kinds):
        raise LabelError(
            f"{names[0]} labels are {'/'.join(sorted(gold_kinds))} ({quote_some(gold, most=3)}) but "
            f"{names[1]} labels are {'/'.join(sorted(pred_kinds))} ({quote_some(pred, most=3)}): no label could match",
            hint="convert one side so that both have the same type",
        )


def checked_labels(labels: Iterable[object], argument: str = "labels") -> tuple[Label | None, ...]:
    """Return the class set given by the user, or reject it."""
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        kind, meant = ("string", labels.split(",")) if isinstance(labels, str) else (type(labels).__name__, [labels])
        told = Message(Argument(argument, labels), f" is a single {kind}")
        raise LabelError(told, expected=f"a sequence of labels, such as {shown(meant)}")
    listed = tuple(map(canonical, LabelError.listed(argument, labels)))
    if not listed:
        raise LabelError(Message(Argument(argument), " is empty"), expected="at least one class to average over")
    check_unique(listed, argument)
    return listed


def check_unique(labels: Sequence[Label | None], argument: str = "labels") -> None:
    """Reject labels that are not distinct: their counts would belong to no class."""
    # Labels that differ as Python compares them differ as keys, too.
    if len(set(labels)) < len(labels) and len(set(map(label_key, labels))) < len(labels):
        twice = next(label for place, label in enumerate(labels) if label_key(label) in map(label_key, labels[:place]))
        raise LabelError(Message(Argument(argument), f" names {twice!r} twice"), expected="every class once")


def merge_class_sets(
    left: tuple[Label | None, ...], left_listed: int | None, right: tuple[Label | None, ...], right_listed: int | None
) -> tuple[tuple[Label | None, ...], int | None]:
    """Return the labels of a sum, and how many form its class set: the union, sorted unless one side was listed."""
    if left_listed is None and right_listed is None:
        merged = {label_key(label): label for label in (*left, *right)}
        return tuple(in_order(merged.values())), None
    inside = {label_key(label): label for label in (*left[:left_listed], *right[:right_listed])}
    outside = {label_key(label): label for label in (*left, *right) if label_key(label) not in inside}
    return (*inside.values(), *in_order(outside.values())), len(inside)


def class_order(seen: Iterable[Label | None], listed: tuple[Label | None, ...] | None) -> tuple[Label | None, ...]:
    """Order labels for counting: the listed class set first, then whatever else was seen, sorted."""
    if listed is None:
        return tuple(in_order(seen))
    inside = set(map(label_key, listed))
    return (*listed, *in_order(label for label in seen if label_key(label) not in inside))


def check_known(excluded: Iterable[Label | None], found: set[tuple[type, Any]]) -> None:
    """Reject an excluded label that does not occur in the data: a typo would silently change the score."""
    for label in excluded:
        if label_key(label) not in found:
            guess = nearest(label_text(label), [label_text(each) for _, each in found])
            raise LabelError(
                Message(Argument("exclude"), f" names {label!r}, which is not a class of this data"),
                given=label,
                expected=f"one of {quote_some(in_order(each for _, each in found), most=5)}",
                hint=f"did you mean {guess!r}?" if guess else None,
            )


def check_listed(listed: tuple[Label | None, ...] | None, found: Iterable[tuple[type, Any]]) -> None:
    """Reject a class set that does not occur in the data at all: it belongs to other data, or has other types."""
    if listed is None:
        return
    keys = set(found)
    if not any(label_key(label) in keys for label in listed):
        seen = in_order(label for _, label in keys)
        check_comparable(listed, seen, names=("listed", "found"))
        raise LabelError(
            f"none of the listed labels ({quote_some(listed, most=5)}) occurs in the data, which has "
            f"{quote_some(seen, most=5)}",
            expected="the class set of this data",
        )
