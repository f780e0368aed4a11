"""Whether gold and predicted labels overlap: columns without a common label are rarely the intended ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from macrof1.counting.doubts import DIFFERENCES, few_quoted, normal_form
from macrof1.counts import ClassCounts, HasClassCounts, class_counts_of
from macrof1.errors import LabelError
from macrof1.labels import label_key
from macrof1.message import Argument, Message

# Fewer rows than this may all be wrong, with labels that happen to differ.
_FEW: Final = 20
_WORDS = re.compile(r"[^\W\d_]\w*(?:[ -]\w+)*|[+-]?\d+(?:\.0*)?")  # or numbers, beside LABEL_0
_NUMBERED = re.compile(r"(?:label|class|LABEL|CLASS)[_ -]?\d+", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+(?:\.0*)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def check_that_labels_meet(counts: ClassCounts | HasClassCounts) -> None:
    """Reject gold and predicted labels that have none in common, and name the likely cause.

    Both sides need several labels: a single one may be a constant answer. Labels that differ only in spelling, or are
    numbers on one side, are then rejected; others only from 20 rows on, since fewer may all be wrong. Nothing is
    rejected if a class set was given.
    """
    tallied = class_counts_of(counts)
    if tallied.n_listed is not None or not tallied.all_wrong:
        return
    gold, pred = (
        [label for label, n in zip(tallied.labels, column, strict=True) if n]
        for column in (tallied.actual, tallied.predicted)
    )
    if min(len(gold), len(pred)) < 2 or not set(map(label_key, gold)).isdisjoint(map(label_key, pred)):
        return
    hint = _spelling(gold, pred) or _naming(gold, pred)
    if hint is None and (tallied.n_rows or sum(tallied.actual)) >= _FEW:
        scores = all(_NUMBER.fullmatch(str(label)) and not _WHOLE.fullmatch(str(label)) for label in pred)
        hint = Message("turn scores into labels first" if scores else "check that these are the right columns")
    if hint is not None:
        raise LabelError(
            f"gold labels ({few_quoted(gold)}) and predicted ones ({few_quoted(pred)}) have none in common",
            argument="pred",
            expected="the same labels on both sides",
            hint=Message(hint, "; ", Argument("labels"), " names the classes where all of them are meant"),
        )


def _spelling(gold: Sequence[Any], pred: Sequence[Any]) -> Message | None:
    """Return a message if the labels are the same except for spelling or type."""
    for differences in (*((each,) for each in DIFFERENCES), DIFFERENCES):
        forms = [{label_key(normal_form(label, differences)) for label in side} for side in (gold, pred)]
        if not forms[0].isdisjoint(forms[1]):
            how = Argument("normalize", ",".join(differences))
            return Message("they differ in spelling only: ", how, " takes them for the same")
    if not set(map(str, gold)).isdisjoint(map(str, pred)):
        return Message("they differ in type only: convert one side")
    return None


def _naming(gold: Sequence[Any], pred: Sequence[Any]) -> Message | None:
    """Return a message if one side has class numbers and the other class names."""
    for pattern, what in ((_NUMBERED, "those of a model without a list of names (id2label)"), (_WHOLE, "numbers")):
        for side, labels, others in (("gold", gold, pred), ("predicted", pred, gold)):
            numbered = all(pattern.fullmatch(str(label)) for label in labels)
            if numbered and all(_WORDS.fullmatch(str(label)) and not pattern.fullmatch(str(label)) for label in others):
                return Message(f"the {side} labels are {what}: map them to those of the other side")
    return None
