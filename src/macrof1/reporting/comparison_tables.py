"""The old place of the names of tables: kept until `cli/` calls `document` and `render`."""

from __future__ import annotations

from macrof1.reporting.comparison_documents import TableName as TableName
