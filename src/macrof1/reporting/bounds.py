"""The old entry points of bounds: kept until `cli/` calls `document` and `render`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from macrof1.reporting.rendering import document, render


def render_bounds(result: Any, output: Any = "text", **options: Any) -> str:
    """Print bounds."""
    return render(document(result, **options), output)


def bounds_notes(result: Any, **options: Any) -> Sequence[str]:
    """Return what CSV has no column for."""
    return document(result, **options).notes()


render_no_flip, no_flip_notes = render_bounds, bounds_notes
