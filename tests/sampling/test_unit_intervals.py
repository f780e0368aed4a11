"""Intervals over units other than classes: the units are the sample."""

import numpy as np
import pytest
from scipy import stats

import macrof1
from macrof1.errors import InputError


def queries(seed, n=60, empty=0):
    """Draw tp, predicted and actual of so many queries."""
    rng = np.random.default_rng(seed)
    actual, predicted = rng.integers(1, 8, n), rng.integers(1, 8, n)
    tp = rng.binomial(np.minimum(actual, predicted), 0.7)
    for column in (tp, predicted, actual):
        column[:empty] = 0
    return macrof1.ClassCounts.of(range(n), tp=tp, predicted=predicted, actual=actual, over="query")


@pytest.mark.parametrize("of", ["averaged_f1", "macro_precision", "macro_recall"])
def test_a_mean_over_units_has_the_interval_of_student(of):
    result = macrof1.score_counts(queries(1))
    name = {"averaged_f1": "f1"}.get(of, of.removeprefix("macro_"))
    values = [getattr(unit, name) for unit in result.per_class]
    theirs = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    ours = result.interval(of, confidence_level=0.9)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    assert ours.standard_error == pytest.approx(stats.sem(values))


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
    right = macrof1.ClassCounts.of(range(50), tp=[1] * 50, predicted=[1] * 47 + [2] * 3, actual=[1] * 50, over="query")
    assert macrof1.score_counts(right).interval().notes[0].code == "few_units"
    alike = macrof1.ClassCounts.of(range(50), tp=[1] * 50, predicted=[1] * 50, actual=[1] * 50, over="query")
    assert macrof1.score_counts(alike).interval().notes[0].code == "no_variation"
    assert not macrof1.score_counts(queries(3, n=50)).interval().notes


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"of": "f1", "label": 3}, "for one query"),
        ({"method": "wilson"}, "with queries as the sample"),
        ({"of": "f2"}, "not valid"),
    ],
)
def test_what_assumes_classes_is_refused(options, reason):
    result = macrof1.score_counts(queries(4))
    with pytest.raises(InputError, match=reason):
        result.interval(**options)
    assert result.noise_floor is None


def test_one_unit_has_no_interval():
    with pytest.raises(InputError, match="one query only"):
        macrof1.score_counts(queries(5, n=1)).interval()


def test_bounds_and_audits_hold_over_units():
    rng = np.random.default_rng(8)
    for _ in range(30):
        actual, predicted = rng.integers(1, 9, (2, int(rng.integers(3, 7))))
        tp = rng.binomial(np.minimum(actual, predicted), 0.7)
        counts = macrof1.ClassCounts.of(range(len(tp)), tp=tp, predicted=predicted, actual=actual, over="document")
        result = macrof1.score_counts(counts)
        p, r, n = result.macro_precision, result.macro_recall, result.n_classes
        if tp.any():
            left = macrof1.bounds(precision=p, recall=r, n_classes=n)
            assert left.averaged_f1.low - 1e-12 <= result.averaged_f1 <= left.averaged_f1.high + 1e-12
        for formula in ("averaged_f1", "f1_of_averages"):
            rows = [(one.label, one.precision, one.recall, one.f1, one.actual) for one in result.per_class]
            lines = ["{} {:.3f} {:.3f} {:.3f} {}".format(*row) for row in rows]
            total = f"macro avg {p:.3f} {r:.3f} {getattr(result, formula):.3f} {actual.sum()}"
            text = "\n".join(["document precision recall f1 support", *lines, total])
            (report,) = macrof1.audit_text(text).reports
            assert report.result.verdict in (formula, "either")
            assert not report.result.findings
