"""Intervals of differences, the four words about them, and when nothing can be said."""

import numpy as np
import pytest

import macrof1
from macrof1.sampling.student import quantile

WORDS = {"better", "worse", "equivalent", "undecided"}


def rows(n=4000, right=(0.85, 0.85, 0.6), seed=0, alike=0.7):
    """Return gold and systems a, b, c with these accuracies, alike on a share of the rows."""
    rng = np.random.default_rng(seed)
    gold, draw, other = rng.integers(0, 3, n), rng.random(n), rng.integers(1, 3, n)
    systems = {}
    for name, share in zip("abc", right, strict=True):
        own = np.where(rng.random(n) < alike, draw, rng.random(n))
        systems[name] = np.where(own < share, gold, (gold + other) % 3)
    return gold, systems


def test_every_pair_has_an_interval_and_a_word():
    gold, systems = rows()
    result = macrof1.compare(gold, systems, equivalent=0.03, n_resamples=200)
    for pair in result.comparisons:
        for found in (pair.averaged_f1, pair.f1_of_averages):
            low, high = found.interval
            assert (high - found.difference) == pytest.approx(found.difference - low)
            assert (high - low) / 2 == pytest.approx(quantile(0.95, found.df) * found.standard_error)
            assert found.df > 100
    words = {(pair.a, pair.b): pair.averaged_f1.verdict for pair in result.comparisons}
    assert {word for pair, word in words.items() if "c" not in pair} == {"equivalent"}
    assert {word for pair, word in words.items() if "c" in pair} == {"better"}
    assert result.to_dict()["comparisons"][0]["averaged_f1"]["verdict"] in WORDS
    assert result.to_dict()["equivalent"] == 0.03
    # Without a margin nothing is equivalent.
    plain = macrof1.compare(gold, systems, n_resamples=200)
    assert sorted(pair.averaged_f1.verdict for pair in plain.comparisons) == ["better", "better", "undecided"]


def test_the_word_is_about_a_system_compared_with_the_baseline():
    gold, systems = rows()
    for baseline, expected in (("c", "better"), ("a", "worse")):
        result = macrof1.compare(gold, {name: systems[name] for name in "ac"}, baseline=baseline)
        (pair,) = result.comparisons
        assert (pair.b, pair.averaged_f1.verdict) == (baseline, expected)
        assert (pair.averaged_f1.difference > 0) == (expected == "better")


def test_a_few_equal_rows_do_not_make_systems_equivalent():
    gold = ["a", "b", "c"] * 3
    few = macrof1.compare(gold, {"x": gold, "y": gold}, equivalent=0.01).comparisons[0].averaged_f1
    assert few.verdict == "undecided"
    assert few.interval[0] < -0.02 < 0.02 < few.interval[1]
    many = macrof1.compare(gold * 3000, {"x": gold * 3000, "y": gold * 3000}, equivalent=0.01)
    assert many.comparisons[0].averaged_f1.verdict == "equivalent"


def test_equivalence_is_claimed_by_mistake_in_5_percent_at_most():
    """The true difference is the margin."""
    rng, claimed, n = np.random.default_rng(0), 0, 300
    truth = 0.05
    for _ in range(n):
        gold = rng.integers(0, 2, 1500)
        a = np.where(rng.random(1500) < 0.85, gold, 1 - gold)
        b = np.where(rng.random(1500) < 0.80, gold, 1 - gold)
        pair = macrof1.compare(gold, {"a": a, "b": b}, equivalent=truth, n_resamples=100).comparisons[0]
        claimed += pair.averaged_f1.verdict == "equivalent"
    assert claimed / n <= 0.085


def test_flips_say_whether_they_are_significant():
    gold = ["x"] * 1202 + ["y"] * 2330
    fosil = ["x"] * 1033 + ["y"] * 169 + ["x"] * 1967 + ["y"] * 363
    result = macrof1.compare(gold, {"fosil": fosil, "majority": ["y"] * 3532})
    assert result.discordant_pairs == 1
    (flip,) = result.flips
    pair = result.comparisons[0]
    assert flip.significant == (pair.averaged_f1.significant and pair.f1_of_averages.significant)
    assert result.significant_flips == int(flip.significant)
    published = {name: {"x": (0.5, 0.5), "y": (0.6, q)} for name, q in (("a", 0.5), ("b", 0.7))}
    assert macrof1.compare(published).significant_flips is None


def test_one_run_against_several_gets_no_star():
    gold, systems = rows(2000)
    several = [rows(2000, seed=0)[1]["a"], rows(2000, seed=0)[1]["b"]]
    result = macrof1.compare(gold, {"a": several, "c": [systems["c"]]})
    (pair,) = result.comparisons
    assert pair.averaged_f1.p["delta"] < 0.001
    assert not pair.averaged_f1.significant
    assert pair.averaged_f1.verdict == "undecided"
    assert "one run of a system does not tell how much its runs differ" in pair.doubts
    assert any("no difference from it is called significant" in note for note in result.notes)
    assert any("in no case, as there is no other test of several runs" in note for note in result.notes)
