"""Intervals: against the literature, numerical gradients, resampled rows, and known facts about the gap."""

import json
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.stats import ks_2samp

import macrof1
from macrof1.convention import Convention
from macrof1.counting.arrays import confusion
from macrof1.errors import InputError
from macrof1.sampling import samples
from macrof1.sampling.intervals import FewRows, coverage_notes
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import resamples
from macrof1.sampling.standard_errors import influence, macro_scores

from ..strategies import BETAS, matrices

# The standard errors below were computed independently of this package, to six digits.
MATRIX = [[60, 5, 2], [8, 20, 5], [3, 4, 13]]
FORMULAS = ("averaged_f1", "f1_of_averages")
MEANS = (*FORMULAS, "macro_precision", "macro_recall")


def result():
    return macrof1.score_matrix(MATRIX, rows="gold")


def test_the_published_standard_errors():
    averaged, of_averages = (result().interval(formula, method="delta") for formula in FORMULAS)
    assert (round(averaged.estimate, 6), round(averaged.standard_error, 6)) == (0.721576, 0.046407)
    assert (round(of_averages.estimate, 6), round(of_averages.standard_error, 6)) == (0.722676, 0.046238)
    assert averaged.low == pytest.approx(averaged.estimate - 1.959964 * averaged.standard_error, abs=1e-7)
    assert averaged.high == pytest.approx(averaged.estimate + 1.959964 * averaged.standard_error, abs=1e-7)


def takahashi(table):
    """Variances of both macro F1s as Takahashi et al. 2022 write them; rows are gold."""
    n_rows, r = table.sum(), len(table)
    q = table / n_rows
    hit, row, column = np.diagonal(q), q.sum(1), q.sum(0)
    both = row + column
    f = 2 * hit / both
    off = q - np.diag(hit)
    a = (off * np.outer(f / both, f / both)).sum()
    b = (f * (both - 2 * hit) / both**2 * ((both - 2 * hit) / both + f / 2)).sum()
    averaged = 2 * (a + b) / (n_rows * r**2)
    precision, recall = hit / column, hit / row
    p, re = precision.mean(), recall.mean()
    var_p = (precision * (1 - precision) / column).sum() / (n_rows * r**2)
    var_r = (recall * (1 - recall) / row).sum() / (n_rows * r**2)
    within = ((row - hit) * (column - hit) * hit / (row**2 * column**2)).sum()
    across = (off * np.outer(hit / row**2, hit / column**2)).sum()
    cov = (within + across) / (n_rows * r**2)
    of_averages = 4 * (re**4 * var_p + 2 * p**2 * re**2 * cov + p**4 * var_r) / (p + re) ** 4
    return averaged, of_averages


@given(matrices(cells=st.integers(0, 50), least=2, positive_diagonal=True))
@settings(max_examples=100)
def test_the_textbook_variances(matrix):
    found = macrof1.score_matrix(matrix, rows="gold")
    for formula, variance in zip(FORMULAS, takahashi(np.array(matrix)), strict=True):
        error = found.interval(formula, method="delta").standard_error
        assert error == pytest.approx(variance**0.5, rel=1e-12, abs=1e-12)


@given(matrices(cells=st.integers(0, 30), least=2, most=4, positive_diagonal=True), BETAS)
@settings(max_examples=40)
def test_influence_is_the_numeric_gradient(matrix, beta):
    patterns = Patterns.of_cells(macrof1.Confusion.from_matrix(matrix, rows="gold"))
    convention = Convention(formula="averaged_f1", beta=beta)
    found = samples.Sample(patterns, convention).point
    n_rows = patterns.n_rows
    step = 1e-4
    for of in (*MEANS, "gap"):
        moved = influence(patterns, found.gradients[of]) * n_rows
        assert np.dot(patterns.amounts, moved) == pytest.approx(0, abs=1e-8)
        for cell in range(len(patterns.amounts)):
            values = []
            for sign in (2, 1, -1, -2):
                # Move mass towards one cell: the derivative is the influence of a row in it.
                share = patterns.amounts / n_rows
                share = share + sign * step * (np.eye(len(share))[cell] - share)
                sides = [np.zeros(len(matrix)) for _ in range(3)]
                gold, pred = patterns.gold.label, patterns.systems[0].label
                for side, label, weight in zip(
                    sides, (gold, pred, gold), (share * (gold == pred), share, share), strict=True
                ):
                    np.add.at(side, label, weight)
                scores = macro_scores(*(side[:, None] for side in sides), convention)
                exact = scores.f1_of_averages - scores.averaged_f1 if of == "gap" else getattr(scores, of)
                values.append(float(exact[0]))
            slope = (-values[0] + 8 * values[1] - 8 * values[2] + values[3]) / (12 * step)
            assert moved[cell] == pytest.approx(slope, rel=1e-8, abs=1e-8)


