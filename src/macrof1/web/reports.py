"""Reports as single HTML files, for people without the explorer."""

from __future__ import annotations

from macrof1.web import responses
from macrof1.web.models import AuditRequest, CompareRequest, MatrixRequest, TableRequest

_COMMAND = "mf1 explore"


def score(request: MatrixRequest) -> str:
    """Return the scores as one self-contained HTML file."""
    from macrof1.reporting.reports import score_page

    return score_page(responses.scored_cells(request), command=_COMMAND)


def compare(request: CompareRequest) -> str:
    """Return the comparison as one self-contained HTML file."""
    from macrof1.reporting.comparisons import render_comparison

    return render_comparison(responses.compared(request), "html", command=_COMMAND)


def audit(request: AuditRequest) -> str:
    """Return the audit as one self-contained HTML file."""
    from macrof1.reporting.audits import audit_page

    return audit_page(responses.audited(request), command=_COMMAND)


def table(request: TableRequest) -> str:
    """Return the audit of a leaderboard as one self-contained HTML file."""
    from macrof1.reporting.audits import audit_page

    return audit_page(responses.audited_table(request), command=_COMMAND)
