"""What systems call macro F1, and which definitions give a number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from macrof1.catalogue.reader import NamedConvention
from macrof1.errors import counted
from macrof1.reporting.as_text import machine_number, shown_digits
from macrof1.reporting.document import Document, Part, Sentences, Table
from macrof1.scoring.definitions import CLASS_SET_WORDS, UNDEFINED_WORDS
from macrof1.scoring.identification import IdentifyResult, IdentifyTableResult
from macrof1.scoring.system_scores import MEASURE_NAMES, ScoreConventionsResult

_EVIDENCE = {
    "run": "checked against the library itself",
    "recorded": "checked against its recorded output",
    "read": "read from its source",
}
# A mark follows names that are not tested against the library itself.
_MARKS = {"recorded": "†", "read": "*"}


def catalogue_document(known: Sequence[NamedConvention]) -> Document:
    """Return the table of conventions itself, with a source for every row."""
    evidence = {row.evidence for row in known}
    legend = [
        *(f"classes {name}: {text}." for name, text in CLASS_SET_WORDS.items()),
        *(f"undefined {name}: {text}." for name, text in UNDEFINED_WORDS.items()),
        *(f"evidence {name}: {text}." for name, text in _EVIDENCE.items() if name in evidence),
    ]
    header = ["convention", "formula", "over", "undefined", "evidence"]
    rules, described = [], []
    for row in known:
        formula = re.split(r" alone| \(| where", MEASURE_NAMES[row.formula])[0]  # a sentence below says the rest
        empty = "" if row.empty is None else f", empty {row.empty}"
        rules.append([row.name, formula, row.over or row.classes, f"{row.undefined}{empty}", row.evidence])
        versions = f" ({row.versions})" if row.versions else ""
        described.append(f"{row.name}: {row.system}{versions}{f'; {row.note}' if row.note else ''} {row.source}")

    def records(_: str) -> Table:
        rows = [row.to_dict() for row in known]
        shown = [[" ".join(map(str, v)) if isinstance(v, list) else str(v) for v in row.values()] for row in rows]
        return Table(list(rows[0]), shown)

    return Document(
        title="What real systems call macro F1",
        parts=lambda: [
            Table(header, rules, n_text=len(header)),
            Sentences(items=legend),
            Sentences(items=described, most=len(described)),
        ],
        data=lambda: [row.to_dict() for row in known],
        records=records,
    )


def conventions_table(result: ScoreConventionsResult, digits: int) -> Table:
    """Return every value with the systems that print it, grouped by the reason."""
    rows = []
    for value, members in result.groups:
        by_reason: dict[str, list[str]] = {}
        for score in members:
            mark = _MARKS.get(score.known.evidence, "") + (" ←" if score.prints_it else "")
            by_reason.setdefault(score.reason, []).append(score.known.name + mark)
        rows += [[_value(value, digits), ", ".join(names), reason] for reason, names in by_reason.items()]
    return Table(["macro F1", "printed by", "because"], rows, n_text=3, words=2)


def _value(value: float | None, digits: int) -> str:
    return "undefined" if value is None else f"{value:.{digits}f}"


def conventions_document(result: ScoreConventionsResult, *, digits: int | None = None) -> Document:
    """Return what each system would print for the same predictions, and why they differ."""
    places = shown_digits(digits)

    def parts() -> list[Part]:
        distinct = len({_value(value, places) for value, _ in result.groups})
        numbers = "the same number" if distinct == 1 else f"{distinct} different numbers"
        head = f"{counted(len(result.scores), 'convention')}, {numbers} for the same predictions"
        seen = {score.known.evidence for score in result.scores}
        marks = [f"{mark} {_EVIDENCE[evidence]}" for evidence, mark in _MARKS.items() if evidence in seen]
        known = "; ".join([*marks, "the others are checked against the library itself"])
        sentences = [Sentences(items=[note], flowing=True) for note in (f"{known}.", *result.notes)]
        return [Sentences(items=[head]), conventions_table(result, places), *sentences]

    def records(_: str) -> Table:
        rows = []
        for score in result.scores:
            known, rules = score.known, score.known.convention
            row = [known.name, known.system, machine_number(digits)(score.value), known.formula, rules.classes]
            row += [str(rules.undefined), str(score.n_classes), known.evidence, known.source]
            rows.append(row if score.prints_it is None else [*row, str(score.prints_it).lower()])
        header = ["name", "system", "value", "formula", "classes", "undefined", "n_classes", "evidence", "source"]
        marked = any(score.prints_it is not None for score in result.scores)
        return Table([*header, *(["prints_it"] if marked else [])], rows)

    return Document(
        title="What real systems call macro F1",
        parts=parts,
        data=result.to_dict,
        records=records,
        notes=lambda: result.notes,
    )


# A number of two decimals is printed by dozens of definitions.
_MOST_SHOWN = 10


def identified_number(result: IdentifyResult) -> Document:
    """Return the definitions that print a number, grouped by value, the nearest others, and how they differ."""
    matches = [("prints it", match) for match in result.matches]
    nearest = [("nearest", match) for match in result.nearest]
    each, n_more = matches + nearest, len(matches) - _MOST_SHOWN
    shown = matches[:_MOST_SHOWN] + nearest
    rows = [[kind, f"{match.value:.6f}", match.words, match.definition] for kind, match in shown]
    table = Table(["", "value", "what it is", "definition"], rows, n_text=4, words=2)
    told = [*result.notes, result.summary]
    if n_more > 0:
        told.append(f"The {_MOST_SHOWN} most common are listed, of {len(matches)}; JSON and CSV have them all.")
    records = [[kind, repr(match.value), match.definition, match.words, match.reading or ""] for kind, match in each]
    return Document(
        title=f"Definitions that print {result.value}",
        parts=lambda: [Sentences(items=told, flowing=True), table],
        data=result.to_dict,
        records=lambda _: Table(["kind", "value", "definition", "words", "reading"], records),
        notes=lambda: [*result.notes, result.summary],
    )


def identified_table(result: IdentifyTableResult) -> Document:
    """Return one row per system: its macro F1, how many definitions print it, and the one that fits most rows."""
    rows, shares = [], result.definitions
    for row in result.rows:
        if row.result is None:
            rows.append([row.name, "", "", row.note, ""])
            continue
        matches = row.result.matches
        # Of those that fit equally many rows, the plainest comes first.
        first = max(matches, key=lambda match: shares[match.definition]) if matches else row.result.nearest[0]
        told = first.words if matches else f"none; nearest: {first.words}"
        rows.append([row.name, row.result.value, str(len(matches)), told, first.definition if matches else ""])
    table = Table(["system", "macro F1", "definitions", "what it is", "definition"], rows, n_text=5, words=3)
    return Document(
        title="Definitions that print the macro F1 of every row",
        parts=lambda: [Sentences(items=[result.summary], flowing=True), table],
        data=result.to_dict,
        records=lambda _: table,
        notes=lambda: [result.summary],
    )