def test_the_f1_of_one_class():
    found = result().interval("f1", label=1)
    assert (found.of, found.label) == ("f1", 1)
    assert found.estimate == result().per_class[1].f1
    # Two classes, each a share of 1: the delta method for 2t / (2t + e), with t and e multinomial counts.
    t, e, n = 20, 22, 120
    f = 2 * t / (2 * t + e)
    variance = (4 * e**2 * t + 4 * t**2 * e) / (2 * t + e) ** 4
    assert found.estimate == pytest.approx(f)
    assert n == sum(map(sum, MATRIX))
    assert found.standard_error == pytest.approx(variance**0.5, rel=1e-12)
    boot = result().interval("f1", label=1, method="bootstrap", n_resamples=4000)
    assert boot.standard_error == pytest.approx(found.standard_error, rel=0.1)


def test_the_bootstrap_agrees_with_the_delta_method_on_large_samples():
    large = macrof1.score_matrix([[100 * cell for cell in row] for row in MATRIX], rows="gold")
    for of in MEANS:
        delta, boot = large.interval(of, method="delta"), large.interval(of, method="bootstrap", n_resamples=4000)
        assert boot.standard_error == pytest.approx(delta.standard_error, rel=0.05)
        assert boot.low == pytest.approx(delta.low, abs=0.1 * delta.standard_error * 3)
        assert (boot.method, boot.n_resamples, delta.n_resamples) == ("bootstrap", 4000, None)


def test_cells_resample_as_rows_do():
    rng = np.random.default_rng(5)
    gold = np.repeat(np.arange(3), [40, 25, 15])
    pred = np.where(rng.random(80) < 0.7, gold, rng.integers(0, 3, 80))
    by_cells = _bootstrapped(confusion(gold, pred, labels=range(3)), 2000)
    by_rows = {of: [] for of in (*FORMULAS, "gap")}
    for _ in range(2000):
        picked = rng.integers(0, 80, 80)
        found = macrof1.score(gold[picked], pred[picked], labels=range(3))
        for of, values in by_rows.items():
            values.append(getattr(found, of))
    for of, values in by_rows.items():
        assert ks_2samp(by_cells[of], values).pvalue > 0.01


def _bootstrapped(cells, n_resamples):
    patterns = Patterns.of_cells(cells)
    parts = [
        macro_scores(part.tp[0], part.predicted[0], part.actual)
        for part in resamples(patterns, n_resamples, np.random.default_rng(0))
    ]
    return {of: np.concatenate([getattr(part, of) for part in parts]) for of in (*FORMULAS, "gap")}


def test_multilabel_rows_resample_through_their_patterns():
    rng = np.random.default_rng(3)
    gold = rng.random((300, 4)) < [0.5, 0.3, 0.2, 0.1]
    pred = gold ^ (rng.random((300, 4)) < 0.15)
    dense = macrof1.score(gold, pred)
    sets = [[{str(i) for i in np.flatnonzero(row)} for row in side] for side in (gold, pred)]
    delta = dense.interval("averaged_f1")
    assert delta.estimate == dense.averaged_f1
    for other in (macrof1.score(*sets), macrof1.score(csr_array(gold), csr_array(pred))):
        assert other.interval("averaged_f1").standard_error == pytest.approx(delta.standard_error, rel=1e-12)
    rows = []
    for _ in range(1500):
        picked = rng.integers(0, 300, 300)
        rows.append(macrof1.score(gold[picked], pred[picked]).averaged_f1)
    boot = dense.interval("averaged_f1", method="bootstrap", n_resamples=3000)
    assert boot.standard_error == pytest.approx(np.std(rows), rel=0.08)
    assert boot.low == pytest.approx(np.quantile(rows, 0.025), abs=0.006)


