"""Systems compared over units: paired by unit, whatever the input."""

import json
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

import macrof1
from tests.conftest import ROOT

DIGITS = ROOT / "examples" / "units" / "digits.jsonl"


@pytest.fixture(scope="module")
def digits():
    rows = [json.loads(line) for line in DIGITS.read_text().splitlines()]
    return {name: [row[name] for row in rows] for name in rows[0]}


def test_the_example_is_what_its_script_writes(tmp_path):
    script = tmp_path / "make.py"
    script.write_text((DIGITS.parent / "make.py").read_text())
    subprocess.run([sys.executable, str(script)], check=True)
    assert (tmp_path / "digits.jsonl").read_text() == DIGITS.read_text()


def error_of(apart):
    """Return the error of the paired t test, with a quarter of a query like those that differ and one all different."""
    n, sizes = len(apart), np.abs(apart - np.mean(apart)) * np.sqrt(len(apart) / (len(apart) - 1))
    return np.sqrt(stats.sem(apart) ** 2 + ((sizes**2).sum() + 1) / (sizes.sum() + 1) / 4 / n**2)


def values_of(gold, pred):
    return np.array([unit.f1 for unit in macrof1.score(gold, pred, over="rows").per_class])


def test_the_formulas_rank_two_systems_over_queries_differently(digits):
    systems = {name: digits[name] for name in ("nearest", "close")}
    result = macrof1.compare(digits["gold"], systems, over=digits["query"])
    (flip,) = result.flips
    assert (flip.averaged_f1_prefers, flip.f1_of_averages_prefers) == ("nearest", "close")
    apart = np.subtract(*(values_of(digits["gold"], own) for own in systems.values()))
    error = error_of(apart)
    theirs = 2 * stats.t.sf(abs(apart.mean()) / error, 99)
    (pair,) = result.comparisons
    assert pair.averaged_f1.p["delta"] == pytest.approx(theirs)
    assert pair.averaged_f1.interval == pytest.approx(stats.t.interval(0.95, 99, apart.mean(), error))
    assert pair.averaged_f1.p["randomisation"] == pytest.approx(theirs, abs=0.05)
    assert "over:unit" in result.signature()


def test_rows_files_and_counts_are_compared_alike(digits, tmp_path):
    systems = {name: digits[name] for name in ("nearest", "close")}
    lists = macrof1.compare(digits["gold"], systems, over="rows", rng=1)
    counts = {name: macrof1.count(digits["gold"], own, over="rows") for name, own in systems.items()}
    for other in (
        macrof1.compare(counts, rng=1),
        macrof1.compare_file(DIGITS, systems=["nearest", "close"], over="rows", rng=1),
        macrof1.compare_file(DIGITS, systems=["nearest", "close"], over="query", rng=1),
    ):
        for one, two in zip(lists.comparisons, other.comparisons, strict=True):
            assert two.f1_of_averages.p["delta"] == pytest.approx(one.f1_of_averages.p["delta"])
            assert two.averaged_f1.difference == pytest.approx(one.averaged_f1.difference)
    paths = []
    for name, own in counts.items():
        paths.append(tmp_path / f"{name}.counts.json")
        macrof1.save_counts(own, paths[-1])
    saved = macrof1.compare_file(list(map(str, paths)))
    assert saved.comparisons[0].averaged_f1.p["delta"] == pytest.approx(lists.comparisons[0].averaged_f1.p["delta"])


def test_the_bootstrap_draws_units_and_tells_how_often_two_systems_flip(digits):
    systems = {name: digits[name] for name in ("nearest", "close")}
    result = macrof1.compare(digits["gold"], systems, over="rows", method="bootstrap", test="bootstrap")
    (pair,) = result.comparisons
    rng, n = np.random.default_rng(5), len(digits["gold"])
    drawn = []
    for _ in range(300):
        rows = rng.integers(0, n, n).tolist()
        gold = [digits["gold"][row] for row in rows]
        each = [macrof1.score(gold, [own[row] for row in rows], over="rows") for own in systems.values()]
        drawn.append([(one.averaged_f1, one.f1_of_averages) for one in each])
    leads = np.diff(np.array(drawn), axis=1)[:, 0]
    assert pair.flip_probability == pytest.approx((leads[:, 0] * leads[:, 1] < 0).mean(), abs=0.08)
    assert pair.averaged_f1.p["bootstrap"] == pytest.approx(pair.averaged_f1.p["delta"], abs=0.05)
    low, high = np.quantile(np.array(drawn)[:, 0, 0], [0.025, 0.975])
    (nearest,) = (system for system in result.systems if system.name == "nearest")
    assert nearest.averaged_f1_interval == pytest.approx((low, high), abs=0.015)


