"""Many classes as arrays: every number has the bits that Python's numbers give."""

import math
from itertools import product

import numpy as np
import pytest

import macrof1
from macrof1.counting.array_columns import ArrayColumns
from macrof1.counting.kernel import integers
from macrof1.counts import COLUMNS, ClassCounts, trusted_counts
from macrof1.scoring.macro import columns_of

NUMBERS = (
    "averaged_f1", "f1_of_averages", "gap", "macro_precision", "macro_recall", "micro_f1", "weighted_f1", "accuracy",
    "balanced_accuracy", "cohen_kappa", "mcc", "explanation", "per_class", "n_classes", "notes",
)  # fmt: skip
N = 400


def triples(kind, seed=0):
    """Return tp, predicted and actual of many classes: some empty, some never predicted, some of any size."""
    rng = np.random.default_rng(seed)
    most = {
        "few": 3, "usual": 10_000, "large": 2**40, "huge": 2**53, "wrong": 2**53, "real": 2**20, "even": 50,
        "near": 2**20,
    }[kind]  # fmt: skip
    tp = rng.integers(0, most, N) * rng.integers(0, 2, N)
    predicted, actual = tp + rng.integers(0, most, N) * rng.integers(0, 2, N), tp + rng.integers(0, most, N)
    if kind in ("even", "near"):  # "near": differences of products lose most of their digits
        actual = predicted + (kind == "near") * rng.integers(0, 9, N)
    tp[:3] = predicted[:3] = actual[:3] = 0
    if kind in ("real", "even", "near"):
        return tp / 7, predicted / 7, actual / 7
    if kind in ("huge", "wrong"):  # one class that outweighs all others, and margins beyond what a double holds
        tp[5] = predicted[5] = actual[5] = 2**61 + 1
        predicted[5] += 2**59 + 3
    return tp * (kind != "wrong"), predicted, actual


def both(kind, seed=0):
    columns = triples(kind, seed)
    facts = {"labels": tuple(range(N)), "n_rows": None, "n_listed": N}
    return trusted_counts(columns=columns, **facts), ClassCounts(**dict(zip(COLUMNS, columns, strict=True)), **facts)


def same(one, other):
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "to_dict"):
        return all(same(getattr(one, name), getattr(other, name)) for name in one.to_dict())
    return one == other or (one != one and other != other)


@pytest.mark.parametrize("kind", ["few", "usual", "large", "huge", "wrong", "real", "even", "near"])
@pytest.mark.parametrize("beta", [1.0, 0.5, 2.0, 0.0])
@pytest.mark.parametrize("undefined", [0, 1, "drop", "drop_with_parts"])
@pytest.mark.parametrize("options", [{}, {"classes": "gold"}, {"classes": "seen"}, {"exclude": (3, 4)}])
def test_arrays_give_the_bits_of_pythons_numbers(kind, beta, undefined, options):
    arrays, plain = both(kind)
    convention = macrof1.Convention(undefined=undefined, beta=beta, **options)
    assert isinstance(columns_of(arrays, convention), ArrayColumns)
    assert not isinstance(columns_of(plain, convention), ArrayColumns)
    one, other = (macrof1.score_counts(counts, convention=convention) for counts in (arrays, plain))
    for name in NUMBERS:
        assert same(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize("kind", ["few", "usual", "large", "huge", "wrong", "real", "even", "near"])
def test_products_and_terms_of_noise_are_those_of_pythons_numbers(kind):
    arrays, plain = (columns_of(counts, macrof1.Convention()) for counts in both(kind))
    for left, right in product(COLUMNS, COLUMNS):
        expected = plain.dot(getattr(plain, left), getattr(plain, right))
        assert arrays.dot(getattr(arrays, left), getattr(arrays, right)) == expected
    for beta in (1.0, 0.5, 3.0):
        assert arrays.noise_terms(beta) == pytest.approx(plain.noise_terms(beta), rel=1e-12)


@pytest.mark.parametrize("factor", [2.0**500, 2.0**-500])
def test_weights_whose_products_overflow_are_left_to_python(factor):
    columns = tuple(column * factor for column in triples("real"))
    counts = trusted_counts(labels=tuple(range(N)), columns=columns, n_rows=None)
    assert not isinstance(columns_of(counts, macrof1.Convention()), ArrayColumns)
    expected = macrof1.score_counts(both("real")[1])
    assert macrof1.score_counts(counts).gap == pytest.approx(expected.gap)


@pytest.mark.parametrize("path", ["compiled", "numpy"])
def test_sums_are_rounded_once_on_either_path(path, monkeypatch):
    if path == "numpy":
        monkeypatch.setattr(integers, "compiled_path", lambda: None)
    elif integers.compiled_path() is None:
        pytest.skip("no compiled path here")
    rng = np.random.default_rng(1)
    for size in (0, 1, 7, 39, 1023, 1024, 3000):
        wide = (rng.random(size) - 0.5) * 10.0 ** rng.integers(-300, 300, size)
        cases = [rng.random(size), wide, np.concatenate([wide, -wide, [1e-17]]), rng.integers(-3, 4, size) * 5e-324]
        cases += [2.0 ** rng.integers(-60, 60, size) * rng.choice([1, -1], size), rng.random(2 * size)[::2]]
        # At the ends of what is added many at once: the largest below a power of 2, and the smallest exponents.
        cases += [np.full(size, math.nextafter(2.0**k, 0)) for k in (0, 1, 978, -822, -823)]
        cases += [rng.random(size) * 2.0 ** rng.integers(-k, 1, size) for k in (80, 90)]
        for values in cases:
            total = integers.exact_total(values)
            assert total == math.fsum(values.tolist())
            assert integers.exact_total(values[::-1]) == total
    # Halfway between two doubles: to the even one, unless anything lies beyond.
    assert integers.exact_total(np.array([1.0, 2.0**-53])) == 1.0
    assert integers.exact_total(np.array([1.0, 2.0**-53, 2.0**-1074])) == math.nextafter(1.0, 2)
    assert integers.exact_total(np.array([1.0 + 2.0**-52, 2.0**-53])) == 1.0 + 2.0**-51
    assert math.isnan(integers.exact_total(np.array([1.0, math.nan])))
