"""Results as documents, and documents in every output format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, cast, get_args

from macrof1.errors import InputError
from macrof1.reporting.document import Code, Document, Facts, OutputFormat, Part, Sentences, Table, Where

# What a format shows unless it is asked for more.
_SHOWN: dict[str, tuple[Where, ...]] = {
    "text": ("everywhere",),
    "markdown": ("everywhere", "documents"),
    "latex": ("everywhere", "documents"),
    "html": ("everywhere", "documents", "pages"),
}
# The function that makes a result's document. A module is loaded with the first of its results.
_MAKERS = {
    "AuditResult": "audit_documents.single_audit",
    "AuditTableResult": "audit_documents.audited_table",
    "AuditTextResult": "audit_documents.audited_text",
    "BoundsResult": "bounds_documents.bounds_document",
    "CompareResult": "comparison_documents.comparison_document",
    "GroupsResult": "score_documents.groups_document",
    "IdentifyResult": "convention_documents.identified_number",
    "IdentifyTableResult": "convention_documents.identified_table",
    "NoFlipResult": "bounds_documents.no_flip_document",
    "PlanResult": "comparison_documents.plan_document",
    "ScoreConventionsResult": "convention_documents.conventions_document",
    "ScoreResult": "score_documents.score_document",
}


def document(result: Any, **options: Any) -> Document:
    """Return what a result says; `options` such as `digits` and `confidence_level` are those of its kind.

    A result without a document of its own is shown by the fields of its `to_dict`; a list of results likewise.

    Examples
    --------
    >>> import macrof1
    >>> found = document(macrof1.score(["a", "b", "b"], ["a", "b", "a"]), digits=2)
    >>> print(render(found, "text").splitlines()[0])
    averaged F1      0.67   report this one
    """
    maker = _MAKERS.get(type(result).__name__, "any_document.any_document")
    module, name = maker.split(".")
    return cast("Document", getattr(import_module(f"macrof1.reporting.{module}"), name)(result, **options))


def render(
    found: Document,
    output: OutputFormat = "text",
    *,
    table: str | None = None,
    details: bool = False,
    command: str | None = None,
) -> str:
    """Print a document as text, JSON, CSV, Markdown, LaTeX or HTML.

    Parameters
    ----------
    table
        Only the table with this name, with all its lines.
    details
        Also show what the format leaves out for brevity.
    command
        The command that made the result, for the footer of a page.
    """
    if output == "json":
        return json_text(found.data())
    if output == "csv":
        return csv_text(found.records(table or ""))
    if output not in _SHOWN:
        raise InputError.unknown_value("format", output, get_args(OutputFormat))
    parts = _visible(found.parts(), _SHOWN["html" if details else output])
    if table:
        # A table in print keeps its small print and its signature.
        beside = [part for part in parts if isinstance(part, Sentences | Code)] if output == "latex" else []
        parts = [found.part(table), *beside]
    if output == "html":
        from macrof1.reporting.as_html import page_of

        return page_of(found.title, parts, command=command)
    if output == "markdown":
        from macrof1.reporting.as_markdown import markdown_of

        return markdown_of(parts)
    if output == "latex":
        from macrof1.reporting.as_latex import latex_of

        return latex_of(found.title, parts)
    from macrof1.reporting.as_text import text_of

    return text_of(parts)


def _visible(parts: Sequence[Part], levels: tuple[Where, ...]) -> list[Part]:
    """Return the parts to show; a table that is left out leaves its sentence to the sentences that follow it."""
    found: list[Part] = []
    left: list[str] = []
    for part in parts:
        if part.where not in levels:
            left += [part.instead] if isinstance(part, Table) and part.instead else []
        elif isinstance(part, Sentences):
            found += [replace(part, items=[*part.items, *left])] if part.items or left else []
            left = []
        elif not isinstance(part, Facts) or part.rows:
            found.append(part)
    return found


def json_text(content: Any) -> str:
    """Print plain JSON types."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def csv_text(table: Table) -> str:
    """Return CSV with one header line, quoted where needed."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([table.header, *table.rows])
    return out.getvalue().rstrip("\n")
