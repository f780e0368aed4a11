"""Warnings about labels, given before a number misleads: what was seen, its effect, and the option that changes it.

Labels of gold and predicted columns that have none in common are refused: they are rarely the intended columns.

Every check looks at the distinct labels and their counts, never at rows, so it costs next to nothing. Labels that
are numbers, booleans or objects raise few doubts; text raises most.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, get_args

from macrof1.counts import AnyCounts, ClassCounts, class_counts_of
from macrof1.errors import InputError, LabelError, counted
from macrof1.labels import Label, label_key, tags_hint
from macrof1.message import Argument, Message, Note, Part
from macrof1.reading.crosstabs import is_total

Difference: TypeAlias = Literal["case", "space", "unicode", "punctuation", "number", "extract"]
"""Differences between labels that may be ignored; the last is all that stands around a class in an answer."""

GRAVE: Final = frozenset((
    "no_common_label", "many_never_in_gold", "probabilities", "vectors", "decimals", "tags", "ids", "swapped",
    "ignored_label", "unused_counts", "empty_units", "incomplete_log", "normalized_matrix",
))  # fmt: skip
"""Doubts that are shown before the scores."""

DOUBTS: Final = GRAVE | {
    "never_in_gold", "nearly_equal", "several_labels", "malformed_spans", "repeated_spans", "repeated_ids",
    "repeated_items", "repeated_rows", "totals", "missing_as_text", "matrix_order", "labels_outside", "answers_dropped",
}  # fmt: skip
"""Doubts that make a strict run fail."""

DIFFERENCES: Final[tuple[Difference, ...]] = get_args(Difference)[:-1]

# Characters that people and models put around an answer, and after it.
_AROUND = "\"'`´“”‘’‚„«»‹›()[]{}<>*"
_AFTER = _AROUND + ".,:;!?。、，：；！？…"
# An exponent, a percent sign, or a decimal comma with two places: "1,2" may be two labels.
_DECIMAL = re.compile(
    r"[+-]?(?:(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d*,\d\d+|(?:\d+[.,])?\d+ ?(?=%))%?", re.ASCII
)
_WHOLE_DECIMAL = re.compile(r"[+-]?\d+\.0*", re.ASCII)
_WRITTEN_NUMBER = re.compile(r"([+−-]?)0*(\d+)(?:\.0*)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_WHOLE_NUMBER = re.compile(r"[+-]?\d+(?:\.0*)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_NUMBERED = re.compile(r"(?:label|class|LABEL|CLASS)[_ -]?\d+", re.ASCII)
_NAME = re.compile(r"[^\W\d_]\w*(?:[ -]\w+)*|[+-]?\d+(?:\.0*)?")  # words, or numbers, beside LABEL_0
_VECTOR = re.compile(
    r"[\[(]\s*[+-]?[\d.][\d.eE+-]*(?:(?:\s*[,;]\s*|\s+)[+-]?[\d.][\d.eE+-]*)+\s*[\])]|[01](?:[ ,;][01])+"
)
# Quoted labels in brackets, or several without quotes; an object of JSON has a colon after a quoted name.
_LIST = re.compile(
    r"""[\[({]\s*(['"])(?!\w+\1\s*:).*\1\s*[\])}]|\[\s*\]|[\[{]\s*[^\W\d][^'":,;|]*(?:[,;|][^'":,;|]+)+[\]}]"""
)
# Plain words with at most single separators between them: near-duplicates can differ only in case, and none are
# numbers, tags or lists.
_PLAIN = "(?:[A-Za-z][A-Za-z0-9]+(?:[ _-][A-Za-z0-9]+)*|[A-Za-z])"
_PLAIN_WORDS = re.compile(rf"{_PLAIN}(?:\n{_PLAIN})*")
_TAG = re.compile(r"O|([BIESLU])[-_](\S+)", re.IGNORECASE)
_TOKENS = re.compile(r"""[^\s,;|'"\[\]()]+""")
_BARE_TAGS, _TAG_LETTERS = frozenset("BIO"), frozenset("BIOESLUM")
_MARKS = (";", "|", ",", "/", "+", "&")
# Missing values as programs write them; "NA" and "None" are often names of classes.
_MISSING = frozenset(("nan", "NaN", "NAN", "<NA>", "NaT", "null", "NULL", "#N/A"))
_A_FEW = 3  # labels; if there are more, the doubt comes before the scores
_FEW = 20  # rows; with fewer, a column of distinct values may just be a short example
_ID_SHARE = 0.9  # of a column's rows: with more distinct values, they are not classes
_MOST = 0.75  # of a column's rows: how they look decides what the column is


def _without_number(text: str) -> str:
    """Return an integer without decimals, leading zeros and plus sign."""
    found = _WRITTEN_NUMBER.fullmatch(text)
    if not found:
        return text
    return found[2] if found[1] in ("", "+") or found[2] == "0" else f"-{found[2]}"


def _without_form(text: str) -> str:
    """Compose characters, and drop invisible ones: joiners, direction marks, soft hyphens."""
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFKC", text)
    return "".join(x for x in letters if unicodedata.category(x) != "Cf" and not "\ufe00" <= x <= "\ufe0f")


_REMOVERS: Final[Mapping[Difference, Callable[[str], str]]] = {
    "unicode": _without_form,
    "space": lambda text: " ".join(text.split()),
    "punctuation": lambda text: text.lstrip(_AROUND).rstrip(_AFTER) or text,
    "case": lambda text: text.casefold().replace("i\u0307", "i"),  # the Turkish İ
    "number": _without_number,
}


def checked_differences(normalize: str | Iterable[str], *, extract: bool = False) -> tuple[Difference, ...]:
    """Return the differences to ignore, from ``"case,space"`` or a sequence of names, in a fixed order."""
    if isinstance(normalize, str):
        normalize = normalize.split(",") if normalize else ()
    parts = InputError.listed("normalize", () if normalize is None else normalize)
    given = [part.strip() if isinstance(part, str) else part for part in parts]
    for name in given:
        if not isinstance(name, str) or name not in get_args(Difference):
            raise InputError.unknown_value("normalize", name, DIFFERENCES)
    return tuple(name for name in get_args(Difference) if name in given or (extract and name == "extract"))


def normal_form(label: Any, differences: Iterable[Difference]) -> Any:
    """Return a label without the differences to ignore; only text changes."""
    if not isinstance(label, str):
        return label
    wanted, before = frozenset(differences), None
    while label != before:  # "a ." loses its full stop, and then its space
        before = label
        for name, remove in _REMOVERS.items():  # in this order
            label = remove(label) if name in wanted else label
    return label


def label_doubts(counts: ClassCounts, *, all_met: bool = False) -> list[Note]:
    """Return the doubts raised by the labels themselves, most serious first; `all_met`: no label is always wrong."""
    labels: Sequence[Any] = counts.labels
    try:
        sum(labels)  # the fastest way to tell that all are numbers: text cannot be added to them
        texts = []
    except TypeError:
        texts = [label for label in labels if isinstance(label, str)]
        others = labels if len(texts) < len(labels) else ()
        sentences = [label for label in others if isinstance(label, tuple) and tags_hint(label)]
        if sentences:
            return [_tag_note(sentences, outside=False, what="sentence as one class")]
    if counts.task == "spans":
        return _found(_nearly_equal(texts, "give both sides the same names."))
    if counts.task == "multilabel":
        # Most labels may be rare here, and many never predicted: neither suggests an id or swapped columns.
        grave = _ignored(counts, texts) or _like_numbers(counts) or _like_vectors(counts) or _like_tags(counts)
        return [grave] if grave else _found(_like_sets(texts), _nearly_equal(texts), _unlike_types(labels))
    ids = _like_ids(counts, counts.n_rows) if counts.n_rows and len(labels) > _ID_SHARE * counts.n_rows else None
    columns = _found(ids) if all_met else _found(_ignored(counts, texts), ids, _swapped(counts))
    columns += _found(_unlike_types(labels))
    if not texts:
        return columns
    if not _MISSING.isdisjoint(texts):
        missing = [label for label in texts if label in _MISSING]
        label = f"The label {missing[0]!r} ({_share(counts, missing, counts.actual):.1%} of gold)"
        text = f"{label} looks like a missing value, and is counted as a class: leave the field empty where a label is "
        columns.append(Note(text, "missing.", code="missing_as_text"))
    for label in filter(is_total, texts if 2 < len(labels) < 1000 else ()):  # as a table of counts may have
        if any(2 * side[labels.index(label)] == sum(side) for side in (counts.actual, counts.predicted)):
            text = f"The class {label!r} has as many rows as all others together: if it holds totals, leave them out."
            columns.append(Note(text, code="totals"))
    joined = "\n".join(texts)
    if len(texts) <= len(_TAG_LETTERS) and _BARE_TAGS <= set(texts) <= _TAG_LETTERS:
        return [_tag_note(sorted(texts)), *columns]
    if _PLAIN_WORDS.fullmatch(joined):
        twins = len(set(joined.lower().split("\n"))) < len(texts)
        return [*columns, *_found(_nearly_equal(texts) if twins else None)]
    # A doubt about what the columns are explains the smaller ones, which are then left out.
    grave = _like_numbers(counts) or _like_vectors(counts) or _like_tags(counts)
    if grave:
        return [grave, *(note for note in columns if note.code == "swapped")]
    return columns if ids else [*columns, *_found(_like_sets(texts), _nearly_equal(texts))]


def _found(*notes: Note | None) -> list[Note]:
    return [note for note in notes if note]


def _of_side(labels: Sequence[Any], times: Sequence[int | float]) -> list[Any]:
    return [label for label, n in zip(labels, times, strict=True) if n]


def _share(counts: ClassCounts, chosen: Iterable[Any], times: Sequence[int | float]) -> float:
    wanted, total = set(chosen), sum(times)
    found = sum(n for label, n in zip(counts.labels, times, strict=True) if label in wanted)
    return found / (total or 1)


def no_common_label(counts: ClassCounts) -> Note | None:
    """Flag columns that share no label: LABEL_0 and 0, True and 1, or columns that hold something else."""
    if not any(counts.actual) or not any(counts.predicted) or any(map(min, counts.actual, counts.predicted)):
        return None
    gold = _of_side(counts.labels, counts.actual)
    return Note(
        f"No predicted label ({few_quoted(_strange(counts))}) occurs in gold ({few_quoted(gold)}): both scores are 0; "
        "give both columns the same names of classes, or name the columns with ", Argument("gold"), " and ",
        Argument("pred"), ".",
        code="no_common_label",
    )  # fmt: skip


def _strange(counts: ClassCounts) -> list[Any]:
    return _of_side(counts.labels, [n and not gold for gold, n in zip(counts.actual, counts.predicted, strict=True)])


def never_in_gold(counts: ClassCounts, scores: Any, rescore: Callable[[], Any]) -> Note | None:
    """Flag predicted labels that do not occur in gold: each is averaged over with F1 0; `rescore` leaves them out."""
    if 0 not in counts.actual or not any(counts.actual):
        return None
    strange = _strange(counts)
    if not strange:
        return None
    share = _share(counts, strange, counts.predicted)
    without = rescore()
    of = {"multiclass": "the rows", "multilabel": "all predicted ones", "spans": "the predicted entities"}[counts.task]
    listed: tuple[Part, ...] = ("list the classes with ", Argument("labels"), ", or use ")
    occur, count, classes = ("occurs", "counts", "a class") if len(strange) == 1 else ("occur", "count", "classes")
    return Note(
        f"{counted(len(strange), 'predicted label')} ({few_quoted(strange)}; {share:.1%} of {of}) never {occur} in "
        f"gold but {count} as {classes}: averaged F1 is {scores.averaged_f1:.4f} with and {without.averaged_f1:.4f} "
        f"without, F1 of averages {scores.f1_of_averages:.4f} and {without.f1_of_averages:.4f}; ",
        *(listed if counts.n_listed is None else ("use ",)), Argument("classes", "gold"), ".",
        code="never_in_gold" if len(strange) <= _A_FEW else "many_never_in_gold",
    )  # fmt: skip


def few_quoted(labels: Sequence[Any], *, most: int = 4) -> str:
    """Quote a few labels, abbreviated, and say how many more there are."""
    shown = [repr(label if len(str(label)) <= 40 else f"{str(label)[:37]}…") for label in labels[:most]]
    more = f" and {len(labels) - most:,} more" if len(labels) > most else ""
    return ", ".join(shown) + more


def _mostly(counts: ClassCounts, pattern: re.Pattern[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the labels of a side that look alike, if they are those of most of its rows."""
    for side, times in (("Predicted", counts.predicted), ("Gold", counts.actual)):
        labels = _of_side(counts.labels, times)
        alike = [label for label in labels if isinstance(label, str) and pattern.fullmatch(label)]
        if alike and _share(counts, alike, times) >= _MOST:
            yield side, alike


def _like_numbers(counts: ClassCounts) -> Note | None:
    """Flag labels that are fractions: probabilities, logits, percentages, or integers written with decimals."""
    for side, decimals in _mostly(counts, _DECIMAL):
        other = _of_side(counts.labels, counts.actual if side == "Predicted" else counts.predicted)
        if all(map(_WHOLE_DECIMAL.fullmatch, decimals)):
            whole = [label for label in other if isinstance(label, str) and _WHOLE.fullmatch(label)]
            if not whole:
                continue
            return Note(
                f"{side} labels have decimals and the others are whole numbers ({decimals[0]!r} and {whole[0]!r}): "
                "they are counted as different classes; ", Argument("normalize", "number"), " counts them as one.",
                code="decimals",
            )  # fmt: skip
        if len(set(other) & set(decimals)) > len(decimals) / 2:
            continue  # the other side has the same fractions: they are class names
        values = [float(label.rstrip("% ").replace(",", ".")) for label in decimals]
        inside = all(0 <= value <= (100 if "%" in decimals[0] else 1) for value in values)
        return Note(
            f"{side} labels look like {'probabilities' if inside else 'logits or scores'} "
            f"({few_quoted(decimals, most=3)}): each distinct number is counted as a class of its own; turn them into "
            "labels first (a threshold, or argmax).",
            code="probabilities",
        )
    return None


def _like_vectors(counts: ClassCounts) -> Note | None:
    """Flag lists of numbers, as text or as sets: one-hot codes, indicators, or the probabilities of all classes."""
    zeros = counts.n_rows and min(counts.actual[0], counts.predicted[0]) > _MOST * counts.n_rows
    if counts.task == "multilabel" and zeros and counts.labels in ((0, 1), ("0", "1")) and counts.n_listed is None:
        seen = "Rows look like vectors of 0 and 1, and each is counted as the set of these two labels; "
        return Note(seen, "give lists of the labels that apply, or in Python indicator matrices.", code="vectors")
    for side, vectors in _mostly(counts, _VECTOR):
        ones = all(re.findall(r"[\d.]+", label).count("1") == 1 and "." not in label for label in vectors)
        if ones and all(map(_VECTOR.fullmatch, map(str, counts.labels))):
            continue  # one-hot codes on both sides are class names
        return Note(
            f"{side} labels look like lists of numbers ({few_quoted(vectors, most=2)}): each distinct list is counted "
            "as a class of its own; give the class of the largest number, or, for several labels per row, indicator "
            "matrices or lists of labels.",
            code="vectors",
        )
    return None


def _like_tags(counts: ClassCounts) -> Note | None:
    words = [(label, _TOKENS.findall(label)) for label in counts.labels if isinstance(label, str)]
    sentences = [label for label, tags in words if len(tags) > 1 and all(map(_TAG.fullmatch, tags))]
    if len(sentences) >= _MOST * len(counts.labels):
        return _tag_note(sentences, outside=False, what="sentence as one class")
    tags = [(label, found) for label in counts.labels if isinstance(label, str) and (found := _TAG.fullmatch(label))]
    outside = any(found[2] is None for _, found in tags)
    kinds = Counter(found[2] for _, found in tags if found[2])
    inner = [found[2] for _, found in tags if found[1] and found[1] in "IELiel"]
    short = outside and len(kinds) > 1 and len(tags) == len(counts.labels)  # entities of one token have B alone
    if len(tags) < _MOST * len(counts.labels) or not (short or any(outside or kinds[kind] > 1 for kind in inner)):
        return None
    what = "sentence, as a set of tags," if counts.task == "multilabel" else "token"
    return _tag_note([label for label, found in tags if found[2]], outside=outside, what=what)


class _CountSpans(Argument):
    """The option of files that scores entities; in Python, labels in memory have a call for it."""

    __slots__ = ()

    def __str__(self) -> str:
        return "macrof1.count_spans (for a file, spans=True)"


def _tag_note(tags: Sequence[Any], *, outside: bool = True, what: str = "token") -> Note:
    return Note(
        f"Labels look like token tags ({few_quoted(tags, most=3)}): every {what} is "
        "scored", ", and O is averaged over as a class" if outside else "", "; ", _CountSpans("spans", True),
        " scores whole entities.",
        code="tags",
    )  # fmt: skip


def _ignored(counts: ClassCounts, texts: Sequence[str]) -> Note | None:
    """Flag -100, which training code uses for positions that are not scored."""
    labels = counts.labels
    label: Label | None = -100 if -100 in labels else "-100" if "-100" in texts else None
    if label is None or not counts.actual[at := labels.index(label)] or counts.predicted[at]:
        return None
    share = _share(counts, [label], counts.actual)
    return Note(
        f"The gold label {label!r} ({share:.1%} of the rows) usually marks what is not to be scored: it is counted "
        "as a class, and what is predicted there as errors; leave these rows out.",
        code="ignored_label",
    )


def _like_ids(counts: ClassCounts, n_rows: int) -> Note | None:
    if n_rows < _FEW:
        return None
    for argument, times in (("gold", counts.actual), ("pred", counts.predicted)):
        n_labels = sum(map(bool, times))
        if n_labels > _ID_SHARE * n_rows:
            side = "gold" if argument == "gold" else "predicted"
            return Note(
                f"{counted(n_labels, 'distinct label')} in {n_rows:,} rows of the {side} column: it looks like an id "
                "or free text; name the right one with ", Argument(argument), ".",
                code="ids",
            )  # fmt: skip
    return None


def _swapped(counts: ClassCounts) -> Note | None:
    """Flag gold with many rare labels that are never predicted, while every predicted label is gold."""
    if 0 not in counts.predicted or 0 in counts.actual:
        return None
    pred = _of_side(counts.labels, counts.predicted)
    only = [label for label, times in zip(counts.labels, counts.predicted, strict=True) if not times]
    if len(only) < max(3, len(pred)) or _share(counts, only, counts.actual) > 0.5:
        return None
    return Note(
        f"{counted(len(only), 'gold label')} ({few_quoted(only, most=3)}) are never predicted, and every predicted "
        "label is gold: if these are answers of a model, the two columns are swapped; name them with ",
        Argument("gold"), " and ", Argument("pred"), ".",
        code="swapped",
    )  # fmt: skip


def _like_sets(texts: Sequence[str]) -> Note | None:
    """Flag labels that combine several labels, with a separator between them or as a list."""
    known = set(texts)
    for mark in _MARKS:
        several = [label for label in texts if mark in label.strip(mark)]
        parts = {part.strip() for label in several for part in label.split(mark)}
        few = len(several) > len(parts) and mark in _MARKS[:3]
        if several and len(parts) > 1 and (parts & known or few):
            return _several(several, Argument("multilabel", mark), " splits them.")
    lists = [label for label in texts if _LIST.fullmatch(label)]
    return _several(lists, "give lists (JSON, Parquet) instead of their text.") if lists else None


def _several(labels: Sequence[str], *advice: Part) -> Note:
    return Note(
        f"Labels such as {few_quoted(labels, most=1)} look like several labels in one field, and are counted as "
        "classes of their own; ", *advice,
        code="several_labels",
    )  # fmt: skip


def _nearly_equal(texts: Sequence[str], *advice: Part) -> Note | None:
    """Flag labels that differ only in case, spaces, Unicode form, quotes, brackets or final punctuation."""
    groups: dict[str, list[str]] = {}
    for label in texts:
        groups.setdefault(normal_form(label, DIFFERENCES), []).append(label)
    twins = [group for group in groups.values() if len(group) > 1]
    if not twins:
        return None
    # The fewest differences, tried one by one, that must be ignored to make the labels equal.
    needed = list(DIFFERENCES)
    for name in DIFFERENCES:
        rest = [other for other in needed if other != name]
        if all(len({normal_form(label, rest) for label in group}) == 1 for group in twins):
            needed = rest
    spell = ascii if "unicode" in needed else repr  # code points distinguish letters that look alike
    shown = [spell(label).replace(" ", "␣") if "space" in needed else spell(label) for label in twins[0][:3]]
    many = "" if len(twins) == 1 else f" (and {counted(len(twins) - 1, 'more such group')})"
    words = [_WORDS[name] for name in needed]
    what = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
    return Note(
        f"Labels {' and '.join(shown)}{many} differ only in {what}: they are counted as different classes; ",
        *(advice or (Argument("normalize", ",".join(needed)), " counts them as one.")),
        code="nearly_equal",
    )  # fmt: skip


def _unlike_types(labels: Sequence[Any]) -> Note | None:
    """Flag labels that read the same, but differ in type: 1, 1.0, True and "1" are different classes."""
    texts: dict[str, Any] = {}
    for label in labels if len(set(map(type, labels))) > 1 else ():
        other = texts.setdefault(str(int(label)) if isinstance(label, float | bool) else str(label), label)
        if other is not label:
            text = f"Labels {other!r} and {label!r} differ only in type: they are counted as different classes; "
            return Note(text, "give all labels one type.", code="nearly_equal")
    return None


_WORDS: Final[Mapping[Difference, str]] = {
    "case": "case", "space": "spaces", "unicode": "Unicode form", "punctuation": "quotes, brackets or final marks",
    "number": "how a number is written",
}  # fmt: skip


def check_that_labels_meet(counts: AnyCounts) -> None:
    """Reject gold and predicted labels that have none in common, and name the likely cause."""
    tallied = class_counts_of(counts)
    if not tallied.all_wrong or tallied.n_listed is not None or tallied.over is not None:
        return
    gold, pred = (_of_side(tallied.labels, column) for column in (tallied.actual, tallied.predicted))
    # A single label may be a constant answer, and few rows may all be wrong.
    if min(len(gold), len(pred)) < 2 or not set(map(label_key, gold)).isdisjoint(map(label_key, pred)):
        return
    hint = _spelling(gold, pred) or _naming(gold, pred)
    if hint is None and (tallied.n_rows or sum(tallied.actual)) >= _FEW:
        scores = all(_NUMBER.fullmatch(str(label)) and not _WHOLE_NUMBER.fullmatch(str(label)) for label in pred)
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
    for pattern, what in ((_NUMBERED, "those of a model without class names (id2label)"), (_WHOLE_NUMBER, "numbers")):
        for side, labels, others in (("gold", gold, pred), ("predicted", pred, gold)):
            names = all(map(_NAME.fullmatch, map(str, others))) and not any(map(pattern.fullmatch, map(str, others)))
            if names and all(map(pattern.fullmatch, map(str, labels))):
                return Message(f"the {side} labels are {what}: map them to those of the other side")
    return None
