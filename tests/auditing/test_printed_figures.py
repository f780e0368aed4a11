"""Figures as printed: the values behind them, their steps, and counts of rows."""

from decimal import Decimal
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from macrof1 import InputError
from macrof1.auditing.printed_figures import (
    column_decimals,
    decimals_of,
    float_slack,
    read_count,
    read_ratio,
    roughly,
    significant_digits,
)

STEP = F(1, 100)


@pytest.mark.parametrize(
    ("rounding", "below", "above"),
    [("round", STEP / 2, STEP / 2), ("truncate", F(0), STEP), ("unknown", STEP / 2, STEP)],
)
def test_a_figure_stands_for_everything_that_is_shortened_to_it(rounding, below, above):
    figure = read_ratio("0.80", "macro F1", percent=False, rounding=rounding)
    assert figure.bounds == (F(80, 100) - below, F(80, 100) + above)
    assert (figure.below, figure.above, figure.unit) == (below, above, STEP)
    assert (figure.decimals, figure.scale, figure.floating, figure.steps) == (2, 1, False, 80)
    assert read_ratio("0.00", "F1", percent=False, rounding=rounding).bounds == (0, above)
    assert read_ratio("1.00", "F1", percent=False, rounding=rounding).bounds == (1 - below, 1)
    percent = read_ratio("80.0", "F1", percent=True, rounding=rounding)
    assert percent.bounds == (F(8, 10) - below / 10, F(8, 10) + above / 10)
    assert (percent.unit, percent.decimals, percent.scale, percent.steps) == (F(1, 1000), 1, 100, 800)


def test_lost_zeros_are_given_back_and_no_digit_is_taken():
    assert read_ratio("0.8", "F1", percent=False, decimals=3).bounds == (F(7995, 10_000), F(8005, 10_000))
    assert read_ratio("0.80", "F1", percent=False, decimals=2).decimals == 2
    with pytest.raises(InputError, match="with 2 decimals"):
        read_ratio("0.80", "F1", percent=False, decimals=1)
    assert read_ratio("0." + "1" * 60, "F1", percent=False).decimals == 60
    with pytest.raises(InputError, match="at most 60"):
        read_ratio("0." + "1" * 61, "F1", percent=False)


@pytest.mark.parametrize(("percent", "most"), [(False, "1.0"), (True, "100.0")])
def test_no_ratio_is_above_1(percent, most):
    assert read_ratio(most, "F1", percent=percent).bounds[1] == 1
    with pytest.raises(InputError, match="from 0 to " + most.removesuffix(".0")):
        read_ratio(most[:-1] + "1", "F1", percent=percent)


def test_a_float_in_full_may_be_off_by_the_error_of_its_computation():
    slack = F(1, 10**6)
    figure = read_ratio("0.12345678", "F1", percent=False, rounding="truncate", slack=slack)
    assert figure.below == figure.above == F(1, 2 * 10**8) + slack
    assert figure.floating
    assert figure.truncated() is figure


@pytest.mark.parametrize("rounding", ["round", "truncate", "unknown"])
def test_a_truncated_figure_lies_above_what_is_printed(rounding):
    figure = read_ratio("0.80", "F1", percent=False, rounding=rounding).truncated()
    assert figure.bounds == (F(80, 100), F(81, 100))
    assert (figure.below, figure.above) == (0, STEP)
    assert read_ratio("1.00", "F1", percent=False).truncated().bounds == (1, 1)
    count = read_count("3", "total")
    assert count.truncated() is count


@pytest.mark.parametrize("rounding", ["round", "unknown"])
@pytest.mark.parametrize("percent", [False, True])
@given(ends=st.tuples(*[st.fractions(0, 1, max_denominator=400)] * 2).map(sorted))
def test_the_steps_of_an_interval_are_those_that_could_be_printed(rounding, percent, ends):
    figure = read_ratio("50" if percent else "0.50", "F1", percent=percent, rounding=rounding)
    low, high = ends
    expected = [step for step in range(101) if step * STEP - figure.below <= high and step * STEP + figure.above >= low]
    assert list(figure.steps_of((low, high))) == expected
    for step in expected:
        assert figure.at(step).bounds == (max(0, step * STEP - figure.below), min(1, step * STEP + figure.above))
        assert figure.at(step).steps == step


