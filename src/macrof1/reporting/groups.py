"""The old entry point of groups: kept until `cli/` calls `document` and `render`."""

from __future__ import annotations

from macrof1.reporting.scores import render_score

render_groups = render_score