def test_clusters_and_runs_of_units(digits, tmp_path):
    gold, own, other = (digits[name] * 3 for name in ("gold", "nearest", "close"))
    copies = list(range(100)) * 3
    once = macrof1.compare(digits["gold"], {"x": own[:100], "y": other[:100]}, over="rows").comparisons[0]
    found = macrof1.compare(gold, {"x": own, "y": other}, over="rows", cluster=copies)
    for f in ("averaged_f1", "f1_of_averages"):  # copies of a query say no more than one of them
        ours, theirs = getattr(found.comparisons[0], f), getattr(once, f)
        assert (ours.p["delta"], ours.interval) == (pytest.approx(theirs.p["delta"]), pytest.approx(theirs.interval))
    assert (found.n_clusters, "|clusters:100" in found.signature()) == (100, True)
    # Equal runs add no variance; different ones do, as s² / S says.
    runs = {"x": [own[:100]] * 2, "y": [other[:100]] * 2}
    same = macrof1.compare(digits["gold"], runs, over="rows").comparisons[0].averaged_f1
    assert same.standard_error == pytest.approx(once.averaged_f1.standard_error)
    mixed = macrof1.compare(digits["gold"], {**runs, "x": [own[:100], other[:100]]}, over="rows")
    values = [values_of(digits["gold"], run[:100]) for run in (own, other)]
    between = np.var(np.mean(values, axis=1), ddof=1) / 2
    halved = error_of((values[0] - values[1]) / 2) ** 2 + between
    assert mixed.comparisons[0].averaged_f1.standard_error == pytest.approx(np.sqrt(halved))
    assert "|runs:2" in mixed.signature()
    path = tmp_path / "runs.jsonl"
    rows = zip(digits["query"], digits["gold"], own, other, other, other, strict=False)
    names = ("query", "gold", "x@1", "x@2", "y@1", "y@2")
    path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    filed = macrof1.compare_file(path, over="query").comparisons[0].averaged_f1
    assert filed.p["delta"] == pytest.approx(mixed.comparisons[0].averaged_f1.p["delta"])


def test_equal_systems_do_not_differ_and_few_units_are_doubted():
    gold = [{"a", "b"}, {"a"}, {"b"}, {"c"}] * 8
    pred = [{"a"}, {"a"}, {"b", "c"}, {"c"}] * 8
    other = [*pred[:-1], {"b"}]
    result = macrof1.compare(gold, {"x": pred, "y": pred, "z": other}, over="rows")
    pairs = {(pair.a, pair.b): pair for pair in result.comparisons}
    assert pairs["x", "y"].averaged_f1.p["delta"] == 1
    assert pairs["x", "y"].averaged_f1.interval == pytest.approx(stats.t.interval(0.95, 31, 0, 0.5 / 32))
    assert "32 rows are few for differences spread so unevenly" in pairs["x", "z"].doubts[0]
    assert not pairs["x", "z"].averaged_f1.significant


def test_a_unit_that_is_empty_for_one_system_only():
    counts = {
        name: macrof1.ClassCounts.of(range(3), tp=[1, 1, 0], predicted=[1, 2, more], actual=[1, 1, 0], over="query")
        for name, more in (("x", 0), ("y", 1))
    }
    result = macrof1.compare(counts, empty="drop")
    assert {system.name: system.averaged_f1 for system in result.systems} == pytest.approx({"x": 5 / 6, "y": 5 / 9})


def test_a_lost_prediction_counts_as_not_retrieved(tmp_path):
    (tmp_path / "gold.csv").write_text("id,query,gold\n1,1,1\n2,1,1\n3,2,1\n4,2,0\n")
    (tmp_path / "x.csv").write_text("id,pred\n1,1\n2,1\n3,1\n4,1\n")
    (tmp_path / "y.csv").write_text("id,pred\n1,1\n3,1\n4,0\n")
    files = [tmp_path / name for name in ("gold.csv", "x.csv", "y.csv")]
    options = {"over": "query", "positive": "1", "missing_predictions": "wrong"}
    found = {system.name: system.averaged_f1 for system in macrof1.compare_file(files, **options).systems}
    assert found == pytest.approx({"x": 5 / 6, "y": 5 / 6})
    alone = macrof1.score_file(files[0], files[2], **options)
    assert [(unit.tp, unit.predicted, unit.actual) for unit in alone.per_class] == [(1, 1, 2), (1, 1, 1)]
