"""The same random tensors on every run, and a backend for Keras that is installed."""

import os
import sys

import pytest

os.environ.setdefault("KERAS_BACKEND", "torch")


@pytest.fixture(autouse=True)
def same_tensors_every_time():
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(0)
