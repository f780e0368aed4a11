"""Results as documents, and documents in every output format and in notebooks."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib import import_module
from typing import Any, cast, get_args

from macrof1.convention import FORMULAS
from macrof1.errors import InputError
from macrof1.reporting.as_text import machine_number, shown_digits, text_of
from macrof1.reporting.document import Chart, Code, Document, Fact, Facts, OutputFormat, Part, Sentences, Table, clipped
from macrof1.result import Result

# The function that makes a result's document. A module is loaded with the first of its results.
_MAKERS = {
    "AuditResult": "audit_documents.single_audit",
    "AuditTableResult": "audit_documents.audited_table",
    "AuditTextResult": "audit_documents.audited_text",
    "BoundsResult": "audit_documents.bounds_document",
    "CompareResult": "comparison_documents.comparison_document",
    "GroupsResult": "score_documents.groups_document",
    "IdentifyResult": "convention_documents.identified_number",
    "IdentifyTableResult": "convention_documents.identified_table",
    "PlanResult": "comparison_documents.plan_document",
    "ScoreConventionsResult": "convention_documents.conventions_document",
    "ScoreResult": "score_documents.score_document",
}

_MOST_ITEMS = 40
# What a cell of a notebook shows of a table and of a text.
_MOST_CELL_ROWS = 40
_MOST_TEXT = 300
_CELL_STYLE = "font:13px/1.45 system-ui,sans-serif;color:inherit;max-width:64em"
_WORDS = (("averaged_f1", "averaged F1"), ("f1_of_averages", "F1 of averages"), ("mcc", "MCC"), ("_f1", " F1"))


def document(result: Any, **options: Any) -> Document:
    """Return what a result says, by default the fields of its `to_dict`; `options`, such as `digits`, fit its kind."""
    module, _, name = _MAKERS.get(type(result).__name__, "rendering.any_document").partition(".")
    return cast("Document", getattr(import_module(f"macrof1.reporting.{module}"), name)(result, **options))


def render(
    found: Document, output: OutputFormat = "text", *, table: str | None = None, details: bool | None = False,
    command: str | None = None,
) -> str:  # fmt: skip
    """Print a document, or only one `table` of it; `details` adds what is left out, a page has the `command` below."""
    if output == "json":
        return json.dumps(found.data(), indent=2, ensure_ascii=False, allow_nan=False)
    if output == "csv":
        return csv_text(found.records(table or ""))
    InputError.one_of("format", output, get_args(OutputFormat))
    whole = [*found.parts(), *(found.details() if details or output == "html" else ())]
    parts = _visible(whole, terse=output == "text" and not details)
    if table:
        # A table in print keeps its small print and its signature.
        beside = [part for part in parts if isinstance(part, Sentences | Code)] if output == "latex" else []
        chosen = next(part for part in whole if isinstance(part, Facts | Table) and part.name == table)
        parts = [replace(chosen, shown=None, more="", spare=False) if isinstance(chosen, Table) else chosen, *beside]
    if output == "text":
        spared = [replace(part, spare=False) if details and isinstance(part, Table) else part for part in parts]
        return text_of(spared)
    from macrof1.reporting.as_markup import latex_of, markdown_of, page_of

    if output == "html":
        return page_of(found.title, parts, command=command)
    return latex_of(found.title, parts) if output == "latex" else markdown_of(parts)


def _visible(parts: Sequence[Part], *, terse: bool) -> list[Part]:
    """Return the parts to show; a table that is left out leaves its sentence to the sentences that follow it."""
    found: list[Part] = []
    left: list[str] = []
    for part in parts:
        if part.where == "asked" or (terse and part.where == "documents"):
            left += [part.instead] if isinstance(part, Table) and part.instead else []
        elif isinstance(part, Sentences):
            found += [replace(part, items=[*part.items, *left])] if part.items or left else []
            left = []
        elif not isinstance(part, Facts) or part.rows:
            found.append(part)
    return found


def scores_alone(result: Any, output: OutputFormat = "text", *, digits: int | None = None) -> str:
    """Print only the two scores: of one system, one per line; of several, a line for each; or a JSON object."""
    systems = getattr(result, "systems", None)
    both = [{formula: getattr(one, formula) for formula in FORMULAS} for one in systems or [result]]
    if output == "json":
        named = {system.name: scores for system, scores in zip(systems or [], both, strict=False)}
        return json.dumps(named or both[0], ensure_ascii=False, allow_nan=False)
    number = machine_number(digits if output == "csv" else shown_digits(digits))
    if systems is None:
        mark = "," if output == "csv" else " "
        return "\n".join(f"{formula}{mark}{number(value)}" for formula, value in both[0].items())
    rows = [[system.name, *map(number, scores.values())] for system, scores in zip(systems, both, strict=True)]
    if output == "csv":
        return csv_text(Table(["system", *FORMULAS], rows))
    return "\n".join(f"{name} {FORMULAS[0]} {first} {FORMULAS[1]} {second}" for name, first, second in rows)


def csv_text(table: Table) -> str:
    """Return CSV with one header line, quoted where needed."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([table.header, *table.rows])
    return out.getvalue().rstrip("\n")


