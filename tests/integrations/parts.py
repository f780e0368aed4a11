"""Large optional dependencies: MACROF1_REQUIRE_ALL=1 make test installs them all."""

import importlib
import os

import pytest


def part(name):
    """Import a large part, or skip; where every part is required, its absence is an error even at collection."""
    if os.environ.get("MACROF1_REQUIRE_ALL") == "1":
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=f"{name} is a large part, not installed here", exc_type=ImportError)
