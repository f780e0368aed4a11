"""Doubts about labels, said before a number misleads: what was seen, what it does, and the option that changes it.

Every doubt looks at the distinct labels and their counts, never at rows, so that it costs next to nothing. Labels that
are numbers, booleans or objects raise few doubts; text raises most.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeAlias, get_args

from macrof1.counts import ClassCounts
from macrof1.errors import InputError, counted
from macrof1.message import Argument, Note, Part

Difference: TypeAlias = Literal["case", "space", "unicode", "punctuation", "number"]
"""What labels may differ in and still be meant as one."""

GRAVE: Final = frozenset(("many_never_in_gold", "probabilities", "decimals", "tags", "ids", "swapped"))
"""Doubts that are said before the scores."""

DOUBTS: Final = GRAVE | {
    "never_in_gold", "nearly_equal", "several_labels", "malformed_spans", "repeated_spans", "repeated_ids",
    "repeated_rows", "totals", "matrix_order", "labels_outside", "answers_dropped",
}  # fmt: skip
"""Doubts that a strict run fails on."""

DIFFERENCES: Final[tuple[Difference, ...]] = get_args(Difference)

_QUOTES = "\"'`“”‘’«»„"
_DECIMAL = re.compile(r"[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?|[+-]?\d+[eE][+-]?\d+", re.ASCII)
_WHOLE_DECIMAL = re.compile(r"([+-]?\d+)\.0*", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
# Small letters, digits and single spaces: labels that differ at all differ in more than case, spaces or punctuation.
_PLAIN_WORDS = re.compile(r"[a-z][a-z0-9_-]*(?: [a-z0-9_-]+)*(?:\n[a-z][a-z0-9_-]*(?: [a-z0-9_-]+)*)*", re.ASCII)
_TAG = re.compile(r"O|[BIESLU]-\S+")
_MARKS = (";", "|", ",")
_A_FEW = 3  # labels; more of them are said before the scores
_FEW = 20  # rows below which a column of distinct values may be no more than a short example


def _without_number(text: str) -> str:
    found = _WHOLE_DECIMAL.fullmatch(text)
    return found[1] if found else text


_REMOVERS: Final[Mapping[Difference, Callable[[str], str]]] = {
    "unicode": lambda text: unicodedata.normalize("NFKC", text).replace("\u200b", "").replace("\ufeff", ""),
    "space": lambda text: " ".join(text.split()),
    "punctuation": lambda text: text.strip(_QUOTES).rstrip(".").strip(_QUOTES),
    "case": str.casefold,
    "number": _without_number,
}


def checked_differences(normalize: str | Iterable[str]) -> tuple[Difference, ...]:
    """Return what labels may differ in, from ``"case,space"`` or a sequence of names, in a fixed order.

    Examples
    --------
    >>> checked_differences("space, case"), checked_differences(())
    (('case', 'space'), ())
    """
    given = [part.strip() for part in normalize.split(",")] if isinstance(normalize, str) else list(normalize)
    for name in given:
        if name not in DIFFERENCES:
            raise InputError.unknown_value("normalize", name, DIFFERENCES)
    return tuple(name for name in DIFFERENCES if name in given)


def normal_form(label: Any, differences: Iterable[Difference]) -> Any:
    """Return a label without what it may differ in; only text changes.

    Examples
    --------
    >>> normal_form(" Yes. ", ("case", "space", "punctuation")), normal_form("1.0", ("number",))
    ('yes', '1')
    """
    if not isinstance(label, str):
        return label
    wanted = frozenset(differences)
    for name, remove in _REMOVERS.items():
        if name in wanted:
            label = remove(label)
    return label


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelUse:
    """The distinct labels of both columns, and how often each is gold and predicted."""

    labels: Sequence[Any]
    actual: Sequence[int | float]
    predicted: Sequence[int | float]
    n_rows: int | None = None

    @property
    def gold(self) -> list[Any]:
        """Labels that occur in gold."""
        return [label for label, times in zip(self.labels, self.actual, strict=True) if times]

    @property
    def pred(self) -> list[Any]:
        """Labels that are predicted."""
        return [label for label, times in zip(self.labels, self.predicted, strict=True) if times]

    @property
    def texts(self) -> list[str]:
        """Labels that are text."""
        return [label for label in self.labels if isinstance(label, str)]

    @classmethod
    def of(cls, counts: ClassCounts) -> LabelUse:
        """Take the labels of counts."""
        return cls(labels=counts.labels, actual=counts.actual, predicted=counts.predicted, n_rows=counts.n_rows)

    def share(self, labels: Iterable[Any], *, of: Sequence[int | float]) -> float:
        """Return which part of the rows some labels have."""
        chosen, total = set(labels), sum(of)
        return (
            sum(times for label, times in zip(self.labels, of, strict=True) if label in chosen) / total if total else 0
        )


def label_doubts(use: LabelUse) -> list[Note]:
    """Return the doubts that the labels themselves raise, the gravest first."""
    texts = use.texts
    if not texts:
        return [note for note in (_like_ids(use),) if note]
    if _PLAIN_WORDS.fullmatch("\n".join(texts)):
        return [note for doubt in (_like_ids, _swapped) if (note := doubt(use))]
    # A doubt about what the columns are explains the smaller ones: those are not said beside it.
    grave = next((note for doubt in (_like_numbers, _like_tags, _like_ids) if (note := doubt(use))), None)
    found = [grave, _swapped(use)] if grave else [_swapped(use), _like_sets(use), _nearly_equal(use)]
    return [note for note in found if note]


class BothScores(Protocol):
    """What has both macro F1s."""

    @property
    def averaged_f1(self) -> float:
        """Mean of the per-class F1 scores."""
        ...

    @property
    def f1_of_averages(self) -> float:
        """Harmonic mean of macro precision and macro recall."""
        ...


def never_in_gold(use: LabelUse, scores: BothScores, rescore: Callable[[], BothScores]) -> Note | None:
    """Doubt predicted labels that are no gold label: each is averaged over with F1 0; `rescore` leaves them out."""
    if not any(times and not gold for gold, times in zip(use.actual, use.predicted, strict=True)) or not any(
        use.actual
    ):
        return None
    strange = [
        label for label, gold, times in zip(use.labels, use.actual, use.predicted, strict=True) if times and not gold
    ]
    share = use.share(strange, of=use.predicted)
    without = rescore()
    occur, count, classes = ("occurs", "counts", "a class") if len(strange) == 1 else ("occur", "count", "classes")
    return Note(
        f"{counted(len(strange), 'predicted label')} ({few_quoted(strange)}; {share:.1%} of the rows) never {occur} in "
        f"gold but {count} as {classes}: averaged F1 is {scores.averaged_f1:.4f} with and {without.averaged_f1:.4f} "
        f"without, F1 of averages {scores.f1_of_averages:.4f} and {without.f1_of_averages:.4f}; list the classes with ",
        Argument("labels"), ", or use ", Argument("classes", "gold"), ".",
        code="never_in_gold" if len(strange) <= _A_FEW else "many_never_in_gold",
    )  # fmt: skip


def few_quoted(labels: Sequence[Any], *, most: int = 4) -> str:
    """Quote a few labels, shortened, and say how many more there are."""
    shown = [repr(label if len(str(label)) <= 40 else f"{str(label)[:37]}…") for label in labels[:most]]
    more = f" and {len(labels) - most:,} more" if len(labels) > most else ""
    return ", ".join(shown) + more


def _like_numbers(use: LabelUse) -> Note | None:
    """Predicted labels that are fractions: probabilities, logits, or whole numbers written with decimals."""
    decimals = [label for label in use.pred if isinstance(label, str) and _DECIMAL.fullmatch(label)]
    if not decimals or use.share(decimals, of=use.predicted) < 0.8:
        return None
    whole = [label for label in decimals if _WHOLE_DECIMAL.fullmatch(label)]
    if len(whole) == len(decimals):
        gold = [label for label in use.gold if isinstance(label, str) and _WHOLE.fullmatch(label)]
        if not gold:
            return None
        return Note(
            f"Gold labels are whole numbers and predicted ones have decimals ({gold[0]!r} and {whole[0]!r}): they are "
            "counted as different classes; ", Argument("normalize", "number"), " counts them as one.",
            code="decimals",
        )  # fmt: skip
    if len(set(use.gold) & set(decimals)) > len(decimals) / 2:
        return None  # gold has the same fractions: they are names of classes
    inside = all(0 <= float(label) <= 1 for label in decimals)
    what = "probabilities" if inside else "logits or scores"
    return Note(
        f"Predicted labels look like {what} ({few_quoted(decimals, most=3)}): each distinct number is counted as a "
        "class of its own; turn them into labels first (a threshold, or argmax).",
        code="probabilities",
    )


def _like_tags(use: LabelUse) -> Note | None:
    """Tags of tokens, counted as classes, O among them."""
    tags = [label for label in use.texts if _TAG.fullmatch(label)]
    if len(tags) < len(use.labels) or not any(tag[:2] in ("I-", "E-", "L-") for tag in tags):
        return None
    return Note(
        f"Labels look like token tags ({few_quoted([tag for tag in tags if tag != 'O'], most=3)}): every token is "
        "scored", ", and O is averaged over as a class" if "O" in tags else "", "; ", Argument("spans", True),
        " scores whole entities.",
        code="tags",
    )  # fmt: skip


def _like_ids(use: LabelUse) -> Note | None:
    """Doubt a column in which nearly every row has a value of its own."""
    if use.n_rows is None or use.n_rows < _FEW:
        return None
    for side, labels in (("gold", use.gold), ("predicted", use.pred)):
        if len(labels) > 0.9 * use.n_rows:
            return Note(
                f"{counted(len(labels), 'distinct label')} in {use.n_rows:,} rows of the {side} column: it looks like "
                "an id or free text; name the right one with ", Argument("gold" if side == "gold" else "pred"), ".",
                code="ids",
            )  # fmt: skip
    return None


def _swapped(use: LabelUse) -> Note | None:
    """Gold with many rare labels that are never predicted, while every predicted label is gold."""
    gold, pred = set(use.gold), set(use.pred)
    if len(gold) < len(pred) + 3 or not pred <= gold:
        return None
    only = [label for label in use.gold if label not in pred]
    if len(only) < 3 or len(only) < len(pred) or use.share(only, of=use.actual) > 0.5:
        return None
    return Note(
        f"{counted(len(only), 'gold label')} ({few_quoted(only, most=3)}) are never predicted, and every predicted "
        "label is gold: if these are answers of a model, the two columns are swapped; name them with ",
        Argument("gold"), " and ", Argument("pred"), ".",
        code="swapped",
    )  # fmt: skip


def _like_sets(use: LabelUse) -> Note | None:
    """Labels that are several labels with a mark between them."""
    known = set(use.texts)
    for mark in _MARKS:
        several = [label for label in use.texts if mark in label]
        parts = {part.strip() for label in several for part in label.split(mark)}
        if several and len(parts) > 1 and (parts & known or len(several) > len(parts)):
            return Note(
                f"Labels such as {several[0]!r} look like several labels in one field, and are counted as classes of "
                "their own; ", Argument("multilabel", mark), " splits them.",
                code="several_labels",
            )  # fmt: skip
    return None


def _nearly_equal(use: LabelUse) -> Note | None:
    """Labels that differ only in case, spaces, Unicode form, quotes or a final period."""
    texts = use.texts
    if len({normal_form(label, DIFFERENCES) for label in texts}) == len(texts):
        return None
    groups: dict[str, list[str]] = {}
    for label in texts:
        groups.setdefault(normal_form(label, DIFFERENCES), []).append(label)
    twins = [group for group in groups.values() if len(group) > 1]
    needed = _needed(twins)
    spell = ascii if "unicode" in needed else repr  # letters that look alike are told apart by their numbers
    first = " and ".join(map(spell, twins[0][:3]))
    many = "" if len(twins) == 1 else f" (and {counted(len(twins) - 1, 'more such group')})"
    parts: list[Part] = [
        f"Labels {first}{many} differ only in {_words(needed)}: they are counted as different classes; ",
        Argument("normalize", ",".join(needed)), " counts them as one.",
    ]  # fmt: skip
    return Note(*parts, code="nearly_equal")


def _needed(twins: Sequence[Sequence[str]]) -> tuple[Difference, ...]:
    """Return the fewest differences, tried one by one, without which the labels are equal."""
    needed = list(DIFFERENCES)
    for name in DIFFERENCES:
        rest = [other for other in needed if other != name]
        if all(len({normal_form(label, rest) for label in group}) == 1 for group in twins):
            needed = rest
    return tuple(needed)


_WORDS: Final[Mapping[Difference, str]] = {
    "case": "case", "space": "spaces", "unicode": "Unicode form", "punctuation": "quotes or a final period",
    "number": "how a number is written",
}  # fmt: skip


def _words(differences: Sequence[Difference]) -> str:
    words = [_WORDS[name] for name in differences]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
