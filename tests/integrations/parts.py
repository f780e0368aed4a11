"""Large parts that a machine may lack: MACROF1_REQUIRE_ALL=1 make test installs them all."""

from __future__ import annotations

import pytest


def part(name):
    return pytest.importorskip(name, reason=f"{name} is a large part, not installed here", exc_type=ImportError)