def test_the_same_seed_gives_the_same_interval():
    one, other, same, generator = (
        result().interval(method="bootstrap", n_resamples=200, rng=rng) for rng in (7, 8, 7, np.random.default_rng(7))
    )
    assert one == same == generator != other


def test_the_noise_floor_of_the_gap():
    # Balanced classes, errors spread evenly: about n x (1 - x) / 2N.
    n, n_rows, x = 5, 5000, 0.4
    each = n_rows // n
    cells = np.full((n, n), round(each * x / (n - 1))) + np.diag([round(each * (1 - x - x / (n - 1)))] * n)
    floor = macrof1.score_matrix(cells, rows="gold").interval("gap").noise_floor
    assert floor == pytest.approx(n * x * (1 - x) / (2 * n_rows), rel=1e-3)
    # And in samples whose classes differ, against simulation: the truth is symmetric, so that the gap is 0.
    truth = np.array([[300, 60, 20], [60, 200, 30], [20, 30, 80]])
    rng = np.random.default_rng(0)
    samples = rng.multinomial(800, truth.reshape(-1) / truth.sum(), size=4000).reshape(-1, 3, 3)
    gaps = macro_scores(np.diagonal(samples, axis1=1, axis2=2).T, samples.sum(1).T, samples.sum(2).T).gap
    assert macrof1.score_matrix(truth, rows="gold").gap == 0
    scaled = macrof1.score_matrix(truth, rows="gold").interval("gap").noise_floor * truth.sum() / 800
    assert scaled == pytest.approx(gaps.mean(), rel=0.08)
    intervals = [macrof1.score_matrix(table, rows="gold").interval("gap") for table in samples[:60]]
    assert sum(found.low == 0 for found in intervals) >= 54


def test_the_gap_says_what_is_known_near_0():
    delta = result().interval("gap", method="delta")
    assert any("delta method fails near a gap of 0" in note for note in delta.notes)
    assert any("sampling noise, which alone makes a gap of about" in note for note in delta.notes)
    usual = result().interval("gap")
    assert usual.method == "combined"
    assert usual.noise_floor == delta.noise_floor > 0
    assert not any("delta" in note for note in usual.notes)
    assert usual.low == 0 < usual.estimate == result().gap < usual.high
    for method in ("combined", "bootstrap"):
        clear = macrof1.score_matrix([[1033, 1967], [169, 363]], rows="predicted").interval("gap", method=method)
        assert 4 * clear.noise_floor < clear.low < clear.estimate < clear.high
        assert clear.notes == ()


def test_poor_coverage_is_said_with_its_reason():
    few = macrof1.score([0, 1, 1, 2], [0, 1, 2, 2]).interval(method="delta")
    assert any(note.startswith("4 rows for 3 classes are few") for note in few.notes)
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 5, 5000)
    fine = macrof1.score(gold, np.where(rng.random(5000) < 0.8, gold, 0))
    assert fine.interval().notes == ()
    empty = macrof1.score(gold, np.where(gold == 4, 0, gold)).interval()
    assert any("1 of 5 classes is never predicted (4)" in note for note in empty.notes)
    gold[gold == 4] = 3
    gold[:3] = 4
    rare = macrof1.score(gold, gold)
    assert any("gold or predicted in fewer than 10 rows (4)" in note for note in rare.interval().notes)
    assert any("standard error is 0" in note for note in rare.interval(method="delta").notes)
    assert rare.interval().low < 1 == rare.interval().high


def test_listed_classes_and_the_gold_class_set_reach_the_interval():
    gold, pred = [0, 0, 0, 1, 1, 2] * 20, [0, 0, 1, 1, 3, 0] * 20
    for options in ({"labels": [0, 1, 2]}, {"labels": [0, 1, 2, 3, 4]}, {"classes": "gold"}, {"undefined": 1},
                    {"labels": [0, 1, 2, 4], "classes": "seen"}):  # fmt: skip
        scored = macrof1.score(gold, pred, **options)
        found = scored.interval(method="delta")
        assert found.estimate == scored.interval().estimate == scored.averaged_f1
        rules = Convention(classes=scored.classes, undefined=scored.undefined)
        own = samples.Sample(Patterns.of_cells(scored.cells), rules).point.values
        for formula in FORMULAS:
            assert own[formula] == pytest.approx(getattr(scored, formula), rel=1e-14)
        boot = scored.interval(method="bootstrap", n_resamples=3000)
        assert boot.standard_error == pytest.approx(found.standard_error, rel=0.1)


