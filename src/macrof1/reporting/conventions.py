"""What each system would call macro F1, in every output format."""

from __future__ import annotations

import re
from collections.abc import Sequence

from macrof1.catalogue.reader import NamedConvention
from macrof1.errors import counted
from macrof1.reporting.lines import paragraphs, printable, wrapped
from macrof1.reporting.table import OutputFormat, Table, json_text, machine_number, markdown_text, shown_digits
from macrof1.scoring.systems import CLASS_SET_WORDS, MEASURE_NAMES, UNDEFINED_WORDS, ScoreConventionsResult

_EVIDENCE = {
    "run": "checked against the library itself",
    "recorded": "checked against its recorded output",
    "read": "read from its source",
}
# In text, a mark follows names that are not tested against the library itself.
_MARKS = {"recorded": "†", "read": "*"}


def render_catalogue(known: Sequence[NamedConvention], output: OutputFormat = "text") -> str:
    """Print the table of conventions itself."""
    if output == "json":
        return json_text([row.to_dict() for row in known])
    if output == "csv":
        rows = [row.to_dict() for row in known]
        shown = [[" ".join(map(str, v)) if isinstance(v, list) else str(v) for v in row.values()] for row in rows]
        return Table(list(rows[0]), shown).to_csv()
    if output == "text":
        legend = paragraphs(_legend(known))
        return "\n\n".join([_rules(known).to_text(), legend, "\n".join(map(_described, known))])
    if output == "markdown":
        about = [[row.system, row.versions, row.source, row.note] for row in known]
        return "\n\n".join(
            [_rules(known, about).to_markdown(), *(f"- {markdown_text(word)}" for word in _legend(known))]
        )
    # Systems and sources are too long for a table column on paper.
    about_each = [f"{row.name}: {'; '.join(filter(None, [row.system, row.note, row.source]))}." for row in known]
    return _rules(known).to_latex(caption="What real systems call macro F1.", notes=[*_legend(known), *about_each])


def _rules(known: Sequence[NamedConvention], about: Sequence[list[str]] = ()) -> Table:
    """Return one row per system: what it computes, and further columns about it."""
    header = [
        "convention",
        "formula",
        "classes",
        "undefined",
        "evidence",
        *(["system", "versions", "source", "note"] if about else []),
    ]
    rules = [
        [
            row.name,
            # Leave out what a sentence below says.
            re.split(r" alone| \(| where", MEASURE_NAMES[row.formula])[0],
            row.convention.classes,
            str(row.convention.undefined),
            row.evidence,
            *(about[place] if about else []),
        ]
        for place, row in enumerate(known)
    ]
    return Table(header, rules, n_text=len(header))


def _legend(known: Sequence[NamedConvention]) -> list[str]:
    evidence = {row.evidence for row in known}
    return [
        *(f"classes {name}: {text}." for name, text in CLASS_SET_WORDS.items()),
        *(f"undefined {name}: {text}." for name, text in UNDEFINED_WORDS.items()),
        *(f"evidence {name}: {text}." for name, text in _EVIDENCE.items() if name in evidence),
    ]


def _described(row: NamedConvention) -> str:
    versions = f" ({row.versions})" if row.versions else ""
    about = wrapped(f"{row.name}: {row.system}{versions}" + (f"; {row.note}" if row.note else ""), after="  ")
    return f"{about}\n  {row.source}"


def render_conventions(
    result: ScoreConventionsResult, output: OutputFormat = "text", *, digits: int | None = None
) -> str:
    """Print the systems grouped by value, and why they differ."""
    places = shown_digits(digits)
    if output == "json":
        return json_text(result.to_dict())
    if output == "csv":
        rows = [
            [
                score.known.name,
                score.known.system,
                machine_number(digits)(score.value),
                score.known.formula,
                score.known.convention.classes,
                str(score.known.convention.undefined),
                str(score.n_classes),
                score.known.evidence,
                score.known.source,
                *([] if score.prints_it is None else [str(score.prints_it).lower()]),
            ]
            for score in result.scores
        ]
        header = ["name", "system", "value", "formula", "classes", "undefined", "n_classes", "evidence", "source"]
        marked = any(score.prints_it is not None for score in result.scores)
        return Table([*header, *(["prints_it"] if marked else [])], rows).to_csv()
    if output == "text":
        return _text(result, places)
    rows, last = [], None
    for value, members in result.groups:
        shown = _value(value, places)
        for score in members:
            evidence = _EVIDENCE[score.known.evidence]
            name = score.known.name + (" ←" if score.prints_it else "")
            rows.append([shown if shown != last else "", name, score.reason, evidence])
            last = shown
    table = Table(["macro F1", "convention", "what it is", "evidence"], rows, n_text=4, sentences=2)
    if output == "markdown":
        return "\n\n".join([f"{_head(result, places)}.", table.to_markdown(), *map(markdown_text, result.notes)])
    caption = f"What real systems call macro F1: {_head(result, places)}."
    return table.to_latex(caption=caption, notes=result.notes)


def _value(value: float | None, places: int) -> str:
    return "undefined" if value is None else f"{value:.{places}f}"


def _head(result: ScoreConventionsResult, places: int) -> str:
    distinct = len({_value(value, places) for value, _ in result.groups})
    numbers = "the same number" if distinct == 1 else f"{distinct} different numbers"
    return f"{counted(len(result.scores), 'convention')}, {numbers} for the same predictions"


def _text(result: ScoreConventionsResult, places: int) -> str:
    """Print every value with its systems and reasons, in lines that fit the terminal."""
    indent = " " * (max(len(_value(value, places)) for value, _ in result.groups) + 2)
    blocks = []
    for value, members in result.groups:
        by_reason: dict[str, list[str]] = {}
        for score in members:
            mark = _MARKS.get(score.known.evidence, "") + (" ←" if score.prints_it else "")
            by_reason.setdefault(score.reason, []).append(score.known.name + mark)
        lines, first = [], f"{_value(value, places):<{len(indent)}}"
        for reason, names in by_reason.items():
            lines.append(wrapped(", ".join(names), first=first, after=indent))
            lines.append(wrapped(reason, first=f"{indent}  ", after=f"{indent}  "))
            first = indent
        blocks.append("\n".join(lines))
    seen = {score.known.evidence for score in result.scores}
    marks = [f"{mark} {_EVIDENCE[evidence]}" for evidence, mark in _MARKS.items() if evidence in seen]
    known = "; ".join([*marks, "the others are checked against the library itself"])
    notes = [f"{known}.", *map(printable, result.notes)]
    return "\n\n".join([_head(result, places), *blocks, *map(wrapped, notes)])
