"""A document for any result, made of the fields of its `to_dict`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from macrof1.reporting.document import Document, Fact, Facts, Part, Sentences, Table
from macrof1.result import Result

_MOST_ITEMS = 40
_WORDS = (("averaged_f1", "averaged F1"), ("f1_of_averages", "F1 of averages"), ("mcc", "MCC"), ("_f1", " F1"))


def any_document(result: Result) -> Document:
    """Return the fields of a result: numbers and words by name, lists of records as tables, notes as sentences.

    Examples
    --------
    >>> import macrof1
    >>> found = any_document(macrof1.score(["a", "b"], ["a", "a"]).interval())
    >>> found.title, found.parts()[0].rows[0].name
    ('Interval', 'estimate')
    """
    words = re.findall(r"[A-Z][a-z0-9]*", type(result).__name__.removesuffix("Result"))
    content = result.to_dict()
    tables = {name: value for name, value in content.items() if _is_records(value)}
    facts = {name: value for name, value in content.items() if name not in tables and name != "notes"}

    def parts() -> list[Part]:
        rows = [Fact(_name(key), _value(value)) for key, value in facts.items() if value not in (None, [], {}, "")]
        return [
            Facts(rows=rows),
            Sentences(items=content.get("notes") or []),
            *(_records_table(_name(name), value) for name, value in tables.items()),
        ]

    return Document(
        title=" ".join(words).capitalize(),
        parts=parts,
        data=lambda: content,
        records=lambda _: Table(["field", "value"], [[key, str(value)] for key, value in facts.items()]),
        notes=lambda: content.get("notes") or [],
    )


def _name(key: str) -> str:
    for known, word in _WORDS:
        key = key.replace(known, word)
    return key.replace("_", " ").strip()


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, Mapping) for row in value)


def _records_table(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    # Columns of words first, so that they are aligned as words.
    keys = list(dict.fromkeys(key for row in rows for key in row))
    texts = [key for key in keys if any(isinstance(row.get(key), str) for row in rows)]
    columns = [*texts, *(key for key in keys if key not in texts)]
    cells = [[_value(row.get(key)) for key in columns] for row in rows]
    return Table([_name(key) for key in columns], cells, n_text=len(texts), title=title.capitalize())


def _value(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 1e6 else f"{value:.6g}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return "; ".join(f"{_name(str(key))}: {_value(inner)}" for key, inner in list(value.items())[:_MOST_ITEMS])
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_value, value[:_MOST_ITEMS])) + (" …" if len(value) > _MOST_ITEMS else "")
    return str(value)
