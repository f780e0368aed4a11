"""The old entry points of comparisons: kept until `cli/` calls `document` and `render`."""

from __future__ import annotations

from typing import Any

from macrof1.reporting.comparison_documents import checked_table as checked_table
from macrof1.reporting.comparison_documents import render_scores_only as render_scores_only
from macrof1.reporting.rendering import document, render


def render_comparison(
    result: Any, output: Any = "text", *, digits: int | None = None, command: str | None = None, table: Any = None
) -> str:
    """Print a comparison."""
    checked_table(output, table)
    return render(document(result, digits=digits), output, table=table, command=command)
