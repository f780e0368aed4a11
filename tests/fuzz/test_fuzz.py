"""The fuzzer itself: every kind runs, and planted bugs are found."""

import pytest
from hypothesis import strategies as st

from . import bodies, commands, files, labels, mistaken  # noqa: F401  # they register their kinds
from .__main__ import attempt
from .kinds import KINDS, Kind


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_few_cases_of_every_kind(kind):
    assert attempt(kind, 7, examples=5) is None


def test_what_is_wrong_is_found():
    def check(case):
        assert case < 5
        return "right"

    found = attempt(Kind("numbers", st.integers(0, 100), check), 0)
    assert "assert 5 < 5" in found
