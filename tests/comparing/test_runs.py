"""Several runs on the same rows: against the explicit formulas, and against special cases."""

import numpy as np
import pytest

import macrof1
from macrof1.comparing.significance import crossed_errors


def runs(n_runs=4, n_rows=400, seed=0, spread=0.3):
    rng = np.random.default_rng(seed)
    gold = rng.choice(3, n_rows, p=[0.5, 0.3, 0.2])
    systems = {}
    for name in "ab":
        columns = []
        for _ in range(n_runs):
            right = 1 / (1 + np.exp(-(1 + spread * rng.normal())))
            columns.append(np.where(rng.random(n_rows) < right, gold, rng.integers(0, 3, n_rows)))
        systems[name] = columns
    return gold, systems


def test_the_formulas_written_out():
    rng = np.random.default_rng(0)
    moved, units = rng.normal(size=(5, 30)), rng.integers(1, 4, 30)
    scores = rng.normal(size=5)
    systems, errors, df = crossed_errors(moved, units, scores.tolist(), [[0, 1, 2], [3, 4]])
    parts, means = [], []
    for group in ([0, 1, 2], [3, 4]):
        n = len(group)
        mean = moved[group].mean(0)
        parts.append(np.var(scores[group], ddof=1) / n)
        means.append(mean)
    rows = (units * (means[0] - means[1]) ** 2).sum()
    variance = rows + sum(parts)
    assert errors[0, 1] == pytest.approx(np.sqrt(variance))
    below = parts[0] ** 2 / 2 + parts[1] ** 2 / 1
    assert df[0, 1] == pytest.approx(variance**2 / below)
    assert systems[0].sd == pytest.approx(np.std(scores[:3], ddof=1))


def test_runs_are_compared_by_their_means():
    gold, systems = runs()
    result = macrof1.compare(gold, systems)
    single = {name: [macrof1.averaged_f1(gold, run) for run in columns] for name, columns in systems.items()}
    for system in result.systems:
        assert system.averaged_f1 == pytest.approx(np.mean(single[system.name]))
        found = system.runs["averaged_f1"]
        assert found.scores == pytest.approx(tuple(single[system.name]))
        assert found.sd == pytest.approx(np.std(single[system.name], ddof=1))
        assert found.standard_error >= found.standard_error_rows > 0
        low, high = system.averaged_f1_interval
        assert low < system.averaged_f1 < high
    (pair,) = result.comparisons
    assert set(pair.averaged_f1.p) == {"delta"}
    assert pair.flip_probability is None
    assert any("means over 4 runs" in note for note in result.notes)


def test_identical_runs_say_no_more_than_one():
    gold, systems = runs(n_runs=1)
    one = macrof1.compare(gold, {name: columns[0] for name, columns in systems.items()}, n_resamples=100)
    same = macrof1.compare(gold, {name: columns * 5 for name, columns in systems.items()})
    expected, found = (result.comparisons[0].averaged_f1 for result in (one, same))
    assert found.difference == pytest.approx(expected.difference)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=0.02)


def test_one_run_in_a_list_is_a_plain_comparison():
    gold, systems = runs(n_runs=1)
    listed = macrof1.compare(gold, systems, n_resamples=100)
    plain = macrof1.compare(gold, {name: columns[0] for name, columns in systems.items()}, n_resamples=100)
    assert listed.to_dict() == plain.to_dict()


def test_a_system_with_one_run_is_named():
    gold, systems = runs()
    result = macrof1.compare(gold, {"a": systems["a"], "b": systems["b"][0]})
    assert any("1 system has one run only ('b')" in note for note in result.notes)
    assert result.comparisons[0].averaged_f1.standard_error > 0


def test_runs_of_label_sets():
    rng = np.random.default_rng(3)
    gold = [set(np.flatnonzero(row).tolist()) or {0} for row in rng.random((60, 3)) < 0.5]
    a, b = ([[{0} | labels, labels][at % 2] for at, labels in enumerate(gold)] for _ in range(2))
    result = macrof1.compare(gold, {"x": [a, b], "y": gold})
    assert len(result.systems[1].runs["averaged_f1"].scores) == 2


def test_runs_and_clusters_go_together():
    gold, systems = runs()
    rows = macrof1.compare(gold, systems)
    clusters = macrof1.compare(gold, systems, cluster=np.arange(400) // 4)
    alone = macrof1.compare(gold, systems, cluster=np.arange(400))
    error = [result.comparisons[0].averaged_f1.standard_error for result in (rows, alone)]
    assert error[0] == pytest.approx(error[1], rel=0.01)
    assert clusters.comparisons[0].averaged_f1.df < 100
