"""Numbers given as counts and weights, at the edges of what fits and what is exact."""

import math
from decimal import Decimal
from fractions import Fraction as F

import numpy as np
import pandas as pd
import pytest

from macrof1.counting.cells import checked_count, checked_weight, group_value, typed_labels, weighted_sum
from macrof1.counting.confusion import Confusion
from macrof1.counting.engines import amounts_of
from macrof1.counting.matrix import checked_cells, checked_total
from macrof1.counts import ClassCounts, exact_sum
from macrof1.errors import CountError, InputError

MOST = 2**63 - 1


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, 2], "i", [1, 2]), ([0, MOST], "i", [0, MOST]), ([1.5, 2], "f", [1.5, 2.0]),
        ([0.5, 2**53], "f", [0.5, 2.0**53]), (np.array([1, 2], np.uint8), "i", [1, 2]),
        (np.array([MOST], np.uint64), "i", [MOST]), (np.array([], np.uint64), "i", []),
        (np.array([0.5], np.float32), "f", [0.5]), ([Decimal(3), F(4)], "i", [3, 4]),
        ([Decimal("0.5"), F(1, 4)], "f", [0.5, 0.25]), ([np.int64(3), F(1, 2)], "f", [3.0, 0.5]),
        (np.ma.masked_array([1, 2], [False, False]), "i", [1, 2]), ([], "f", []),
    ],
)  # fmt: skip
def test_counts_are_whole_or_real(values, kind, expected):
    found = checked_cells(values, "the counts")
    assert (found.dtype, found.tolist()) == ({"i": np.int64, "f": np.float64}[kind], expected)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([-1], "found -1"), ([-0.5], "found -0.5"), ([math.nan], "NaN or infinity"),
        ([math.inf, 1.0], "NaN or infinity"), ([MOST + 1], "63"), (np.array([MOST + 1], np.uint64), "63"),
        ([0.5, 2**53 + 1], r"stands beside real weights and is beyond 2\*\*53"),
        ([[0.5], [2**53 + 1]], r"beyond 2\*\*53"), ([-(2**64)], "63"), ([True], "bool"),
        (["1"], "found values of type"), ([None], "found None"),
        ([[1], [1, 2]], "rows differ in length or hold no numbers"), ([Decimal("NaN")], "found Decimal"),
        ([Decimal("1e401")], "63"), ([F(10**400)], "63"), (np.ma.masked_array([1, 2], [True, False]), "masked values"),
    ],
)  # fmt: skip
def test_what_is_no_count_is_refused(values, message):
    with pytest.raises(InputError, match=message):
        checked_cells(values, "the counts")


@pytest.mark.parametrize(
    ("values", "fits"),
    [
        ([MOST], True), ([MOST - 1, 1], True), ([MOST, 1], False), ([2**62, 2**62], False), ([2**62, 2**62 - 1], True),
        ([-1, 5], False), ([], True), ([2.0**999], True), ([2.0**1000], False), ([1e308, 1e308], False),
        ([math.nan], False),
    ],
)  # fmt: skip
def test_totals_fit_or_are_refused(values, fits):
    array = np.array(values, np.int64 if values and isinstance(values[0], int) else np.float64)
    if fits:
        assert checked_total(array) is array
    else:
        with pytest.raises(InputError, match="sum to"):
            checked_total(array)


@pytest.mark.parametrize(
    ("value", "text", "weight"),
    [
        (3, False, 3), (0, False, 0), (0.5, False, F(1, 2)), (2.0, False, 2), (10**400, False, 10**400),
        ("3", True, 3), ("0.5", True, F(1, 2)), (".5", True, F(1, 2)), ("5.", True, 5), ("1e2", True, 100),
        ("+2", True, 2), ("9" * 3999, True, int("9" * 3999)), (3, True, 3), ("0,5", True, F(1, 2)),
        ("1,25", True, F(5, 4)), ("0,374", True, F(0.374)), ("1234,5", True, F(1234.5)),
        ("1,5e-1", True, F(0.15)),
    ],
)  # fmt: skip
def test_a_weight_is_exact(value, text, weight):
    found = checked_weight(value, text=text)
    assert (found, type(found)) == (weight, type(weight))


@pytest.mark.parametrize(
    ("value", "text"),
    [(-1, False), (math.nan, False), (math.inf, False), (True, False), ("3", False), (None, False), ("x", True),
     ("", True), ("-1", True), ("1_0", True), ("nan", True), ("1e999", True), (" 1", True), ("9" * 4000, True),
     *((text, True) for text in ("1,200", "1,234,567", "1,2,3", "1.234,5", ",", "0,5 %", "a,b", "-0,5"))],
)  # fmt: skip
def test_what_is_no_weight_is_refused(value, text):
    either = value == "1,200"
    message = "could be thousands or decimals" if either else "a finite number, 0 or larger, in every row"
    with pytest.raises(InputError, match=message):
        checked_weight(value, text=text)


def test_sums_of_weights_are_rounded_once():
    assert weighted_sum([(7, 1), (2, 3)], "w") == 13
    assert isinstance(weighted_sum([(7, 1)], "w"), int)
    assert weighted_sum([(F(1, 2), 1), (F(1, 8), 2)], "w") == 0.75
    tenth, huge = F(0.1), 2**53 + 1
    assert weighted_sum([(tenth, 3), (F(0.7), 3)], "w") == float(3 * (tenth + F(0.7)))
    assert weighted_sum([(tenth, 3), (F(0.7), 1), (huge, 5)], "w") == float(3 * tenth + F(0.7) + 5 * huge)
    with pytest.raises(InputError, match="w: the weights sum to infinity"):
        weighted_sum([(F(10**400, 3), 1)], "w")


