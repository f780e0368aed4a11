"""Intervals over units other than classes: the units are the sample."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

import macrof1
from macrof1.counts import CLUSTER
from macrof1.errors import InputError
from macrof1.sampling.unit_intervals import unit_notes


def of_lists(units):
    """Return counts of queries from (tp, predicted, actual) of each."""
    tp, predicted, actual = zip(*units, strict=True)
    return macrof1.ClassCounts.of(range(len(units)), tp=tp, predicted=predicted, actual=actual, over="query")


def queries(seed, n=60, empty=0):
    rng = np.random.default_rng(seed)
    actual, predicted = rng.integers(1, 8, n), rng.integers(1, 8, n)
    tp = rng.binomial(np.minimum(actual, predicted), 0.7)
    units = np.stack([tp, predicted, actual], axis=1)
    units[:empty] = 0
    return of_lists(units.tolist())


RATIOS = {
    "averaged_f1": lambda tp, predicted, actual: Fraction(2 * tp, predicted + actual),
    "macro_precision": lambda tp, predicted, _: Fraction(tp, predicted),
    "macro_recall": lambda tp, _, actual: Fraction(tp, actual),
}
# Good queries, perfect ones, useless ones, and others.
UNITS = [(3, 3, 3)] * 9 + [(1, 2, 3)], [(3, 3, 3)] * 30, [(0, 2, 3)] * 30, [(1, 2, 3), (2, 5, 2)] * 20


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("of", RATIOS)
def test_the_default_ends_where_wilson_and_student_end(of, units):
    values, n = [RATIOS[of](*unit) for unit in units], len(units)
    mean = sum(values) / n
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    dispersion = (n * variance + Fraction(1, 2)) / (n * mean * (1 - mean) + Fraction(1, 2))
    reach = stats.t.ppf(0.95, n - 1)
    # (θ - x)² = reach² x (1 - x) D / n
    part, theta = reach**2 * float(dispersion) / n, float(mean)
    low, high = sorted(np.roots([1 + part, -(2 * theta + part), theta**2]).real)
    far = reach * float(variance / n) ** 0.5
    student = max(0, theta - far), min(1, theta + far)
    result = macrof1.score_counts(of_lists(units))
    delta, found = (result.interval(of, confidence_level=0.9, method=method) for method in ("delta", None))
    assert (delta.low, delta.high) == pytest.approx(student)
    assert found.standard_error == pytest.approx(far / reach)
    ends = min(low, student[0]), max(high, student[1])  # of a root at 0 or 1, half the digits are right
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-7)
    assert found.method == "combined"


few = st.integers(0, 4)
unit = st.builds(lambda tp, wrong, missed: (tp, tp + wrong, tp + missed), few, few, few)


@given(st.lists(unit, min_size=2, max_size=30), st.sampled_from(["averaged_f1", "f1_of_averages", "gap"]))
def test_the_default_contains_the_estimate_and_students_interval_and_shrinks(units, of):
    assume(any(predicted + actual for _, predicted, actual in units))
    once, often = (macrof1.score_counts(of_lists(units * times), empty=0) for times in (1, 9))
    found, student, more = once.interval(of), once.interval(of, method="delta"), often.interval(of)
    assert 0 <= found.low <= student.low <= found.estimate + 1e-12
    assert found.estimate - 1e-12 <= student.high <= found.high <= 1
    assert more.high - more.low < found.high - found.low


def test_of_many_ordinary_units_the_default_is_students_and_one_bad_unit_does_little():
    for of in ("averaged_f1", "f1_of_averages", "gap", "macro_precision", "macro_recall"):
        result = macrof1.score_counts(queries(9, n=1000))
        ours, student = result.interval(of), result.interval(of, method="delta")
        assert ours.high - ours.low <= 1.05 * (student.high - student.low)
    for n, least in ((200, 0.97), (10_000, 0.999)):
        one = macrof1.score_counts(of_lists([(0, 1, 1), *[(1, 1, 1)] * (n - 1)])).interval()
        none = macrof1.score_counts(of_lists([(1, 1, 1)] * n)).interval()
        assert least < one.low < none.low < one.estimate < one.high == none.high == 1


@pytest.mark.parametrize("of", ["averaged_f1", "f1_of_averages", "gap"])
@pytest.mark.parametrize("options", [{}, {"empty": "drop"}, {"undefined": "drop"}, {"beta": 2.0}])
def test_errors_are_those_of_the_jackknife(of, options):
    counts = queries(2, n=400, empty=20)
    columns = [np.array(column) for column in counts.columns]
    scores = []
    for left in range(400):
        rest = np.arange(400) != left
        tp, predicted, actual = (column[rest] for column in columns)
        part = macrof1.ClassCounts.of(range(399), tp=tp, predicted=predicted, actual=actual, over="query")
        scores.append(getattr(macrof1.score_counts(part, **options), of))
    jackknife = np.sqrt(399 / 400 * ((scores - np.mean(scores)) ** 2).sum())
    found = macrof1.score_counts(counts, **options).interval(of)
    assert found.standard_error == pytest.approx(jackknife, rel=0.02)


def test_weights_of_rows_are_linearised():
    rng = np.random.default_rng(0)
    gold, pred = rng.random((300, 6)) < 0.4, rng.random((300, 6)) < 0.4
    equal = macrof1.score(gold, pred, over="rows", empty=0).interval("f1_of_averages")
    same = macrof1.score(gold, pred, over="rows", empty=0, sample_weight=np.full(300, 2.5)).interval("f1_of_averages")
    assert (same.low, same.high) == pytest.approx((equal.low, equal.high))
    uneven = macrof1.score(gold, pred, over="rows", empty=0, sample_weight=rng.exponential(size=300))
    assert uneven.interval("f1_of_averages").standard_error > equal.standard_error


def test_clusters_of_units_are_the_sample_and_one_unit_per_cluster_changes_nothing():
    rng = np.random.default_rng(3)
    gold, pred = rng.random((300, 6)) < 0.4, rng.random((300, 6)) < 0.5
    alone = macrof1.score(gold, pred, over="rows", empty=0)
    each = macrof1.score(gold, pred, over="rows", empty=0, cluster=rng.permutation(300))
    assert each.interval("gap").standard_error == pytest.approx(alone.interval("gap").standard_error)
    # Five copies of a row in one cluster say no more than one of them; the counts of a document's rows are pooled.
    rows = np.repeat(np.arange(60), 5)
    once = macrof1.score(gold[:60], pred[:60], over="rows", empty=0)
    for options in ({"over": "rows"}, {"over": {"query": np.arange(300)}}):
        found = macrof1.score(gold[rows], pred[rows], empty=0, cluster=rows, **options)
        for of in ("averaged_f1", "f1_of_averages", "gap"):
            ours, theirs = found.interval(of), once.interval(of)
            assert (ours.low, ours.high, ours.n_clusters) == pytest.approx((theirs.low, theirs.high, 60))
    assert "over:query|clusters:60" in found.signature()
    with pytest.raises(InputError, match="one cluster only"):
        macrof1.score(gold, pred, over="rows", cluster=[1] * 300).interval()
    for lose in (lambda: found.counts + found.counts, lambda: macrof1.save_counts(found.counts, "x.counts.json")):
        with pytest.raises(macrof1.MacroF1Error, match="units in clusters cannot be"):
            lose()  # clusters, and the interval would be too narrow


@pytest.mark.parametrize(("over", "repeated"), [("rows", True), ({"query": [1, 2, 3] * 2}, False)])
def test_rows_of_several_runs_are_not_a_sample_but_units_that_hold_them_are(over, repeated):
    gold, pred = [{"a"}, {"a", "b"}, {"b"}] * 2, [{"a"}, {"a"}, {"c"}, {"a"}, {"b"}, {"b"}]
    result = macrof1.score_groups(gold=gold, pred=pred, by={"seed": [1, 1, 1, 2, 2, 2]}, over=over)
    assert result.repeated == repeated
    if repeated:
        with pytest.raises(macrof1.MacroF1Error, match="runs on the same rows"):
            result.total.interval()
    else:
        assert result.total.interval().low < result.total.averaged_f1


@pytest.mark.parametrize("of", ["averaged_f1", "f1_of_averages", "gap"])
def test_the_bootstrap_draws_units(of):
    result = macrof1.score_counts(queries(6, n=200))
    ours, student = result.interval(of, method="bootstrap", n_resamples=4000), result.interval(of)
    assert (ours.low, ours.high) == pytest.approx((student.low, student.high), abs=0.15 * (student.high - student.low))
    assert ours.standard_error == pytest.approx(student.standard_error, rel=0.1)
    assert (ours.method, ours.n_resamples) == ("bootstrap", 4000)
    assert ours == result.interval(of, method="bootstrap", n_resamples=4000)


def test_notes_say_when_units_are_few_or_hardly_differ():
    assert macrof1.score_counts(queries(3, n=12)).interval().notes[0].code == "few_units"
    right = of_lists([(1, 1, 1)] * 48 + [(1, 2, 1)] * 2)
    for options, text in (({}, "50 queries hardly differ"), ({"method": "bootstrap"}, "50 queries are few for scores")):
        (note,) = macrof1.score_counts(right).interval(**options).notes
        assert (note.code, note[: len(text)]) == ("few_units", text)
    assert macrof1.score_counts(of_lists([(1, 1, 1)] * 50)).interval().notes[0].code == "no_variation"
    assert not macrof1.score_counts(queries(3, n=50)).interval().notes
    assert macrof1.score_counts(queries(3, n=50)).noise_floor is None


def test_bounds_and_audits_hold_over_units():
    rng = np.random.default_rng(8)
    for _ in range(30):
        actual, predicted = rng.integers(1, 9, (2, int(rng.integers(2, 7))))
        tp = rng.binomial(np.minimum(actual, predicted), 0.7)
        counts = macrof1.ClassCounts.of(range(len(tp)), tp=tp, predicted=predicted, actual=actual, over="document")
        result = macrof1.score_counts(counts)
        p, r, n = result.macro_precision, result.macro_recall, result.n_classes
        if tp.any():
            left = macrof1.bounds(precision=p, recall=r, n_classes=n, over="document")
            assert left.averaged_f1.low - 1e-12 <= result.averaged_f1 <= left.averaged_f1.high + 1e-12
        for formula in ("averaged_f1", "f1_of_averages"):
            rows = [(one.label, one.precision, one.recall, one.f1, one.actual) for one in result.per_class]
            lines = ["{} {:.3f} {:.3f} {:.3f} {}".format(*row) for row in rows]
            total = f"macro avg {p:.3f} {r:.3f} {getattr(result, formula):.3f} {actual.sum()}"
            text = "\n".join(["document precision recall f1 support", *lines, total])
            (report,) = macrof1.audit_text(text).reports
            assert report.result.verdict in (formula, "either")
            assert not report.result.findings


def test_the_gap_of_two_opposite_units_is_at_most_1():
    # A precision of 1 where nothing is predicted, a recall of 1 where nothing is gold: F1 of averages is 0.5.
    result = macrof1.score([{"a"}, set()], [set(), {"a"}], over="rows", undefined=1)
    assert result.gap == 0.5
    ends = [result.interval("gap", method="bootstrap", n_resamples=100, rng=seed) for seed in range(8)]
    assert max(found.high for found in ends) == 1
    assert min(found.high for found in ends) < 1
    assert all(found.low == max(0.0, found.high - 0.5) or found.high == 1 for found in ends)


@pytest.mark.parametrize(
    ("n", "n_odd", "method", "doubtful"),
    [(100, 2, "combined", True), (100, 3, "combined", False), (1000, 31, "delta", True), (1000, 32, "delta", False),
     (19, 9, "combined", True), (20, 10, "combined", False), (19, 9, "delta", True), (20, 10, "delta", False)],
)  # fmt: skip
def test_units_are_few_where_they_are_fewer_than_their_skewness_asks_for(n, n_odd, method, doubtful):
    # So many of n that differ from the rest have a squared skewness of (1 - 2 p)^2 / (p (1 - p)).
    moved = np.array([1 - n_odd / n] * n_odd + [-n_odd / n] * (n - n_odd))
    times, p = 3 if method == "combined" else 35, n_odd / n
    assert doubtful == (n < max(20, times * (1 - 2 * p) ** 2 / (p * (1 - p))))
    codes = [note.code for note in unit_notes(moved, CLUSTER, method)]
    assert codes == ["few_units"] * doubtful


def test_units_drawn_in_pieces_are_the_same_units(monkeypatch):
    result = macrof1.score_counts(queries(3))
    whole = result.interval("gap", method="bootstrap", n_resamples=300)
    for piece in (1, 60 * 7, 60 * 299):
        monkeypatch.setattr("macrof1.sampling.unit_intervals._PIECE", piece)
        pieces = result.interval("gap", method="bootstrap", n_resamples=300)
        assert (pieces.low, pieces.high) == pytest.approx((whole.low, whole.high), rel=1e-12)
