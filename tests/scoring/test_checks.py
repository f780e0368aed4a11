"""Which counts can be scored under which conventions."""

from __future__ import annotations

import pytest

from macrof1.convention import Convention
from macrof1.counts import ClassCounts
from macrof1.errors import EmptyError, LabelError
from macrof1.scoring.checks import check_excluded, check_weights, met_convention


def test_all_weights_0_are_refused_and_no_rows_are_not():
    def check(**options):
        check_weights(ClassCounts(labels=("a",), tp=(0,), predicted=(0,), actual=(0,), **options))

    check(n_rows=0, n_listed=1)
    check(n_rows=2, n_listed=1, task="multilabel")  # rows without a label
    for options in ({}, {"n_rows": 0}, {"n_rows": 2, "n_listed": 1}, {"n_rows": 1, "n_listed": 1}, {"n_listed": 1}):
        with pytest.raises(EmptyError, match="all weights are 0"):
            check(**options)
    check_weights(ClassCounts(labels=("a",), tp=(0,), predicted=(1,), actual=(0,)))


def test_classes_to_exclude_are_known_and_not_all():
    convention = Convention(exclude=("a", "b"))
    check_excluded(convention, ["a", "b", "c"])
    check_excluded(Convention(), [])
    with pytest.raises(EmptyError, match="leaves no class"):
        check_excluded(convention, ["a", "b"])
    with pytest.raises(LabelError, match="names 'b', which is not a class of this data"):
        check_excluded(convention, ["a", "c"])
    assert met_convention(convention, ["a", "c"]) == Convention(exclude=("a",))
    assert met_convention(Convention(beta=2.0), ["a"]) == Convention(beta=2.0)