@pytest.mark.parametrize(("largest", "single"), [(2**23 - 1, True), (2**23, False), (2**27, False)])
def test_single_precision_is_exact_as_long_as_classes_are_small(monkeypatch, largest, single):
    matrix = np.full((4, 4), 2**20)
    matrix[0, 0] = largest - matrix[0, 1:].sum()
    patterns = Patterns.of_cells(macrof1.Confusion.from_matrix(matrix.tolist(), rows="gold"))
    assert patterns.n_rows >= 2**24
    found = [next(resamples(patterns, 300, np.random.default_rng(1), coins=coins)) for coins in (False, True)]
    assert {side.tp.dtype for side in found} == {np.dtype(np.float32 if single else np.float64)}
    monkeypatch.setattr("macrof1.sampling.resampling._EXACT_SINGLE", 1)
    for coins, one in zip((False, True), found, strict=True):
        double = next(resamples(patterns, 300, np.random.default_rng(1), coins=coins))
        for name in ("tp", "predicted", "actual"):
            assert np.array_equal(getattr(one, name), getattr(double, name))


def test_blocks_and_pieces_only_save_memory(monkeypatch):
    cells = macrof1.Confusion.from_matrix(MATRIX, rows="gold")
    whole = _bootstrapped(cells, 3000)
    monkeypatch.setattr("macrof1.sampling.resampling._BLOCK", 1)
    monkeypatch.setattr("macrof1.sampling.resampling._PIECE", 9 * 700)
    pieces = _bootstrapped(cells, 3000)
    assert len(pieces["averaged_f1"]) == 3000
    assert ks_2samp(whole["averaged_f1"], pieces["averaged_f1"]).pvalue > 0.01


def test_the_result_is_plain_json_and_can_be_pickled():
    for of in ("averaged_f1", "gap"):
        found = result().interval(of, method="bootstrap", n_resamples=100)
        assert json.loads(json.dumps(found.to_dict())) == found.to_dict()
        assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301  # our own bytes
    assert "noise_floor" in found.to_dict()
    multilabel = macrof1.score([{"a"}, {"b"}], [{"a"}, {"a", "b"}])
    assert pickle.loads(pickle.dumps(multilabel)).interval() == multilabel.interval()  # noqa: S301  # as above


def test_rows_that_changed_after_scoring_are_noticed_or_were_copied():
    rng = np.random.default_rng(0)
    gold = rng.random((300_000, 4)) < 0.3
    pred = gold ^ (rng.random((300_000, 4)) < 0.1)
    large, small = macrof1.score(gold, pred), macrof1.score(gold[:400], pred[:400])
    expected = small.interval("averaged_f1")
    assert large.interval("averaged_f1").low < large.averaged_f1
    gold[:, 0] = ~gold[:, 0]
    assert small.interval("averaged_f1") == expected
    with pytest.raises(macrof1.InputError, match="changed since they were scored"):
        large.interval("averaged_f1")


@pytest.mark.parametrize("compiled", [True, False])
def test_rows_that_changed_with_equal_margins_are_noticed_or_were_copied(compiled, monkeypatch):
    if not compiled:
        monkeypatch.setattr("macrof1.counting.kernel.integers.compiled_path", lambda: None)
    gold, pred = np.random.default_rng(0).integers(0, 400, (2, 100_000))
    weight = np.random.default_rng(1).integers(1, 4, 100_000)
    at = np.flatnonzero((gold != pred) & (gold != pred[-1]))
    swap = at[-1], at[0]
    for options in ({}, {"sample_weight": weight}):
        expected = macrof1.score(gold, pred, **options).cells
        for changed in (pred, *options.values()):
            result = macrof1.score(gold, pred, **options)
            changed[[*swap]] = changed[[*reversed(swap)]]
            if compiled and not options:
                with pytest.raises(macrof1.InputError, match="changed since they were scored"):
                    _ = result.cells
            else:
                assert result.cells == expected
            changed[[*swap]] = changed[[*reversed(swap)]]


