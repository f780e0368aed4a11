"""Reports as single HTML files, for people without the explorer."""

from __future__ import annotations

from typing import Any

from macrof1.web import responses, scores
from macrof1.web.models import AuditRequest, CompareRequest, MatrixRequest, TableRequest


def score(request: MatrixRequest) -> str:
    """Return the scores as one self-contained HTML file."""
    return _page(scores.scored_cells(request), confidence_level=0.95)


def compare(request: CompareRequest) -> str:
    """Return the comparison as one self-contained HTML file."""
    return _page(responses.compared(request))


def audit(request: AuditRequest) -> str:
    """Return the audit as one self-contained HTML file."""
    return _page(responses.audited(request))


def table(request: TableRequest) -> str:
    """Return the audit of a leaderboard as one self-contained HTML file."""
    return _page(responses.audited_table(request))


def _page(result: Any, **options: Any) -> str:
    from macrof1.reporting.rendering import document, render

    return render(document(result, **options), "html", command="mf1 explore")
