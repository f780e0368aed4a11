"""The old entry point of identify: kept until `cli/` calls `document` and `render`."""

from __future__ import annotations

from typing import Any

from macrof1.reporting.rendering import document, render


def render_identified(result: Any, output: Any = "text") -> str:
    """Print the definitions that give a number."""
    return render(document(result), output)
