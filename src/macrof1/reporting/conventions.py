"""The old entry points of conventions: kept until `cli/` calls `document` and `render`."""

from __future__ import annotations

from typing import Any

from macrof1.reporting.convention_documents import catalogue_document
from macrof1.reporting.rendering import document, render


def render_catalogue(known: Any, output: Any = "text") -> str:
    """Print the table of conventions itself."""
    return render(catalogue_document(known), output)


def render_conventions(result: Any, output: Any = "text", *, digits: int | None = None) -> str:
    """Print what each system would print."""
    return render(document(result, digits=digits), output)
