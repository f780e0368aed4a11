"""The same random tensors on every run."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(autouse=True)
def same_tensors_every_time():
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(0)