def test_a_rarely_predicted_class_widens_the_interval_and_is_named():
    # A precision of 2 of 2 is not certain: 0.675 to 0.710 without a note was wrong.
    rare = macrof1.score_matrix([[540, 60, 0], [50, 250, 0], [60, 38, 2]], rows="gold")
    for formula in FORMULAS:
        found = rare.interval(formula)
        assert found.method == "combined"
        assert any("fewer than 10 rows (2)" in note for note in found.notes)
        assert any("fewer than 10 rows (2)" in note for note in rare.interval(formula, method="delta").notes)
    assert found.high - found.low > 2 * (0.710 - 0.675)


def wilson(successes, n, z=1.959963984540054):
    """Solve |p - p0| = z sqrt(p0 (1 - p0) / n) for p0."""
    p = successes / n
    roots = np.roots([1 + z**2 / n, -(2 * p + z**2 / n), p**2])
    return sorted(roots.real.tolist())


@given(matrices(cells=st.integers(0, 20), least=2, most=4))
@settings(max_examples=60)
def test_one_class_is_an_interval_for_a_share(matrix):
    scored = macrof1.score_matrix(matrix, rows="gold")
    for record in scored.per_class:
        n = record.actual + record.predicted - record.tp
        found = scored.interval("f1", label=record.label)
        assert found.low <= found.estimate <= found.high
        if not n:
            assert (found.low, found.high) == (0, 1)
            continue
        low, high = (2 * share / (1 + share) for share in wilson(record.tp, n))
        assert found.method == "wilson"
        assert (found.low, found.high) == (pytest.approx(low, abs=1e-7), pytest.approx(high, abs=1e-7))


def test_the_limits_of_a_share_are_shares_whatever_the_rounding():
    low, high = samples.wilson(np.array([[3e-17], [1]]), np.arange(1.0, 200), 2.0)
    assert (low.min() >= 0, high.max() <= 1) == (True, True)


def test_one_class_without_wilson_still_has_notes():
    scored = macrof1.score_matrix([[50, 3], [2, 2]], rows="gold")
    assert scored.interval("f1", label=1).notes == ()
    for method in ("combined", "delta", "bootstrap"):
        assert any("fewer than 10 rows (1)" in note for note in scored.interval("f1", label=1, method=method).notes)
    other = macrof1.score_matrix([[50, 3], [2, 2]], rows="gold", beta=2).interval("f1", label=1)
    assert other.method == "combined"
    with pytest.raises(InputError, match="method"):
        scored.interval("averaged_f1", method="wilson")


@given(matrices(cells=st.integers(0, 9), least=2, most=5))
@settings(max_examples=60)
def test_every_interval_holds_its_estimate_and_stays_within_0_and_1(matrix):
    scored = macrof1.score_matrix(matrix, rows="gold")
    for of in MEANS:
        narrow, wide = (scored.interval(of, confidence_level=level) for level in (0.8, 0.99))
        assert 0 <= wide.low <= narrow.low <= getattr(scored, of) + 1e-12
        assert getattr(scored, of) - 1e-12 <= narrow.high <= wide.high <= 1
        assert wide.low < wide.high


@pytest.mark.parametrize("method", ["combined", "delta", "bootstrap"])
@pytest.mark.parametrize("of", MEANS)
def test_rows_without_any_label_have_intervals_over_listed_classes(of, method):
    found = macrof1.score([set(), set()], [set(), set()], labels=["a", "b"]).interval(of, method=method)
    assert 0 == found.low == found.estimate <= found.high <= 1


def near_perfect(errors, rare):
    return macrof1.score_matrix([[1000 - errors, errors, 0], [0, 1000, 0], [0, 0, rare]], rows="gold")


@pytest.mark.parametrize("of", MEANS)
@pytest.mark.parametrize("rare", [10, 20, 50])
def test_a_few_errors_neither_explode_an_interval_nor_lift_its_lower_end(of, rare):
    lows = [near_perfect(errors, rare).interval(of).low for errors in range(21)]
    assert min(lows) > 1 - 1.6 / rare
    assert max(after - before for before, after in pairwise(lows)) < 0.005


