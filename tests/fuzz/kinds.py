"""What a kind of case is, and what all kinds share: exact scores, and the errors that are allowed."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from macrof1.errors import MacroF1Error

from ..oracles import Exact, close


@dataclass
class Kind:
    """A strategy, a check of one case, and how the cases came out."""

    name: str
    cases: Any
    check: Callable[[Any], str]
    outcomes: Counter[str] = field(default_factory=Counter)


KINDS: list[Kind] = []


def kind(name, cases):
    """Register a check; it returns how the case came out: "right", "refused", "exit 2"."""

    def register(check):
        KINDS.append(Kind(name, cases, check))
        return check

    return register


def exact_of(gold, pred, *, weights=None, labels=None, undefined=0, beta=1):
    """Score labels by the definitions, in fractions."""
    classes = sorted({*gold, *pred}, key=repr) if labels is None else list(labels)
    weights = [1] * len(gold) if weights is None else weights
    tp, predicted, actual = Counter(), Counter(), Counter()
    for g, p, w in zip(gold, pred, weights, strict=True):
        amount = Fraction(w)
        actual[g] += amount
        predicted[p] += amount
        tp[g] += amount * (g == p)
    columns = [[counts[name] for name in classes] for counts in (tp, predicted, actual)]
    return Exact(*columns, undefined=undefined, beta=beta)


def exact_of_sets(gold, pred, classes):
    """Score sets of labels by the definitions, in fractions."""
    tp = [sum(name in g and name in p for g, p in zip(gold, pred, strict=True)) for name in classes]
    predicted = [sum(name in p for p in pred) for name in classes]
    actual = [sum(name in g for g in gold) for name in classes]
    return Exact(tp, predicted, actual)


def assert_right(result, exact):
    """Both scores, their parts and the gap, to the last digits."""
    for name in ("averaged_f1", "f1_of_averages", "macro_precision", "macro_recall"):
        found, expected = getattr(result, name), getattr(exact, name)
        assert close(found, expected, relative=1e-12), f"{name} is {found!r}, not {float(expected)!r}"
    assert abs(Fraction(result.gap) - exact.gap) <= Fraction(1e-12), f"gap is {result.gap!r}, not {float(exact.gap)!r}"


def right_or_refused(compute, exact):
    """Compute a result: it is right, or an error of ours says in one line why there is none."""
    try:
        result = compute()
    except MacroF1Error as error:
        said = str(error)
        assert said.strip(), "an error that says nothing"
        assert "\n" not in said, "an error of several lines"
        return "refused"
    assert_right(result, exact)
    return "right"
