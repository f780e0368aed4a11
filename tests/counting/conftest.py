"""Text files are read by one of two readers, depending on size; file tests try both."""

import pytest

from macrof1.reading import tables


@pytest.fixture(params=["rows", "blocks"])
def reader(request, monkeypatch):
    """Read text of any size row by row, or in blocks by the engine."""
    size = 1 << 40 if request.param == "rows" else 0
    monkeypatch.setattr(tables, "_SMALL", size)
    monkeypatch.setattr(tables, "_SMALL_PACKED", size)
    return request.param
