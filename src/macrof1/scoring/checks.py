"""Whether counts can be scored under a convention, and what a reader should know about their rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from macrof1.convention import Convention
from macrof1.counts import ClassCounts
from macrof1.errors import EmptyError, LabelError, nearest, quote_some
from macrof1.labels import Label, dropped_note, in_order, label_key, label_name, label_text
from macrof1.message import Argument, Message, Note


def check_excluded(convention: Convention, labels: Iterable[Label | None]) -> None:
    """Refuse to exclude every class, or a name that is not a class: a typo would silently change the score."""
    if not convention.exclude:
        return
    known = set(map(label_key, labels))
    for label in convention.exclude:
        if label_key(label) not in known:
            names = [label_text(each) for _, each in known]
            guess = nearest(label_text(label), names)
            raise LabelError(
                Message(Argument("exclude"), f" names {label!r}, which is not a class of this data"),
                given=label,
                expected=f"one of {quote_some(in_order(each for _, each in known), most=5)}",
                hint=f"did you mean {guess!r}?" if guess else None,
            )
    if known <= set(map(label_key, convention.exclude)):
        raise EmptyError(
            Message(Argument("exclude"), " leaves no class to average over"), expected="at least one other"
        )


def met_convention(convention: Convention, labels: Iterable[Label | None]) -> Convention:
    """Exclude only classes that occur: a group, or another system's data, may lack one."""
    if not convention.exclude:
        return convention
    known = set(map(label_key, labels))
    return replace(convention, exclude=tuple(label for label in convention.exclude if label_key(label) in known))


def check_weights(counts: ClassCounts) -> None:
    """Reject all-zero weights; no rows at all, or rows without a label, score 0 over listed classes by convention."""
    if counts.is_empty and (counts.n_listed is None or (counts.task == "multiclass" and counts.n_rows != 0)):
        raise EmptyError("all weights are 0", expected="a positive weight in some row")


def row_notes(counts: ClassCounts) -> list[str]:
    """Say which rows were left out, and which labels lie outside the class set."""
    found: list[str] = [dropped_note(counts.n_dropped)] if counts.n_dropped else []
    n = counts.n_outside
    if n:
        outside = counts.labels[counts.n_listed :]
        names = ", ".join(map(label_name, outside[:5])) + (", …" if len(outside) > 5 else "")
        who, then = f"{n:,} gold or predicted labels lie", "they count as errors of the classes they meet, and are"
        if isinstance(n, float):
            who = f"Gold or predicted labels of weight {n:,.6g} lie"
        elif n == 1:
            who, then = "1 gold or predicted label lies", "it counts as an error of the class it meets, and is"
        found.append(
            Note(f"{who} outside the listed classes ({names}): {then} not averaged over.", code="labels_outside")
        )
    return found
