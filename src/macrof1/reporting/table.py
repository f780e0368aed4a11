"""The old place of digits: kept until `cli/` calls `document` and `render`."""

from __future__ import annotations

from macrof1.reporting.document import checked_digits as checked_digits