@given(ends=st.tuples(*[st.fractions(0, 1, max_denominator=400)] * 2).map(sorted))
def test_the_steps_of_a_truncated_figure_are_cut_off(ends):
    figure = read_ratio("0.50", "F1", percent=False, rounding="truncate")
    low, high = ends
    assert list(figure.steps_of((low, high))) == [
        step for step in range(101) if step * STEP <= high and (step + 1) * STEP > low
    ]


def test_the_steps_of_a_count_are_whole_numbers_without_a_limit():
    figure = read_count("7", "total")
    assert list(figure.steps_of((F(5, 2), F(11, 2)))) == [3, 4, 5]
    assert list(figure.steps_of((F(-3), F(2)))) == [0, 1, 2]
    assert figure.at(9).bounds == (9, 9)
    assert (figure.printed(12), figure.text, figure.steps, figure.unit, figure.scale) == ("12", "7", 7, 1, 1)


def test_an_interval_is_shown_with_two_more_decimals_rounded_outwards():
    figure = read_ratio("0.5", "F1", percent=False)
    assert figure.shown((F(1, 3), F(2, 3))) == "0.333 to 0.667"
    assert figure.shown((F(2, 3), F(2, 3))) == "0.667"
    assert figure.shown((F(1, 4), F(3, 4))) == "0.250 to 0.750"
    assert read_ratio("50.0", "F1", percent=True).shown((F(1, 3), F(2, 3))) == "33.333 to 66.667"
    assert read_ratio("50.0", "F1", percent=True).shown((F(1, 3), F(1, 3))) == "33.333"


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("0", 0), ("0.000", 0), ("1.000.000", 1_000_000), ("1.234.000", 1_234_000),
        (" 12 ", 12), ("3,532", 3532), ("1,234,567", 1_234_567), ("3.532", 3532), ("3 532", 3532),
        ("3'532", 3532), ("3’532", 3532), ("12.0", 12), ("12.00", 12), ("12.0000", 12),
        ("10.500", 10_500), (12, 12), (np.int64(5), 5), (12.0, 12), (Decimal(7), 7), (2**99 - 1, 2**99 - 1),
        ("9" * 39, 10**39 - 1),
    ],
)  # fmt: skip
def test_a_count_is_a_whole_number(value, count):
    figure = read_count(value, "total")
    assert figure.bounds == (count, count)
    assert figure.text == str(count)


@pytest.mark.parametrize(
    "value",
    ["", "-1", -1, "1.5", 1.5, Decimal("0.5"), True, None, "3.000", "12.000", "1 234.000", "100.000", float("nan"),
     float("inf"), Decimal("Infinity"), 2**99, "9" * 40, "1234,567", "12,34", "3..5", [], "1e3"],
)  # fmt: skip
def test_what_may_mean_two_numbers_is_no_count(value):
    with pytest.raises(InputError, match=r"^total is .*a whole number of rows, such as 3532 or 3,532"):
        read_count(value, "total")


DOUBLE, SINGLE = F(1, 2**53), F(1, 2**24)


@pytest.mark.parametrize(
    ("texts", "n", "slack"),
    [
        (["0.123456"], 3, None), (["0.1234567"], 3, 22 * SINGLE), (["0.123456789"], 3, 22 * SINGLE),
        (["0.1234567891"], 3, 22 * DOUBLE), (["0.12", "0.1234567891"], 3, 22 * DOUBLE),
        (["0.1234567", "0.1234567891"], 3, 22 * DOUBLE), (["0.1234567891"], None, 144 * DOUBLE),
        (["0.1234567891"], 1, 18 * DOUBLE), (["0.9423076510429382"], 2, 20 * SINGLE),
        (["0.9423076510429382", "0.1234567891"], 2, 20 * SINGLE), (["94.23076629638672%"], 2, 20 * SINGLE),
        (["0,9423076510429382"], 2, 20 * SINGLE), (["0.5000000", "0.1234567891"], 2, 20 * DOUBLE),
        (["1.2345678912e200"], 2, 20 * SINGLE),  # as every figure above 100, which is rejected later
    ],
)  # fmt: skip
def test_the_error_of_a_float_follows_from_its_digits(texts, n, slack):
    assert float_slack(texts, n) == slack


