"""The old entry points of one score: kept until `cli/` calls `document` and `render`."""

from __future__ import annotations

from typing import Any

from macrof1.reporting.rendering import document, render
from macrof1.reporting.score_documents import render_quietly as render_quietly


def render_score(result: Any, output: Any = "text", **options: Any) -> str:
    """Print a score."""
    return render(document(result, **options), output)


def render_others(result: Any, output: Any = "text", *, digits: int | None = None) -> str:
    """Print the averages often reported alongside."""
    return render(document(result, digits=digits, also=True), output, table="also")