def any_document(result: Result) -> Document:
    """Return the fields of a result: numbers and words by name, lists of records as tables, notes as sentences."""
    words = re.findall(r"[A-Z][a-z0-9]*", type(result).__name__.removesuffix("Result"))
    facts: dict[str, Any] = dict(content := result.to_dict())
    notes = facts.pop("notes", None) or []
    lists = {name: value for name, value in facts.items() if isinstance(value, list) and value}
    tables = {name: value for name, value in lists.items() if all(isinstance(record, Mapping) for record in value)}
    facts = {name: value for name, value in facts.items() if name not in tables}

    def parts() -> list[Part]:
        rows = [Fact(_name(key), _value(value)) for key, value in facts.items() if value not in (None, [], {}, "")]
        return [
            Facts(rows=rows),
            Sentences(items=notes),
            *(replace(records_table(value), title=_name(name).capitalize()) for name, value in tables.items()),
        ]

    return Document(
        title=" ".join(words).capitalize(),
        parts=parts,
        data=lambda: content,
        records=lambda _: Table(["field", "value"], [[key, str(value)] for key, value in facts.items()]),
        notes=lambda: notes,
    )


def _name(key: str) -> str:
    for known, word in _WORDS:
        key = key.replace(known, word)
    return key.replace("_", " ").strip()


def records_table(records: Sequence[Mapping[str, Any]]) -> Table:
    """Return records as a table for people; columns of words come first, so that they are aligned as words."""
    keys = list(dict.fromkeys(key for record in records for key in record))
    texts = [key for key in keys if any(isinstance(record.get(key), str) for record in records)]
    columns = [*texts, *(key for key in keys if key not in texts)]
    cells = [[_value(record.get(key)) for key in columns] for record in records]
    return Table([_name(key) for key in columns], cells, n_text=len(texts))


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


def notebook_html(result: Result) -> str:
    """Return a result as an HTML fragment for a notebook, whose own text colour it takes, in light and dark mode."""
    from macrof1.reporting.as_markup import NOTEBOOK, html_of

    found = document(result)
    parts = [_cut(part) for part in found.parts() if not isinstance(part, Chart) and part.where != "asked"]
    details = [_cut(part) for part in found.details() if not isinstance(part, Chart)]
    rest = html_of("more", details, NOTEBOOK)
    more = f"<details><summary>more</summary>{rest}</details>" if rest else ""
    first = html_of(found.title, parts, NOTEBOOK)
    return f'<div class="macrof1" style="{_CELL_STYLE}"><b>{escape(found.title)}</b>{first}{more}</div>'


def _cut(part: Part) -> Any:
    """Shorten what is too long for a cell of a notebook, and say so."""
    if isinstance(part, Facts):
        return replace(part, rows=[replace(fact, value=clipped(fact.value, _MOST_TEXT)) for fact in part.rows])
    if not isinstance(part, Table):
        return part
    rows = [[clipped(field, _MOST_TEXT) for field in row] for row in part.rows[:_MOST_CELL_ROWS]]
    hidden = len(part.rows) - _MOST_CELL_ROWS
    more = [[f"… and {hidden:,} more", *[""] * (len(part.header) - 1)]] if hidden > 0 else []
    return replace(part, rows=[*rows, *more], folded=False)


def chart_of(result: Any, number: int = 1) -> Any:
    """Return one of the charts in a result's document as an Altair chart."""
    from macrof1.reporting.charts import altair, drawn, specification

    charts = [part for part in document(result).parts() if isinstance(part, Chart)]
    if not charts:
        raise InputError(f"{type(result).__name__} has no chart", expected="the result of score or compare, say")
    InputError.whole("number", number, 1, len(charts))
    return altair().Chart.from_dict(specification(drawn(charts[number - 1])))