def test_a_one_above_zeros_has_as_many_digits_as_its_neighbours():
    assert [significant_digits(text) for text in ("1.00", "10.0", "0.10", "0.11", "2.00", "1.01", "1e10", "0")] == [
        2, 2, 1, 2, 3, 3, 0, 0
    ]  # fmt: skip


def column(*texts, macro=None, kind="f1"):
    """Return a column by class, and the macro figure below it."""
    keys = {(f"c{place}", kind): text for place, text in enumerate(texts)}
    return keys | ({} if macro is None else {(None, kind): macro})


@pytest.mark.parametrize(
    ("texts", "lost"),
    [
        (column("0.81", "0.8"), {"c1": 2}),
        (column("0.8123", "0.81"), {"c1": 4}),
        (column("0.8123", "0.8"), {}),  # three zeros are too many
        (column("0.8123", "1"), {"c1": 4}),
        (column("0.8123", "0.0"), {"c1": 4}),
        (column("0.8123", "1,0"), {"c1": 4}),
        (column("81.23", "100%"), {"c1": 2}),
        (column("0.80", "0.8"), {}),  # zeros are kept
        (column("0.80%", "0.8"), {}),
        (column(".8123", ".0"), {}),  # so is the one of .0
        (column("0.81", "0.5", macro="0.6"), {"c1": 2, None: 2}),
        (column("0.8123", "0.81", macro="0.81"), {"c1": 4}),  # the macro figure was rounded
        (column("0.8123", "0.81", macro="0.812"), {"c1": 4, None: 4}),
        (column("0.8123", "0.81", macro="1"), {"c1": 4}),
        (column("0.81", macro="0.8123"), {}),
        (column("0.812345671", "0.5", macro="0.61"), {"c1": 9}),
        (column("0.812345671", "0.50"), {"c1": 9}),
        (column("0.812345671", "0.5", macro="0.61234567"), {"c1": 9, None: 9}),
        (column("0.0909091", "0.954545", macro="0.522727"), {}),  # six significant digits
        (column("0.0909091", "0.95454", "0.5", "1"), {"c1": 6, "c3": 6}),
        (column("9.09091", "95.4545", "95.454"), {"c2": 4}),
        (column("0.0625", "0.25"), {"c1": 3}),
        (column("20", "8"), {}),
        (column("0.81", "0.82"), {}),
        ({}, {}),
    ],
)
def test_lost_zeros_show_in_the_column(texts, lost):
    assert column_decimals(texts) == {(label, "f1"): decimals for label, decimals in lost.items()}
    # Other columns, and what is no column, are nobody's business.
    others = {("x", "recall"): "0.9999999", ("x", "tp"): "0.5"}
    assert column_decimals({**texts, **others}) == column_decimals(texts)


@pytest.mark.parametrize(("text", "n"), [("0.80", 2), ("84,3 %", 1), ("1", 0), ("1.", 0), (".5", 1), ("12.345%", 3)])
def test_decimals_are_counted_as_printed(text, n):
    assert decimals_of(text) == n


def test_an_empty_interval_stays_empty_however_near_its_ends_are():
    third, near = F(1, 3), F(1, 3) + F(1, 10**30)
    assert float(third) == float(near)
    assert roughly((near, third)) == (near, third)
    low, high = roughly((third, near))
    assert low < third < near < high
    assert roughly((F(0), F(1))) == (0.0, 1.0)
