"""Extreme input, such as numbers with thousands of digits and wrong types: handled correctly, or rejected in one
line."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pytest

import macrof1

HUGE = 10**5000
GOLD, PRED = ["a", "b"] * 9, ["a", "a"] * 9
FRAME = pd.DataFrame({"g": GOLD, "p": PRED})


def hashable(thing):
    return tuple(thing) if isinstance(thing, list) else thing


CALLS = {
    "weight": lambda x: macrof1.score(GOLD, PRED, sample_weight=[x] * 18),
    "cell": lambda x: macrof1.score_matrix([[x, 1], [1, 1]], rows="gold"),
    "tp": lambda x: macrof1.ClassCounts.of(["a"], tp=[x], predicted=[x], actual=[x]),
    "errors": lambda x: macrof1.ClassCounts.from_errors({"a": (x, 1, 1)}),
    "label": lambda x: macrof1.score([x, 1], [x, 2]).signature(),
    "listed": lambda x: macrof1.score([1, 2], [1, 2], labels=[x, 1]).signature(),
    "label in a set": lambda x: macrof1.score([{hashable(x)}, {1}], [{1}, {2}]).signature(),
    "label of a batch": lambda x: macrof1.Accumulator().update([x], [x]).score().signature(),
    "excluded": lambda x: macrof1.score(GOLD, PRED, exclude=[x]),
    "n_classes": lambda x: macrof1.bounds(n_classes=x),
    "precision": lambda x: macrof1.bounds(precision=x, recall=1),
    "support": lambda x: macrof1.bounds(support=[x, 1]),
    "audited f1": lambda x: macrof1.audit(f1=x, precision="0.5", recall="0.5"),
    "audited support": lambda x: macrof1.audit(f1="0.5", per_class={"a": {"f1": "0.5"}}, support={"a": x}),
    "audited total": lambda x: macrof1.audit(f1="0.5", accuracy="0.5", total=x, correct=1),
    "number": lambda x: macrof1.identify(GOLD, PRED, x),
    "difference": lambda x: macrof1.plan(GOLD, {"a": PRED, "b": GOLD}, difference=x),
    "level": lambda x: macrof1.score(GOLD, PRED).interval(confidence_level=x),
    "resamples": lambda x: macrof1.score(GOLD, PRED).interval(method="bootstrap", n_resamples=x),
    "beta": lambda x: macrof1.score(GOLD, PRED, beta=x),
    "undefined": lambda x: macrof1.score(GOLD, PRED, undefined=x),
    "missing": lambda x: macrof1.score(GOLD, PRED, missing=x),
    "convention": lambda x: macrof1.score(GOLD, PRED, convention=x),
    "normalize": lambda x: macrof1.score(GOLD, PRED, normalize=x),
    "name": lambda x: macrof1.compare(GOLD, {"x": PRED, hashable(x): GOLD}),
    "by": lambda x: macrof1.score_groups(FRAME, gold="g", pred="p", by=x),
    "tag": lambda x: macrof1.count_spans([["B-X"]], [[x]]),
    "sentence": lambda x: macrof1.count_spans([x], [["O"]]),
    "source": macrof1.score_file,
    "text": macrof1.audit_text,
}
THINGS = {
    "huge": HUGE,
    "minus huge": -HUGE,
    "huge fraction": Fraction(HUGE, 7),
    "digits": "9" * 5000,
    "tiny": "1e-99999999",
    "huge decimal": Decimal("1e99999"),
    "endless decimal": Decimal("1e999999999"),
    "list": [1],
    "list of huge": [HUGE],
    "tuple of huge": (HUGE, HUGE),
    "none": None,
    "bytes": b"x",
    "nan": float("nan"),
}


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("call", CALLS)
def test_everything_is_right_or_refused_in_one_line(call, thing):
    try:
        CALLS[call](THINGS[thing])
    except macrof1.MacroF1Error as error:
        assert "\n" not in str(error)  # noqa: PT017  # either outcome is right
