"""Extreme input, such as numbers with thousands of digits and wrong types: handled correctly, or rejected in one
line."""

from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pytest

import macrof1

HUGE = 10**5000
GOLD, PRED = ["a", "b"] * 9, ["a", "a"] * 9
FRAME = pd.DataFrame({"g": GOLD, "p": PRED})


BOTH = 2, 1 / 3, 1 / 3  # precision 1/2 and 0, recall 1 and 0: their means are 1/4 and 1/2


def scores(result):
    return result.n_classes, result.averaged_f1, result.f1_of_averages


def hashable(thing):
    return tuple(thing) if isinstance(thing, list) else thing


# What takes a thing: the call, and what it gives for every thing that it accepts, by hand.
CALLS = {
    "weight": (lambda x: macrof1.score(GOLD, PRED, sample_weight=[x] * 18), None),
    "cell": (lambda x: macrof1.score_matrix([[x, 1], [1, 1]], rows="gold"), None),
    "tp": (lambda x: macrof1.ClassCounts.of(["a"], tp=[x], predicted=[x], actual=[x]), None),
    "errors": (lambda x: macrof1.ClassCounts.from_errors({"a": (x, 1, 1)}), None),
    "label": (lambda x: scores(macrof1.score([x, 1], [x, 2])), (3, 1 / 3, 1 / 3)),
    "listed": (lambda x: scores(macrof1.score([1, 2], [1, 2], labels=[x, 1])), (2, 1 / 2, 1 / 2)),
    "label in a set": (lambda x: scores(macrof1.score([{hashable(x)}, {1}], [{1}, {1}])), (2, 1 / 3, 2 / 6)),
    "label of a batch": (lambda x: scores(macrof1.Accumulator().update([x], [x]).score()), (1, 1, 1)),
    "excluded": (lambda x: macrof1.score(GOLD, PRED, exclude=[x]), None),
    "n_classes": (lambda x: macrof1.bounds(n_classes=x), None),
    "precision": (lambda x: macrof1.bounds(precision=x, recall=1), None),
    "support": (lambda x: macrof1.bounds(support=[x, 1]), None),
    "audited f1": (lambda x: macrof1.audit(f1=x, precision="0.5", recall="0.5").verdict, "either"),
    "audited support": (lambda x: macrof1.audit(f1="0.5", per_class={"a": {"f1": "0.5"}}, support={"a": x}), None),
    "audited total": (lambda x: macrof1.audit(f1="0.5", accuracy="0.5", total=x, correct=1).verdict, "either"),
    "number": (lambda x: macrof1.identify(GOLD, PRED, x), None),
    "difference": (lambda x: macrof1.plan(GOLD, {"a": PRED, "b": GOLD}, difference=x), None),
    "level": (lambda x: macrof1.score(GOLD, PRED).interval(confidence_level=x), None),
    "resamples": (lambda x: macrof1.score(GOLD, PRED).interval(method="bootstrap", n_resamples=x), None),
    "beta": (lambda x: scores(macrof1.score(GOLD, PRED, beta=x)), (2, 1 / 4, 1 / 4)),  # the limit: precision
    "undefined": (lambda x: macrof1.score(GOLD, PRED, undefined=x), None),
    "missing": (lambda x: macrof1.score(GOLD, PRED, missing=x), None),
    "convention": (lambda x: scores(macrof1.score(GOLD, PRED, convention=x)), BOTH),
    "normalize": (lambda x: scores(macrof1.score(GOLD, PRED, normalize=x)), BOTH),
    "name": (lambda x: macrof1.compare(GOLD, {"x": PRED, hashable(x): GOLD}).systems[0].averaged_f1, 1),
    "by": (lambda x: scores(macrof1.score_groups(FRAME, gold="g", pred="p", by=x)), BOTH),
    "tag": (lambda x: macrof1.count_spans([["B-X"]], [[x]]), None),
    "sentence": (lambda x: macrof1.count_spans([x], [["O"]]), None),
    "source": (macrof1.score_file, None),
    "text": (macrof1.audit_text, None),
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


TEXTS = ["digits", "tiny"]
LABELS = [*TEXTS, "huge decimal", "endless decimal", "bytes"]
ACCEPTED = {
    "label": LABELS,
    "listed": [*LABELS, "none", "nan"],
    "label in a set": [*LABELS, "list"],
    "label of a batch": LABELS,
    "audited f1": ["none"],
    "audited total": ["none"],
    "beta": ["tiny"],
    "convention": ["none"],
    "normalize": ["none"],
    "name": TEXTS,
    "by": ["none"],
}


@pytest.mark.parametrize("call", CALLS)
def test_everything_is_right_or_refused_in_one_line(call):
    function, expected = CALLS[call]
    accepted = []
    for name, thing in THINGS.items():
        try:
            found = function(thing)
        except macrof1.MacroF1Error as error:
            assert "\n" not in str(error), name  # noqa: PT017  # either outcome is right
        else:
            assert found == pytest.approx(expected, abs=1e-15), name
            accepted.append(name)
    assert set(accepted) == set(ACCEPTED.get(call, []))
