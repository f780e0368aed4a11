"""The old place of intervals: kept until `cli/` calls `document` and `render`."""

from __future__ import annotations

from macrof1.reporting.score_documents import ScoreIntervals as ScoreIntervals
