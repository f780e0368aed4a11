"""The old entry point of plans: kept until `cli/` calls `document` and `render`."""

from __future__ import annotations

from macrof1.reporting.identified import render_identified

render_plan = render_identified
