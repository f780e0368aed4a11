"""The old entry points of audits: kept until `cli/` calls `document` and `render`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from macrof1.reporting.rendering import document, render


def render_audit(result: Any, output: Any = "text") -> str:
    """Print an audit."""
    return render(document(result), output)


def audit_page(result: Any, *, command: str | None = None) -> str:
    """Return an audit as a page."""
    return render(document(result), "html", command=command)


def audit_notes(result: Any) -> Sequence[str]:
    """Return what CSV has no column for."""
    return document(result).notes()
