"""What is said about systems: ranks, flips that cannot be, intervals of differences and the four words about them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata

import macrof1
from macrof1.comparing.ranking import cannot_flip, kendall_tau, ranks
from macrof1.sampling.student import quantile

from ..strategies import matrices

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


SCORES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0])
TWO = st.lists(st.tuples(SCORES, SCORES), min_size=2, max_size=12)


@given(TWO)
def test_ties_share_a_rank(pairs):
    first = [a for a, _ in pairs]
    assert ranks(first) == rankdata([-a for a in first], method="min").tolist()


def test_rounding_makes_no_rank():
    assert ranks([0.1 + 0.2, 0.3, 0.2]) == [1, 1, 3]
    assert kendall_tau([0.1 + 0.2, 0.3], [0.3, 0.4]) is None


@given(TWO)
def test_tau_is_scipys(pairs):
    first, second = zip(*pairs, strict=True)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert kendall_tau(first, second) is None
    else:
        assert kendall_tau(first, second) == pytest.approx(kendalltau(first, second).statistic, abs=1e-12)


@given(matrices(cells=st.integers(0, 9), least=3, most=3), matrices(cells=st.integers(0, 9), least=3, most=3))
def test_what_cannot_flip_does_not(first, second):
    a, b = (macrof1.score_matrix(matrix, rows="gold") for matrix in (first, second))
    settled = cannot_flip((a.averaged_f1, b.averaged_f1), (a.f1_of_averages, b.f1_of_averages), (3, 3))
    assert settled[0][1] == settled[1][0]
    if settled[0][1]:
        assert (a.averaged_f1 > b.averaged_f1) == (a.f1_of_averages > b.f1_of_averages)
        assert a.averaged_f1 != b.averaged_f1


def test_far_apart_cannot_flip_and_close_can():
    assert cannot_flip((0.9, 0.4), (0.91, 0.45), (2, 2))[0][1]
    assert not any(map(any, cannot_flip((0.7, 0.69), (0.71, 0.72), (2, 2))))
    assert [cannot_flip((0.95, 0.5), (0.95, 0.6), (n, n))[1][0] for n in (2, 5, 50)] == [True, True, True]
    for n in (1000, 1001, 1_000_000):  # from 1,001 on by limits that hold for any number
        found = [cannot_flip((0.9, low), (0.9, low), (n, n))[0][1] for low in (0.799, 0.801)]
        assert found == [True, False]