def test_one_error_in_ten_thousand_rows():
    found = macrof1.score_matrix([[8999, 1, 0], [0, 980, 0], [0, 0, 20]], rows="gold")
    assert found.interval().notes == ("Only 1 row is wrong: the interval's actual coverage may be lower.",)
    assert macrof1.score_matrix([[8989, 11, 0], [0, 980, 0], [0, 0, 20]], rows="gold").interval().notes == ()
    assert [round(found.interval(of).low, 2) for of in FORMULAS] == [0.97, 0.95]
    assert found.interval("gap").high < 0.001


@pytest.mark.parametrize("of", [*MEANS, "gap"])
def test_a_label_that_is_never_gold_is_a_constant(of):
    plain, stray = [[90_000, 3000], [2000, 105_000]], [[90_000, 3000, 0], [2000, 104_999, 1], [0, 0, 0]]
    alone, found = (macrof1.score_matrix(matrix, rows="gold").interval(of) for matrix in (plain, stray))
    if of != "gap":
        assert found.high - found.low == pytest.approx(2 / 3 * (alone.high - alone.low), rel=0.01)
    assert found.high - found.low < 0.002
    assert [note.code for note in found.notes] == ["never_gold"]
    assert "1 of 3 classes is never gold (2)" in found.notes[0]


def test_a_class_with_one_row_does_not_spoil_the_others():
    table = np.full((11, 11), 110)
    table[:, 10] = table[10] = 0
    np.fill_diagonal(table, [9000] * 10 + [1])
    found = macrof1.score_matrix(table.tolist(), rows="gold").interval()
    assert (round(found.low, 2), round(found.high, 2)) == (0.85, 0.91)


@given(matrices(cells=st.integers(0, 40), least=2, most=5))
@settings(max_examples=60)
def test_no_interval_is_wider_than_what_the_classes_allow(matrix):
    scored = macrof1.score_matrix(matrix, rows="gold")
    records = scored.per_class
    intervals = [scored.interval("f1", label=record.label) for record in records]
    limits = [(one.low, one.high) for one in intervals]
    ends = [(limit if record.actual else (record.f1, record.f1)) for limit, record in zip(limits, records, strict=True)]
    low, high = np.mean(ends, axis=0)
    found = scored.interval("averaged_f1")
    assert low - 1e-12 <= found.low <= found.high <= high + 1e-12


def test_the_gap_has_an_interval_like_the_others():
    big = macrof1.score_matrix([[1033, 1967], [169, 363]], rows="predicted").interval("gap")
    delta = macrof1.score_matrix([[1033, 1967], [169, 363]], rows="predicted").interval("gap", method="delta")
    assert (big.low, big.high) == (pytest.approx(delta.low, abs=0.002), pytest.approx(delta.high, abs=0.002))
    # Nothing is wrong in 150 rows: the gap of other samples need not be 0.
    assert 0 < macrof1.score_matrix(np.diag([40, 40, 40, 30]).tolist(), rows="gold").interval("gap").high < 0.01


@pytest.mark.parametrize(
    ("n_rows", "n_wrong", "few"),
    [(300, 3, False), (301, 3, True), (100, 1, False), (101, 1, True), (9_999, 0, False), (5_000, 9, True),
     (5_000, 10, False)],
)  # fmt: skip
def test_fewer_errors_than_one_row_in_a_hundred_and_than_ten_are_few(n_rows, n_wrong, few):
    codes = [note.code for note in coverage_notes(n_rows, 2, FewRows((), n_wrong=n_wrong), "combined")]
    assert codes == ["few_errors"] * few


@pytest.mark.parametrize(("n_rows", "n_classes", "few"), [(299, 2, 1), (300, 10, 0), (329, 11, 1), (330, 11, 0)])
def test_300_rows_and_30_per_class_are_enough_for_the_normal_approximation(n_rows, n_classes, few):
    for method in ("delta", "bootstrap"):
        codes = [note.code for note in coverage_notes(n_rows, n_classes, FewRows(()), method)]
        assert codes == ["few_rows"] * few
