"""How many rows it takes to detect a difference: against the formula, and what a pilot cannot determine."""

import math

import numpy as np
import pytest

import macrof1
from macrof1.comparing.inputs import run_plan
from macrof1.comparing.significance import Systems
from macrof1.convention import DEFAULT
from macrof1.errors import InputError
from macrof1.request import Request
from macrof1.sampling.joint import joint_patterns
from macrof1.sampling.planning import detectable_difference


def pilot(n_rows=800, seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.choice(3, n_rows, p=[0.5, 0.3, 0.2])
    a = np.where(rng.random(n_rows) < 0.7, gold, rng.integers(0, 3, n_rows))
    b = np.where(rng.random(n_rows) < 0.7, a, np.where(rng.random(n_rows) < 0.7, gold, rng.integers(0, 3, n_rows)))
    return gold, a, b


def test_the_plan_is_the_formula_on_the_error_that_compare_has():
    gold, a, b = pilot()
    found = macrof1.plan(gold, {"a": a, "b": b}, difference=0.01)
    (pair,) = macrof1.compare(gold, {"a": a, "b": b}, n_resamples=100).comparisons
    systems = Systems(joint_patterns(gold, {"a": a, "b": b}), DEFAULT)
    for formula in ("averaged_f1", "f1_of_averages"):
        # What compare adds for rows not seen does not count: there will be more of them.
        moved = systems.moved(formula, "jackknife")
        error = math.sqrt(systems.patterns.units @ (moved[0] - moved[1]) ** 2)
        assert error <= getattr(pair, formula).standard_error
        expected = (1.959964 + 0.841621) ** 2 * error**2 * len(gold) / 0.01**2
        assert found.rows[formula] == pytest.approx(expected, rel=0.01)
        assert found.low[formula] < found.rows[formula] < found.high[formula]
        # With as many rows as the plan says, the difference is just what can be found.
        assert error * math.sqrt(len(gold) / found.rows[formula]) * 2.801585 == pytest.approx(0.01, rel=0.01)
    assert found.n_rows == found.rows["averaged_f1"]
    assert pair.averaged_f1.detectable == pytest.approx(
        detectable_difference(pair.averaged_f1.standard_error, df=pair.averaged_f1.df)
    )


def test_rows_of_their_own_need_more():
    gold, a, b = pilot()
    systems = {"a": a, "b": b}
    paired = macrof1.plan(gold, systems, difference=0.01)
    apart = macrof1.plan(gold, systems, difference=0.01, paired=False)
    assert apart.n_rows > 1.2 * paired.n_rows
    half = macrof1.plan(gold, systems, difference=0.02)
    assert half.n_rows == pytest.approx(paired.n_rows / 4, rel=0.01)
    assert macrof1.plan(gold, systems, difference=0.01, power=0.9).n_rows > paired.n_rows


def test_one_system_gives_a_range():
    gold, a, _ = pilot()
    found = macrof1.plan(gold, {"a": a}, difference=0.01)
    assert found.high["averaged_f1"] > 2 * found.low["averaged_f1"]
    assert any("one system" in note for note in found.notes)
    error = macrof1.score(gold, a).interval(method="delta").standard_error
    expected = 2.801585**2 * 2 * (1 - 0.2) * error**2 * len(gold) / 0.01**2
    assert found.n_rows == pytest.approx(expected, rel=0.02)


def test_a_small_pilot_leaves_a_range_that_holds_the_answer():
    gold, a, b = pilot(40_000)
    truth = macrof1.plan(gold, {"a": a, "b": b}, difference=0.02).n_rows
    inside = 0
    for start in range(0, 30_000, 300):
        part = slice(start, start + 300)
        found = macrof1.plan(gold[part], {"a": a[part], "b": b[part]}, difference=0.02, labels=range(3))
        inside += found.low["averaged_f1"] <= truth <= found.high["averaged_f1"]
    assert 85 <= inside <= 100


def test_clusters_need_more_rows():
    rng = np.random.default_rng(1)
    document = np.repeat(np.arange(60), 10)
    gold = rng.integers(0, 3, 600)
    hard = rng.normal(size=(2, 60))[:, document]
    a, b = (np.where(rng.random(600) < 1 / (1 + np.exp(-1 - 1.5 * side)), gold, 0) for side in hard)
    plain = macrof1.plan(gold, {"a": a, "b": b}, difference=0.02)
    clustered = macrof1.plan(gold, {"a": a, "b": b}, difference=0.02, cluster=document)
    assert clustered.n_rows > 1.3 * plain.n_rows
    assert clustered.n_clusters == 60


def test_policies_are_those_of_compare_in_memory_and_in_files(tmp_path):
    gold, a, b = (["abc"[label] for label in side] for side in pilot(200))
    loud = [label.upper() if place % 3 else label for place, label in enumerate(a)]
    odd = [label if place % 7 else "refused" for place, label in enumerate(b)]
    path = tmp_path / "pilot.csv"
    path.write_text("gold,x,y\n" + "".join(",".join(row) + "\n" for row in zip(gold, loud, odd, strict=True)))
    listed = {"labels": list("abc"), "difference": 0.02}
    plain = macrof1.plan(gold, {"x": a, "y": odd}, **listed)
    assert macrof1.plan(gold, {"x": loud, "y": odd}, **listed, normalize="case").rows == plain.rows
    answered = [place for place, label in enumerate(odd) if label != "refused"]
    kept = [[side[place] for place in answered] for side in (gold, a, b)]
    fewer = macrof1.plan(kept[0], {"x": kept[1], "y": kept[2]}, **listed)
    for outside in ("drop", "class", "wrong"):
        found = macrof1.plan(gold, {"x": loud, "y": odd}, **listed, normalize="case", outside=outside)
        request = Request(
            files=(path,), gold="gold", systems=("x", "y"), normalize=("case",), outside=outside, **listed
        )
        read = run_plan(request)
        assert (read.rows, read.low, read.high, read.notes) == (found.rows, found.low, found.high, found.notes)
        assert (found.rows == fewer.rows) == (outside == "drop")
        assert (found.notes[0].code == "answers_dropped") == (outside == "drop")
    with pytest.raises(InputError, match=r"system 'y': .*refused"):
        macrof1.plan(gold, {"x": a, "y": odd}, **listed, outside="error")


def test_the_detectable_difference():
    assert detectable_difference(0.01) == pytest.approx(0.02801585, rel=1e-5)
    assert detectable_difference(0.01, df=5) > 0.034
