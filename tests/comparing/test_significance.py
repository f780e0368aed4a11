"""Three tests on joint patterns: against row-by-row computation, against SciPy, and on cases with known answers."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, kstest
from scipy.stats import t as student

import macrof1
from macrof1.comparing import significance
from macrof1.comparing.compared import checked_options
from macrof1.comparing.ranking import holm
from macrof1.comparing.reliability import differing
from macrof1.comparing.significance import paired_evidence, wald_p
from macrof1.convention import DEFAULT, FORMULAS, Convention
from macrof1.counting.arrays import confusion
from macrof1.sampling import resampling as exchanges
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.patterns import Patterns
from macrof1.sampling.resampling import randomisation_p, resamples, rescored, shuffled_p
from macrof1.sampling.samples import Sample
from macrof1.sampling.standard_errors import influence, jackknife_influence


def options(n_resamples, rng=0):
    return checked_options([], n_resamples=n_resamples, rng=rng)


def systems(n_rows=300, n=3, seed=0, share=0.5):
    rng = np.random.default_rng(seed)
    gold = rng.choice(n, n_rows, p=np.arange(n, 0, -1) / np.arange(n, 0, -1).sum())
    a = np.where(rng.random(n_rows) < 0.7, gold, rng.integers(0, n, n_rows))
    b = np.where(rng.random(n_rows) < share, a, np.where(rng.random(n_rows) < 0.6, gold, rng.integers(0, n, n_rows)))
    return gold, a, b


def test_the_delta_method_is_the_variance_of_row_differences():
    gold, a, b = systems()
    found = paired_evidence(joint_patterns(gold, {"a": a, "b": b}), options(100, 0))
    # An independent way: the jackknife over rows, which agrees to first order.
    for formula in FORMULAS:
        n, d = len(gold), []
        for k in ~np.eye(n, dtype=bool):
            one, two = (getattr(macrof1.score(gold[k], side[k]), formula) for side in (a, b))
            d.append(one - two)
        d = np.array(d)
        jackknife = np.sqrt((n - 1) / n * ((d - d.mean()) ** 2).sum())
        assert found.pair_errors[formula][0, 1] == pytest.approx(jackknife, rel=0.02)
        difference = getattr(macrof1.score(gold, a), formula) - getattr(macrof1.score(gold, b), formula)
        expected = 2 * student.sf(abs(difference) / found.pair_errors[formula][0, 1], found.pair_df[formula][0, 1])
        assert found.p["delta"][formula][0, 1] == pytest.approx(expected, rel=1e-9)


STRANGE = [np.array(list(words)) for words in ("xyxy" * 15, "xyxx" * 15, "xyxz" * 9 + "xyxy" * 6)]
WEIGHTS = np.random.default_rng(7).exponential(1.0, 100)


@pytest.mark.parametrize(
    ("rows", "weights"),
    [(systems(150, share=0.8), None), (systems(100, share=0.2), WEIGHTS), (STRANGE, None)],
    ids=["rows", "weights", "a label that one system alone has"],
)
def test_randomisation_equals_swapping_rows(rows, weights):
    gold, a, b = rows
    rng = np.random.default_rng(2)
    patterns = joint_patterns(gold, {"a": a, "b": b}, sample_weight=weights)
    p = paired_evidence(patterns, options(4000, rng)).p["randomisation"]

    def apart(first, second):
        found = [macrof1.score(gold, side, sample_weight=weights) for side in (first, second)]
        return np.array([abs(getattr(found[0], f) - getattr(found[1], f)) for f in FORMULAS])

    swaps = rng.random((2000, len(gold))) < 0.5
    as_far = sum(apart(np.where(swap, b, a), np.where(swap, a, b)) >= apart(a, b) - 1e-12 for swap in swaps)
    assert [p[f][0, 1] for f in FORMULAS] == pytest.approx(as_far / 2000, abs=0.045)
    assert (as_far > 0).all()


def test_randomisation_is_exact_where_all_exchanges_can_be_listed():
    # Three rows on which the systems differ: 8 exchanges, 2 of them as extreme as what was seen.
    gold = ["x", "y"] * 10
    a = list(gold)
    b = ["y", "x", "y", *gold[3:]]
    found = paired_evidence(joint_patterns(gold, {"a": a, "b": b}), options(20_000, 0))
    assert found.p["randomisation"]["averaged_f1"][0, 1] == pytest.approx(2 / 8, abs=0.01)


@pytest.mark.parametrize("n_rows", [700, 5000])
def test_blocks_of_patterns_give_the_same_counts_in_total(monkeypatch, n_rows):
    monkeypatch.setattr("macrof1.sampling.resampling._BLOCK", 1)
    gold, a, b = systems(n_rows, n=9, share=0.1)
    patterns = joint_patterns(gold, {"a": a, "b": b})
    assert len(patterns.amounts) > 2 * 64
    rng = np.random.default_rng(0)
    (part,) = resamples(patterns, 400, rng)
    assert (part.actual.sum(0) == n_rows).all()
    assert (part.predicted.sum(1) == n_rows).all()
    counts = patterns.alone(0).class_counts()
    assert part.tp[0].mean(1) == pytest.approx(counts.tp, rel=0.1)
    assert part.actual.var(1) == pytest.approx([n * (1 - n / n_rows) for n in counts.actual], rel=0.4)
    (flips,) = resamples(patterns, 400, rng, coins=True)
    assert flips.predicted[1].mean(1) == pytest.approx(
        [n / 2 for n in patterns.alone(1).class_counts().predicted], rel=0.1
    )
    assert flips.actual.sum(0).var() == pytest.approx(n_rows / 4, rel=0.4)


def test_equal_systems_do_not_differ():
    gold, a, _ = systems()
    found = paired_evidence(joint_patterns(gold, {"a": a, "b": a}), options(200, 0))
    for test in ("delta", "bootstrap", "randomisation"):
        for formula in FORMULAS:
            assert found.p[test][formula][0, 1] == 1
    assert found.flip_probability[0, 1] == 0


def test_p_values_are_roughly_uniform_under_the_null():
    # benchmarks/coverage.py does this at length; here a smaller sample guards against gross errors.
    rng = np.random.default_rng(3)
    found = {test: [] for test in ("delta", "bootstrap", "randomisation")}
    for _ in range(150):
        gold = rng.integers(0, 3, 400)
        a, b = (np.where(rng.random(400) < 0.7, gold, rng.integers(0, 3, 400)) for _ in range(2))
        evidence = paired_evidence(joint_patterns(gold, {"a": a, "b": b}), options(200, rng))
        for test, values in found.items():
            values.append(evidence.p[test]["averaged_f1"][0, 1])
    for values in found.values():
        assert kstest(values, "uniform").pvalue > 0.005


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_by_its_definition(p):
    adjusted = holm(p)
    for value, own in zip(p, adjusted, strict=True):
        assert own == min(1.0, max((sum(q >= r for q in p)) * r for r in p if r <= value))
    # Holm is never bolder than Benjamini and Hochberg, who control less.
    assert all(np.array(adjusted) >= false_discovery_control(p) - 1e-12)


def test_a_difference_without_error_is_certain():
    p = wald_p(np.array([[0.0, 0.2]]), np.array([[0.0, 0.0]]))
    assert p.tolist() == [[1.0, 0.0]]


def test_two_rows_are_never_enough():
    # The Wald test sees a difference of 1 without any error; of the 4 exchanges of two rows, two are as extreme.
    gold, right, wrong = ["x", "y"], ["x", "y"], ["y", "x"]
    for test in ("delta", "bootstrap", "randomisation"):
        (pair,) = macrof1.compare(gold, {"a": right, "b": wrong}, test=test).comparisons
        assert pair.averaged_f1.p["delta"] < 0.01
        assert pair.averaged_f1.p["randomisation"] >= 0.5
        assert pair.averaged_f1.p_decides >= 0.5
        assert not pair.averaged_f1.significant
        assert not pair.f1_of_averages.significant
        assert pair.n_differing == 2
    counts = {"a": confusion(gold, right), "b": confusion(gold, wrong)}
    (pair,) = macrof1.compare(counts).comparisons
    assert pair.averaged_f1.p["delta"] < 0.01
    # 6 ways to deal out 4 rows by twos, 2 of them as far apart.
    assert pair.averaged_f1.p_decides == pytest.approx(1 / 3, abs=0.05)
    assert not pair.averaged_f1.significant
    (pair,) = macrof1.compare(gold, {"a": [right] * 3, "b": [wrong] * 3}).comparisons  # with three equal runs, too
    assert not pair.averaged_f1.significant
    assert any("differ on 2 rows only" in doubt for doubt in pair.doubts)


@pytest.mark.parametrize("n_differing", range(1, 9))
def test_randomisation_never_falls_below_what_so_many_rows_can_show(n_differing):
    gold = ["x", "y"] * 20
    worse = [{"x": "y", "y": "x"}[label] for label in gold[:n_differing]] + gold[n_differing:]
    for seed in range(5):
        (pair,) = macrof1.compare(gold, {"a": gold, "b": worse}, n_resamples=100, rng=seed).comparisons
        assert pair.n_differing == n_differing
        assert pair.averaged_f1.p["randomisation"] >= 2.0 ** (1 - n_differing)
        assert pair.averaged_f1.significant <= (2.0 ** (1 - n_differing) <= 0.05)


@given(st.lists(st.tuples(*[st.sets(st.sampled_from("abc"))] * 3), min_size=1, max_size=12))
def test_rows_that_differ_are_counted_for_labels_and_for_sets(rows):
    rows = [({"a"}, {"a"}, {"b"}), *rows]
    gold, x, y = map(list, zip(*rows, strict=True))
    found, worth, _ = differing(joint_patterns(gold, {"x": x, "y": y, "gold": gold}))
    assert (found == worth).all()
    for (i, one), (j, two) in product(enumerate((x, y, gold)), repeat=2):
        assert found[i, j] == sum(a != b for a, b in zip(one, two, strict=True))
    single = [[min(labels or {"c"}) for labels in side] for side in (gold, x, y)]
    found, *_ = differing(joint_patterns(single[0], {"x": single[1], "y": single[2]}))
    assert found[0, 1] == sum(a != b for a, b in zip(single[1], single[2], strict=True))


@pytest.mark.parametrize("facts", [{}, {"sample_weight": WEIGHTS}, {"cluster": np.arange(100) // 4}])
@pytest.mark.parametrize("sets", [False, True])
def test_only_rows_on_which_systems_differ_are_exchanged(sets, facts):
    columns = [np.resize(side, 100) for side in systems(37)]
    if sets:
        columns = [[{int(label), "also"} - {row % 3} for row, label in enumerate(side)] for side in columns]
    gold, a, b = columns
    patterns = joint_patterns(gold, {"a": a, "b": b, "again": a}, **facts)
    kept = patterns.where_systems_differ()
    n_kept = 100 if sets else sum(x != y for x, y in zip(a, b, strict=True))
    assert kept.amounts.sum() == n_kept
    assert (kept.weights is None, kept.clusters is None) == (patterns.weights is None, patterns.clusters is None)
    for first, second in ((0, 1), (1, 2), (0, 2)):
        before, after = (
            [np.subtract(*sides) for sides in zip(part.alone(first).sums(), part.alone(second).sums(), strict=True)]
            for part in (patterns, kept)
        )
        np.testing.assert_allclose(after, before, atol=1e-12)
    equal = joint_patterns(gold, {"a": a, "again": a}, **facts)
    assert equal.where_systems_differ() is equal


def test_doubts_end_where_there_are_rows_enough():
    gold, a, b = systems(2000)
    (pair,) = macrof1.compare(gold, {"a": a, "b": b}, n_resamples=100).comparisons
    assert pair.n_differing > 50
    assert pair.doubts == ()
    assert pair.averaged_f1.p_decides == pair.averaged_f1.p_holm["delta"]
    few = a.copy()
    few[:7] = (few[:7] + 1) % 3
    result = macrof1.compare(gold, {"a": a, "few": few}, n_resamples=100)
    assert result.comparisons[0].doubts == ("they differ on 7 rows only, of 50 wanted",)
    assert any("normal approximation is not trusted (they differ on 7 rows only" in note for note in result.notes)
    assert not any("not trusted" in note for note in macrof1.compare(gold, {"a": a, "b": b}, n_resamples=100).notes)
    rare, never = gold.copy(), a.copy()
    rare[:4], never[never == 1] = 3, 0
    reasons = macrof1.compare(rare, {"a": a, "b": b, "never": never}, n_resamples=100).comparisons
    assert all("1 class is gold on fewer than 10 rows" in pair.doubts for pair in reasons)
    assert any("2 classes are predicted on fewer than 10 rows" in pair.doubts for pair in reasons)
    sides = {"a": confusion(gold[:60], a[:60]), "b": confusion(gold, b)}
    assert "one has 60 rows only, of 90 wanted" in macrof1.compare(sides).comparisons[0].doubts


def test_few_rows_raise_few_false_alarms():
    # benchmarks/few_rows.py does this at length.
    rng = np.random.default_rng(5)
    samples, alarms = 200, np.zeros(2)
    for _ in range(samples):
        gold = rng.integers(0, 5, 12)
        a, b = (np.where(rng.random(12) < 0.7, gold, rng.integers(0, 5, 12)) for _ in range(2))
        own_gold = rng.permutation(gold)
        other = np.where(rng.random(12) < 0.7, own_gold, rng.integers(0, 5, 12))
        paired = macrof1.compare(gold, {"a": a, "b": b}, n_resamples=100, rng=rng)
        counts = {"a": confusion(gold, a), "b": confusion(own_gold, other)}
        for at, result in enumerate((paired, macrof1.compare(counts, n_resamples=100, rng=rng))):
            found = result.comparisons[0].f1_of_averages
            alarms[at] += found.significant
    # 5 in 100, and three standard errors of that many samples.
    assert (alarms / samples < 0.05 + 3 * np.sqrt(0.05 * 0.95 / samples)).all()


@pytest.mark.parametrize("classes", ["union", "gold", "seen", "listed"])
def test_shuffled_rows_find_what_is_there_and_equal_a_shuffle_of_rows(classes):
    rng = np.random.default_rng(6)
    gold, a, b = systems(40, share=0.2)
    # A class that is gold on one side only, and one that is never gold.
    golds, a[:4] = (gold, np.where(np.arange(40) < 4, 3, gold)), 4
    labels = range(6) if classes == "listed" else None
    sides = list(zip(golds, (a, b), strict=True))
    cells = [Patterns.of_cells(confusion(*side, labels=labels)) for side in sides]
    ours = shuffled_p(cells[0], cells[1], Convention(classes=classes), 4000, rng)
    rows = np.concatenate([np.stack(side, 1) for side in sides])

    def apart(formula, *parts):
        one, two = (getattr(macrof1.score(*part, labels=labels, classes=classes), formula) for part in parts)
        return abs(one - two)

    for formula in FORMULAS:
        seen, as_far = apart(formula, *sides), 0
        for _ in range(1500):
            dealt = rng.permutation(rows).T
            as_far += apart(formula, dealt[:, :40], dealt[:, 40:]) >= seen - 1e-12
        assert ours[formula] == pytest.approx(as_far / 1500, abs=0.05)


def test_counts_without_doubt_apart_are_significant_in_spite_of_few_rows():
    gold = systems(40, share=0.2)[0]
    better = {"a": confusion(gold, gold), "b": confusion(gold, (gold + 1) % 3)}
    (pair,) = macrof1.compare(better).comparisons
    assert pair.doubts
    assert pair.averaged_f1.significant


@pytest.mark.parametrize(("share", "n_worse", "tests"), [(0.5, 0, []), (0.97, 0, []), (1, 30, ["randomisation"])])
def test_resamples_that_take_long_are_drawn_where_asked_for_or_in_doubt(share, n_worse, tests, monkeypatch):
    # Systems that hardly differ are in doubt, and need no other test where the normal one finds nothing.
    gold, a, b = systems(400, share=share)
    worse, tests = np.flatnonzero(gold == b)[:n_worse], {"delta", *tests}
    b[worse] = (b[worse] + 1) % 3
    rows, counts = (gold, {"a": a, "b": b}), ({"a": confusion(gold, a), "b": confusion(gold, b)},)
    drawn = [macrof1.compare(*given) for given in (rows, counts)]
    monkeypatch.setattr(significance, "_MOST_DRAWS", 400)
    quick = [macrof1.compare(*given) for given in (rows, counts)]
    assert [set(found.comparisons[0].averaged_f1.p) for found in quick] == [tests, {"delta"}]
    for one, other in zip(drawn, quick, strict=True):
        assert one.comparisons[0].flip_probability is not None
        assert other.comparisons[0].flip_probability is None
        for formula in FORMULAS:
            same = ["significant", "interval", "verdict", "standard_error"]
            pair = [getattr(found.comparisons[0], formula) for found in (one, other)]
            assert [getattr(pair[0], name) for name in same] == [getattr(pair[1], name) for name in same]
            intervals = [[getattr(system, f"{formula}_interval") for system in found.systems] for found in (one, other)]
            assert intervals[0] == intervals[1]
    assert set(macrof1.compare(*rows, test="bootstrap").comparisons[0].averaged_f1.p) == tests | {"bootstrap"}
    assert "randomisation" in macrof1.compare(*rows, test="randomisation").comparisons[0].averaged_f1.p


def test_deals_in_pieces_are_the_same_deals_in_little_memory(monkeypatch):
    rng = np.random.default_rng(5)
    cells = [Patterns.of_cells(confusion(*rng.integers(0, 60, (2, n)))) for n in (3000, 2500)]
    whole = shuffled_p(cells[0], cells[1], DEFAULT, 400, np.random.default_rng(1))
    # 140 and 143 of 400, counted from all deals at once with sums added cell by cell.
    assert whole == {"averaged_f1": 141 / 401, "f1_of_averages": 144 / 401}
    monkeypatch.setattr(exchanges, "_MOST_NUMBERS", 1 << 15)
    tracemalloc.start()
    try:
        pieces = shuffled_p(cells[0], cells[1], DEFAULT, 400, np.random.default_rng(1))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert pieces == whole
    # All deals at once hold more than 2,000 cells x 400 numbers of 8 bytes.
    assert peak < 2000 * 400 * 8


def test_equal_scores_are_not_told_apart_by_which_errors_are_made():
    # Both are wrong on the same 80 rows, x by calling them b, y by calling them c: the scores differ by 0.0015.
    gold = ["a"] * 800 + ["b"] * 100 + ["c"] * 100
    rest = ["b"] * 70 + ["a"] * 30 + ["c"] * 74 + ["a"] * 26
    x, y = (["a"] * 720 + [wrong] * 80 + rest for wrong in "bc")
    (pair,) = macrof1.compare(gold, {"x": x, "y": y}, test="randomisation").comparisons
    found = pair.averaged_f1
    assert abs(found.difference) == pytest.approx(0.0015, abs=1e-4)
    assert found.p["randomisation"] <= 0.01
    assert found.p["delta"] == pytest.approx(0.87, abs=0.01)
    assert found.p_decides >= found.p["delta"]
    assert not found.significant


def test_a_baseline_leaves_as_many_tests_as_there_are_others():
    gold, a, b = systems(400)
    _, c, d = systems(400, seed=1)
    names = {"a": a, "b": b, "c": c, "d": d}
    all_pairs = macrof1.compare(gold, names, n_resamples=200)
    against = macrof1.compare(gold, names, n_resamples=200, baseline="b")
    assert (all_pairs.pairs, against.pairs) == (6, 3)
    assert all("b" in (pair.a, pair.b) for pair in against.comparisons)
    assert against.kendall_tau == all_pairs.kendall_tau
    every = {(pair.a, pair.b): pair for pair in all_pairs.comparisons}
    for pair in against.comparisons:
        assert pair.b == "b"
        same = every.get((pair.a, pair.b)) or every[pair.b, pair.a]
        assert pair.averaged_f1.p == same.averaged_f1.p
    p = [pair.averaged_f1.p["delta"] for pair in against.comparisons]
    assert [pair.averaged_f1.p_holm["delta"] for pair in against.comparisons] == holm(p)
    with pytest.raises(macrof1.InputError, match="baseline"):
        macrof1.compare(gold, names, baseline="e")


def test_p_values_that_resamples_cannot_reach_are_not_printed_as_1():
    gold, a, b = systems(300)
    rng = np.random.default_rng(0)
    names = {"a": a, "b": b}
    for name in "cdef":
        names[name] = np.where(rng.random(300) < 0.8, gold, rng.integers(0, 3, 300))
    result = macrof1.compare(gold, names, n_resamples=100)
    assert result.pairs == 15
    for pair in result.comparisons:
        assert pair.averaged_f1.p_holm["delta"] is not None
        assert pair.averaged_f1.p_holm["bootstrap"] is pair.averaged_f1.p_holm["randomisation"] is None
        assert 0 < pair.averaged_f1.p["bootstrap"] <= 1
    assert any("n_resamples=300 or more" in note for note in result.notes)
    chosen = macrof1.compare(gold, names, n_resamples=100, test="bootstrap")
    assert all(pair.averaged_f1.p_decides is None for pair in chosen.comparisons)
    assert not any(pair.averaged_f1.significant for pair in chosen.comparisons)
    enough = macrof1.compare(gold, names, n_resamples=300)
    assert all(pair.averaged_f1.p_holm["bootstrap"] is not None for pair in enough.comparisons)


@pytest.mark.parametrize("classes", [3, 70])
@pytest.mark.parametrize("accuracy", [0.2, 0.9])
def test_compiled_and_numpy_sums_of_draws_give_the_same_tests(monkeypatch, accuracy, classes):
    rng = np.random.default_rng(4)
    gold = rng.integers(0, classes, 3000)
    systems = {
        name: np.where(rng.random(3000) < accuracy, gold, rng.integers(0, classes, 3000)) for name in ("x", "y", "z")
    }
    found = macrof1.compare(gold, systems, n_resamples=300).to_dict()
    monkeypatch.setattr("macrof1.sampling.resampling.compiled_path", lambda: None)
    assert macrof1.compare(gold, systems, n_resamples=300).to_dict() == found


@pytest.mark.parametrize("varying", [False, True])
@pytest.mark.parametrize(("beta", "undefined"), [(1.0, 0), (0.5, 1), (2.0, 0)])
def test_compiled_and_numpy_ratios_of_resamples_are_the_same_to_the_bit(monkeypatch, beta, undefined, varying):
    rng = np.random.default_rng(7)
    draws = rng.integers(0, 4, (4, 9, 300)).astype(np.float32)  # hits and wrong predictions of two systems
    draws[:, :3] *= rng.random((4, 3, 300)) < 0.3
    ours, theirs = ((draws[i], draws[i] + draws[i + 1], None) for i in (0, 2))
    base = np.stack([draws[0].max(1), (draws[0] + draws[1]).max(1), rng.integers(0, 5, 9)]).astype(float)
    convention, at = Convention(beta=beta, undefined=undefined), np.array([0, 1, 2, 5, 8])
    drawn = (draws[0], draws[0] + draws[1], draws[0] + draws[2])
    calls = [(theirs, at, convention, base, ours, varying), (drawn, at, convention, None, (None,) * 3, varying)]
    found = [rescored(*call) for call in calls]
    monkeypatch.setattr("macrof1.sampling.resampling.compiled_path", lambda: None)
    for call, scores in zip(calls, found, strict=True):
        assert all(map(np.array_equal, rescored(*call), scores))
        assert len(set(scores.averaged_f1.tolist())) > 100


def test_a_system_has_the_same_scores_and_errors_alone_as_among_others():
    rng = np.random.default_rng(8)
    gold = rng.integers(0, 4, 2000)
    systems = {name: np.where(rng.random(2000) < 0.7, gold, rng.integers(0, 5, 2000)) for name in ("x", "y", "z")}
    together = joint_patterns(gold, systems, labels=range(4))
    assert len(together.alone(1).amounts) < len(together.amounts)
    for place, (name, pred) in enumerate(systems.items()):
        sides = together.alone(place), joint_patterns(gold, {name: pred}, labels=range(4))
        assert sides[0].class_counts() == sides[1].class_counts()
        among, alone = (Sample(side, DEFAULT) for side in sides)
        assert among.at.tolist() == alone.at.tolist()
        assert among.point.values == alone.point.values
        for formula in FORMULAS:
            for moved in (
                [influence(one.patterns, one.point.gradients[formula]) for one in (among, alone)],
                [jackknife_influence(one.patterns, one.left.score(formula)) for one in (among, alone)],
            ):
                spread = sides[0].spread(moved[0])
                assert len(spread) == len(together.amounts)
                error = np.dot(sides[1].amounts, moved[1] ** 2)
                assert np.dot(together.amounts, spread**2) == pytest.approx(error, rel=1e-12)


def test_only_the_ratios_of_weights_matter_where_exchanges_empty_a_class():
    # Sums of tenths leave a rest where sums of whole numbers leave 0.
    rng = np.random.default_rng(9)
    for _ in range(12):
        gold, a, b = (rng.integers(0, 4, 10).tolist() for _ in range(3))
        weights = rng.integers(1, 8, 10)
        found = [
            macrof1.compare(gold, {"a": a, "b": b}, sample_weight=some, undefined=1, n_resamples=200).comparisons
            for some in (weights, weights / 10)
        ]
        for formula in FORMULAS:
            whole, tenths = (getattr(pair, formula).p for (pair,) in found)
            assert tenths == pytest.approx(whole, rel=1e-9)


def test_exchanges_report_their_progress_pair_by_pair():
    gold, a, b = systems(60, share=0.5)
    foreign = np.where(np.arange(60) == 7, 3, a)  # a class of its own
    patterns = joint_patterns(gold, {"a": a, "b": b, "again": b, "foreign": foreign})
    scores = {f: np.zeros(4) for f in FORMULAS}
    steps = []
    randomisation_p(patterns, DEFAULT, scores, 100, np.random.default_rng(0), steps.append)
    assert sum(steps) == pytest.approx(1)
    # Half of it for the draws, and of the other half a share for each pair.
    assert steps[-6:] == pytest.approx([1 / 12] * 6)


def test_more_rows_than_can_be_dealt_are_dealt_by_coins(monkeypatch):
    gold, a, b = systems(300, seed=2, share=0.2)
    for n in (300, 100):
        cells = [Patterns.of_cells(confusion(gold[:n], a[:n])), Patterns.of_cells(confusion(gold, b))]
        dealt = shuffled_p(*cells, DEFAULT, 2000, np.random.default_rng(0))
        with monkeypatch.context() as patch:
            patch.setattr(exchanges, "_MOST_DEALT", n + 300)  # as many are too many
            tossed = shuffled_p(*cells, DEFAULT, 2000, np.random.default_rng(0))
        assert tossed != dealt
        assert tossed == pytest.approx(dealt, abs=0.04)
