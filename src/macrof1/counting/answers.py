"""The class that a free-text answer names: in JSON, after a mark such as "Answer:", in brackets, or at the start.

A class named in passing ("this is not spam") is not taken for the answer. Where several places name different classes,
none is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from macrof1.labels import label_key

# Fields of JSON that hold the answer, the likeliest first; without any of them, the only class among all values counts.
_FIELDS: Final = (
    "final_answer", "answer", "label", "class", "category", "prediction", "predicted_label", "choice", "option",
    "classification", "sentiment", "verdict", "output", "result",
)  # fmt: skip
# "Answer: B", "the correct answer is (B)", "Label = spam", "#### 42", "\boxed{B}", "<answer>B</answer>".
_MARK: Final = re.compile(
    r"\b(?:answer|label|class|category|choice|option|prediction|classification|sentiment|verdict)\W{0,3}[:=：]"
    r"|\b(?:answer|choice|option|label|prediction|verdict) (?:is|would be|should be)\b:?"
    r"|####|\\boxed|<(?:answer|label|class|category|choice)>",
    re.IGNORECASE,
)
_BEFORE: Final = "\\s\"'`´“”‘’«»(\\[{<*_"
_BRACKETED: Final = re.compile(r"\(([^()]+)\)|\[([^\[\]]+)\]|\*\*([^*]+)\*\*")


def answer_reader(classes: Iterable[Any], form: Callable[[Any], Any]) -> Callable[[Any], Any]:
    r"""Return a function that reads the class out of an answer; None if it names none. `form` makes labels comparable.

    Examples
    --------
    >>> read = answer_reader(["A", "B", "not spam", "spam"], lambda label: label)
    >>> read("The answer is (B)."), read('```json\n{"label": "spam"}\n```'), read("Answer: not spam"), read("A or B")
    ('B', 'spam', 'not spam', None)
    """
    known = {label_key(label): label for label in classes if label is not None}
    names: dict[str, Any] = {}
    for label in known.values():
        text = str(form(str(label)))
        names[text] = None if text in names else label  # 1 and "1" are the same text
    listed = "|".join(map(re.escape, sorted(filter(None, names), key=len, reverse=True))) or "(?!)"
    first = re.compile(rf"[{_BEFORE}]*(?:(?i:option|choice|class|category|label)\s+)?({listed})(?!\w|['’]\w|[.,]\d)")
    another = re.compile(rf"\W{{0,3}}(?:(?:or|and)\b|[,/|&])\W*(?:{listed})(?!\w)")

    def at_start(text: str, end: str = "") -> Any:
        found = first.match(text)
        if not found or another.match(text, found.end()) or not re.match(end, text[found.end() :]):
            return None
        return names[found[1]]

    def in_text(text: str) -> Any:
        text = "\n".join(str(form(line)) for line in text.strip().splitlines())
        if text in names:
            return names[text]
        marks = list(_MARK.finditer(text))
        if marks:  # what follows the last one is the answer, or there is none
            return at_start(text[marks[-1].end() :])
        inside = {"".join(groups).strip() for groups in _BRACKETED.findall(text)} & names.keys()
        if inside:
            return names[inside.pop()] if len(inside) == 1 else None
        return at_start(text, r"\W*$|[.,)]|\s*\n")

    def in_value(value: Any) -> Any:
        if isinstance(value, str):
            return in_text(value)
        texts = map(form, (str(value), json.dumps(value)))  # True is true in JSON
        return next((names[text] for text in texts if text in names), None)

    def read(answer: Any) -> Any:
        if label_key(answer) in known:
            return known[label_key(answer)]
        objects = list(_objects(answer)) if isinstance(answer, str) else []
        fields = list(_fields(objects[-1])) if objects else []
        told = [value for wanted in _FIELDS for name, value in fields if name.lower().replace(" ", "_") == wanted]
        if told:
            return in_value(told[0])
        found = {label_key(label): label for label in (in_value(value) for _, value in fields) if label is not None}
        if found:
            return next(iter(found.values())) if len(found) == 1 else None
        return in_value(answer)

    return read


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text, whatever stands around them."""
    at, decoder = text.find("{"), json.JSONDecoder()
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield found
        at = text.find("{", end)


def _fields(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the plain values of an object and of those inside it, with the name of the field that holds each."""
    for key, inner in value.items() if isinstance(value, dict) else ((name, each) for each in value):
        if isinstance(inner, dict | list):
            yield from _fields(inner, key)
        else:
            yield key, inner