@pytest.mark.parametrize(
    ("value", "expected"),
    [("0", 0), ("12", 12), ("3.0", 3), (4, 4), (5.0, 5), ("2e3", 2000), ("1" * 19, int("1" * 19))],
)
def test_counts_of_rows_are_whole_numbers(value, expected):
    assert (checked_count(value), type(checked_count(value))) == (expected, int)


@pytest.mark.parametrize(
    "value", ["", "x", "-1", "1.5", "nan", "1e999", "٣", " 3", True, None, -1, 1.5, math.nan, 2**64, "9" * 19]
)
def test_what_is_no_count_of_rows_is_refused(value):
    with pytest.raises(InputError, match="a whole number, 0 or larger, in every row"):
        checked_count(value)


def part(total, *, least=0, most=1, n_null=0, n_rows=2):
    """Return what a group-by says about the weights of a cell."""
    return n_rows, total, least, most, n_rows - n_null


@pytest.mark.parametrize(
    ("parts", "amounts"),
    [
        ([], []), ([part(3), part(4)], [3, 4]), ([part(3.0), part(4.0)], [3, 4]),
        ([part(3.5), part(4.0)], [3.5, 4.0]), ([part(2.0**53)], [2**53]),
        ([part(2.0**53), part(1.0)], [2.0**53, 1.0]), ([part(2.0**60)], [2.0**60]),
        ([part(2**62)], [2**62]), ([part(2**62, most=2**61)], [2**62]),
    ],
)  # fmt: skip
def test_amounts_are_whole_if_all_sums_are(parts, amounts):
    found = amounts_of(parts, "w", "f")
    assert found == amounts
    assert [type(one) for one in found] == [type(one) for one in amounts]
    assert amounts_of([(3,), (4,)], None, "f") == [3, 4]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([part(3, n_null=1)], "column 'w' of f: 1 row has no number as weight"),
        ([part(3, n_null=1), part(3, n_null=1)], "2 rows have no number as weight"),
        ([(3, None, None, None, 2)], "1 row has no number as weight"),
        ([part(3, least=-1)], "found -1"),
        ([part(3), part(3, least=-0.5)], "found -0.5"),
        ([part(3, most=math.inf)], "found NaN or infinity"),
        ([part(3, least=math.nan)], "found NaN or infinity"),
        ([part(math.inf)], "found NaN or infinity"),
        ([part(math.nan)], "found NaN or infinity"),
        ([part(pd.NA)], "found NaN or infinity"),
        ([part(2**62), part(2**62)], r"more than 2\*\*63 - 1"),
        ([part(5, most=2**62)], r"more than 2\*\*63 - 1"),  # a sum that may have wrapped around
    ],
)
def test_bad_weights_show_in_their_sums(parts, message):
    with pytest.raises(InputError, match=message):
        amounts_of(parts, "w", "f")


def test_integers_add_up_as_integers_and_reals_with_one_rounding():
    assert exact_sum([MOST, 1]) == 2**63
    assert exact_sum([0.1] * 10) == 1.0
    assert exact_sum([1, 0.5]) == 1.5
    records = [("a", "b", 0.1)] * 10 + [("a", "a", 1), (1, "a", 2), (True, "a", 3), ("a", "b", 0.1)]
    found = Confusion.from_cells(records, weighted=True).records()
    assert found == [(True, "a", 3), (1, "a", 2), ("a", "a", 1), ("a", "b", math.fsum([0.1] * 11))]
    for numbers in ([1.5e308] * 2, [10**400, 0.5]):
        with pytest.raises(CountError, match="the weights sum to inf, too large to be added up"):
            exact_sum(numbers)


def parts_of(weights):
    """Return the same amounts as cells and as counts."""
    cells = [Confusion.from_cells([("a", "a", each)], weighted=True) for each in weights]
    return cells, [ClassCounts.of(["a"], tp=[each], predicted=[each], actual=[each]) for each in weights]


def test_a_total_is_rounded_once_in_any_order():
    weights = [0.1, 1e16, 0.7, 0.3]
    for parts in (*parts_of(weights), *parts_of(weights[::-1])):
        assert parts[0].total(parts).class_counts().tp == (math.fsum(weights),)


@pytest.mark.parametrize("weights", [[2**62] * 2, [2**62] * 5, [5e300] * 3])
def test_a_total_that_does_not_fit_is_rejected(weights):
    """Five parts of 2**62 would wrap around to a positive number."""
    for parts in parts_of(weights):
        with pytest.raises(CountError, match="sum to"):
            parts[0].total(parts)


def test_values_of_groups_are_plain_and_missing_ones_none():
    values = [np.int64(3), np.float64(2.0), math.nan, pd.NA, pd.NaT, "x", 1.5, None, np.str_("y")]
    assert [group_value(value) for value in values] == [3, 2, None, None, None, "x", 1.5, None, "y"]
    assert {type(group_value(value)).__module__ for value in values} == {"builtins"}


@pytest.mark.parametrize(
    ("labels", "kinds", "typed"),
    [
        (["1", "-2", "x", "--3"], {int}, [1, -2, "x", "--3"]),
        (["1", "2"], {int, str}, ["1", "2"]),
        (["True", "FALSE", "1"], {bool}, [True, False, "1"]),
        (["True"], {str}, ["True"]),
    ],
)
def test_labels_typed_as_text_take_the_type_of_the_data(labels, kinds, typed):
    found = typed_labels(labels, kinds)
    assert found == typed
    assert [type(label) for label in found] == [type(label) for label in typed]
