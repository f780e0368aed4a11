"""The old entry point of the page of a score: kept until `cli/` calls `document` and `render`."""

from __future__ import annotations

from typing import Any

from macrof1.reporting.rendering import document, render


def score_page(result: Any, *, command: str | None = None, confidence_level: float | None = 0.95) -> str:
    """Return a score as a page."""
    return render(document(result, confidence_level=confidence_level), "html", command=command)
