"""compare(): two rankings, flips, tests, and invalid input."""

import csv
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import macrof1
from macrof1.comparing.inputs import labelled
from macrof1.counting.arrays import confusion
from macrof1.errors import EmptyError, LabelError, LengthError, MissingLabelError
from macrof1.reading.systems import systems_in_one
from macrof1.reading.tables import opened_tables

LABELS = st.sampled_from(["a", "b", "c"])
FOUR = st.lists(st.tuples(LABELS, LABELS, LABELS, LABELS), min_size=3, max_size=30)


@pytest.fixture(scope="module")
def germeval(root):
    cells = {}
    with (root / "examples/germeval2018/counts.csv").open() as file:
        for line in csv.DictReader(file):
            cells.setdefault(line["run"], []).append((line["gold"], line["pred"], int(line["count"])))
    return {run: macrof1.Confusion.from_cells(part) for run, part in cells.items()}


@pytest.fixture(scope="module")
def leaderboard(germeval):
    return macrof1.compare(germeval, n_resamples=200)


def test_germeval_2018(leaderboard):
    # The counts were rebuilt from the published table; see examples/germeval2018/README.md.
    assert len(leaderboard.systems) == 51
    assert leaderboard.rank_changes == 45
    assert (leaderboard.discordant_pairs, leaderboard.pairs) == (92, 1275)
    assert round(100 * max(system.gap for system in leaderboard.systems), 2) == 13.78
    hda = [flip for flip in leaderboard.flips if {"hda/coarse_1", "hda/coarse_2"} == _names(flip)]
    assert [flip.averaged_f1_prefers for flip in hda] == ["hda/coarse_1"]
    assert leaderboard.paired is False
    assert any("unpaired" in note for note in leaderboard.notes)


def _names(flip):
    return {flip.averaged_f1_prefers, flip.f1_of_averages_prefers}


def test_flips_are_sorted_by_size_and_equal_the_difference_of_gaps(leaderboard):
    gap = {system.name: system.gap for system in leaderboard.systems}
    sizes = [flip.size for flip in leaderboard.flips]
    assert sizes == sorted(sizes, reverse=True)
    for flip in leaderboard.flips:
        assert flip.averaged_f1_lead > 0 < flip.f1_of_averages_lead
        assert flip.size == pytest.approx(gap[flip.f1_of_averages_prefers] - gap[flip.averaged_f1_prefers], abs=1e-12)
        assert 0 < flip.probability <= 1


def test_pairs_that_cannot_flip_do_not_and_ties_share_a_rank(leaderboard):
    settled = [pair for pair in leaderboard.comparisons if pair.cannot_flip]
    assert len(settled) == leaderboard.settled_pairs > 0
    assert not any(pair.flip for pair in settled)
    assert max(pair.flip_probability for pair in settled) < 0.05
    iam = [system for system in leaderboard.systems if system.name.startswith("iam/")]
    assert [system.rank_averaged_f1 for system in iam] == [27, 27]
    pair = next(pair for pair in leaderboard.comparisons if {pair.a, pair.b} == {"iam/coarse_1", "iam/coarse_2"})
    assert not pair.flip
    assert pair.averaged_f1.p["delta"] == 1


@given(FOUR)
@settings(max_examples=60)
def test_scores_are_those_of_score(rows):
    gold, *preds = map(list, zip(*rows, strict=True))
    assume(len({label for row in rows for label in row}) > 1)
    systems = dict(zip("xyz", preds, strict=True))
    scored = {name: macrof1.score(gold, pred) for name, pred in systems.items()}
    assume(max(found.n_classes for found in scored.values()) > 1)
    result = macrof1.compare(gold, systems, n_resamples=100)
    for system in result.systems:
        own = scored[system.name]
        assert (system.averaged_f1, system.f1_of_averages, system.gap) == (own.averaged_f1, own.f1_of_averages, own.gap)
        assert system.n_classes == own.n_classes
    assert [system.rank_averaged_f1 for system in result.systems] == sorted(
        system.rank_averaged_f1 for system in result.systems
    )
    flips = 0
    for i, a in enumerate("xyz"):
        for b in "xyz"[i + 1 :]:
            d = [round(getattr(scored[a], f) - getattr(scored[b], f), 12) for f in ("averaged_f1", "f1_of_averages")]
            flips += d[0] * d[1] < 0
    assert result.discordant_pairs == flips


def _systems(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.choice(["x", "y", "z"], n_rows, p=[0.6, 0.3, 0.1])
    wrong = rng.choice(["x", "y", "z"], (3, n_rows))
    return gold.tolist(), {
        name: np.where(rng.random(n_rows) < right, gold, wrong[place]).tolist()
        for place, (name, right) in enumerate((("good", 0.9), ("fair", 0.6), ("fair too", 0.6)))
    }


def test_real_differences_are_found_and_others_are_not():
    gold, systems = _systems()
    for test in ("delta", "bootstrap", "randomisation"):
        result = macrof1.compare(gold, systems, test=test)
        found = {frozenset((pair.a, pair.b)): pair for pair in result.comparisons}
        assert found[frozenset(("good", "fair"))].averaged_f1.significant
        assert found[frozenset(("good", "fair too"))].f1_of_averages.significant
        assert not found[frozenset(("fair", "fair too"))].averaged_f1.significant
        assert set(result.comparisons[0].averaged_f1.p) == {"delta", "bootstrap", "randomisation"}
        assert result.null_hypothesis
        for pair in result.comparisons:
            for difference in (pair.averaged_f1, pair.f1_of_averages):
                assert all(difference.p_holm[name] >= p for name, p in difference.p.items())


def test_intervals_are_those_of_score():
    gold, systems = _systems()
    result = macrof1.compare(gold, systems, confidence_level=0.9)
    for system in result.systems:
        for formula in ("averaged_f1", "f1_of_averages"):
            own = macrof1.score(gold, systems[system.name]).interval(formula, confidence_level=0.9)
            assert getattr(system, f"{formula}_interval") == pytest.approx((own.low, own.high), rel=1e-9)
    boot = macrof1.compare(gold, systems, method="bootstrap")
    assert boot.systems[0].averaged_f1_interval != result.systems[0].averaged_f1_interval
    low, high = boot.systems[0].averaged_f1_interval
    assert low < boot.systems[0].averaged_f1 < high


def test_to_dict_has_the_promised_keys_is_plain_json_and_follows_the_seed():
    gold, systems = _systems(60)
    content, same, other = (macrof1.compare(gold, systems, n_resamples=100, rng=rng).to_dict() for rng in (0, 0, 1))
    assert content == same != other
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert {"systems", "pairs", "discordant_pairs", "kendall_tau", "flips"} <= set(content)
    assert {"name", "averaged_f1", "f1_of_averages", "gap", "rank_averaged_f1", "rank_f1_of_averages"} <= set(
        content["systems"][0]
    )
    assert macrof1.Convention.parse(content["signature"]["f1_of_averages"]).formula == "f1_of_averages"


def test_paired_is_sharper_than_unpaired():
    gold, systems = _systems()
    close = {"good": systems["good"], "nearly": [*systems["good"][:380], *systems["fair"][380:]]}
    paired = macrof1.compare(gold, close).comparisons[0].averaged_f1
    cells = {name: confusion(gold, pred) for name, pred in close.items()}
    unpaired = macrof1.compare(cells).comparisons[0].averaged_f1
    assert paired.difference == pytest.approx(unpaired.difference)
    assert paired.standard_error < 0.7 * unpaired.standard_error
    assert set(unpaired.p) == {"delta", "bootstrap"}


def test_several_labels_per_row():
    rng = np.random.default_rng(0)
    gold = rng.random((200, 3)) < 0.4
    a, b = (gold ^ (rng.random((200, 3)) < share) for share in (0.05, 0.3))
    result = macrof1.compare(gold, {"a": a, "b": b})
    assert result.systems[0].averaged_f1 == macrof1.score(gold, a).averaged_f1
    assert result.comparisons[0].averaged_f1.significant
    as_sets = [[{"pqr"[i] for i in np.flatnonzero(row)} for row in side] for side in (gold, a, b)]
    sets = macrof1.compare(as_sets[0], {"a": as_sets[1], "b": as_sets[2]})
    assert [s.averaged_f1 for s in sets.systems] == [s.averaged_f1 for s in result.systems]
    se = [found.comparisons[0].averaged_f1.standard_error for found in (sets, result)]
    assert se[0] == pytest.approx(se[1], rel=1e-12)
    with pytest.raises(LengthError, match="system 'b' has 199"):
        macrof1.compare(gold, {"a": a, "b": b[:-1]})
    with pytest.raises(LengthError, match="2"):
        macrof1.compare(gold, {"a": a, "b": b[:, :2]})
    with pytest.raises(LabelError, match="one kind on all sides"):
        macrof1.compare(gold, {"a": a, "b": as_sets[2]})


def test_counts_without_cells_give_ranks_and_flips_only(germeval):
    some = {run: germeval[run] for run in ("hda/coarse_1", "hda/coarse_2")}
    for change in (macrof1.Confusion.class_counts, lambda cells: macrof1.Confusion.from_matrix(
        cells.to_matrix(rows="gold") / 2, rows="gold", labels=cells.labels)):  # fmt: skip
        result = macrof1.compare({run: change(cells) for run, cells in some.items()})
        assert result.discordant_pairs == 1
        assert result.test is None
        assert result.systems[0].averaged_f1_interval is None
        assert any("ranks and flips only" in note for note in result.notes)
        assert json.loads(json.dumps(result.to_dict()))["comparisons"][0]["averaged_f1"]["p"] == {}


def test_different_test_sets_are_noticed(germeval):
    systems = {"a": germeval["hda/coarse_1"], "b": germeval["hda/coarse_1"] + germeval["hda/coarse_2"]}
    assert any("not scored on the same rows" in note for note in macrof1.compare(systems).notes)


def test_published_figures_are_of_the_same_classes():
    result = macrof1.compare({name: {"x": (0.5, 0.5), "y": (0.9, 0.2)} for name in "ab"})
    assert "|classes:listed(x,y)|k:2|" in result.signature()


def test_labels_that_gold_never_has_are_reported():
    result = macrof1.compare(["a", "b"] * 50, {"x": ["a", "b"] * 50, "y": ["a", "c"] * 50})
    assert any("System y predicts labels that gold never has ('c')" in note for note in result.notes)
    assert {system.name: system.n_classes for system in result.systems} == {"x": 2, "y": 3}
    gold = macrof1.compare(["a", "b"] * 50, {"x": ["a", "b"] * 50, "y": ["a", "c"] * 50}, classes="gold")
    assert {system.n_classes for system in gold.systems} == {2}
    assert not any("never has" in note for note in gold.notes)


def test_missing_labels_are_dropped_for_all_systems():
    gold = ["a", "b", None, "a", "b", "b"]
    systems = {"x": ["a", "b", "a", None, "b", "a"], "y": ["a", "a", "a", "a", "b", "b"]}
    with pytest.raises(MissingLabelError, match="2 of 6 rows"):
        macrof1.compare(gold, systems)
    dropped = macrof1.compare(gold, systems, missing="drop", n_resamples=100)
    assert dropped.n_rows == 4
    assert any("2 rows were left out" in note for note in dropped.notes)
    kept = {system.name: system.averaged_f1 for system in dropped.systems}
    assert kept["y"] == macrof1.score(["a", "b", "b", "b"], ["a", "a", "b", "b"]).averaged_f1
    labelled = macrof1.compare(gold, systems, missing="label", n_resamples=100)
    own = macrof1.score(gold, systems["x"], missing="label")
    assert next(s for s in labelled.systems if s.name == "x").averaged_f1 == own.averaged_f1
    with pytest.raises(EmptyError, match="all 2 rows lack a label"):
        macrof1.compare([None, "a"], {"x": ["a", None], "y": ["a", "a"]}, missing="drop")


def test_too_few_resamples_for_holm_are_said():
    gold, systems = _systems(100)
    systems |= {f"copy {i}": systems["fair"] for i in range(9)}
    result = macrof1.compare(gold, systems, test="randomisation", n_resamples=200)
    assert any("no randomisation test can reach" in note for note in result.notes)
    # The delta test reaches any p-value; where a randomisation must agree, that one may not.
    gold, systems = _systems(1000)
    assert not any("can reach" in note for note in macrof1.compare(gold, systems, n_resamples=100).notes)
    many = {f"copy {i}": systems["fair"] for i in range(9)} | {
        "other": [*systems["fair too"][:9], *systems["fair"][9:]]
    }
    few = macrof1.compare(gold, many | {"good": systems["good"]}, n_resamples=100)
    assert any("no randomisation can reach 0.05" in note for note in few.notes)


def test_progress_reaches_the_end_and_goes_on_while_pairs_are_rescored():
    gold, systems = _systems(100)
    many = {f"s{k}": np.roll(systems["fair"], k) for k in range(40)}
    for *sides, least in (
        (gold, systems, 2),
        ({n: confusion(gold, p) for n, p in systems.items()}, 2),
        (gold, many, 41),
    ):
        seen = []
        macrof1.compare(*sides, n_resamples=100, progress=seen.append)
        assert seen == sorted(seen)
        assert seen[-1] == pytest.approx(1)
        assert len(seen) >= least
        assert max(np.diff([0, *seen])) <= 0.5


def read_systems(path, weight=None):
    with opened_tables(path, True, None) as (table,):
        return labelled(systems_in_one([table], gold=None, systems=None, facts={"weight": weight}), "t")


def test_files_of_systems_read_numbers_as_files_of_predictions_do(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"gold": 1, "x": 1.0, "y": 1}\n{"gold": 2, "x": 2, "y": 1}\n')
    found = read_systems(path)
    assert (found.gold, found.systems["x"]) == ([1, 2], [1, 2])
    assert all(type(label) is int for label in found.systems["x"])
    table = pl.DataFrame({"gold": [1, 2, 1], "x": [1.0, None, 1.0], "y": [1, 1, 2]})
    table.write_parquet(tmp_path / "t.parquet")
    found = read_systems(tmp_path / "t.parquet")
    assert sorted(zip(found.gold, found.systems["x"], found.systems["y"], found.amounts, strict=True)) == [
        (1, 1, 1, 1), (1, 1, 2, 1), (2, None, 1, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("weight", ["1_0", " 2", "nan", "-1", "true", "0x1"])
def test_weights_of_systems_are_read_as_strictly_as_elsewhere(tmp_path, weight):
    path = tmp_path / "w.csv"
    path.write_text(f"gold,x,y,w\na,a,b,{weight}\nb,a,b,1\n")
    with pytest.raises(macrof1.InputError, match="line 2: the weight is"):
        read_systems(path, weight="w")
    path.write_text("gold,x,y,w\na,a,b,9007199254740993\nb,a,b,1.50\n")
    assert read_systems(path, weight="w").weights == [9007199254740993, 1.5]


def test_rare_classes_are_those_of_the_class_set():
    gold = ["a"] * 10 + ["b"] * 10 + ["c"] * 3 + ["y", "z"]
    systems = {"s": ["a"] * 20 + ["c"] * 5, "t": ["b"] * 20 + ["c"] * 5}
    found = macrof1.compare(gold, systems, labels=["a", "b", "c"], n_resamples=100)
    (rare,) = (note for note in found.notes if "fewer than 10 rows (" in note)
    assert rare.startswith("1 of 3 classes is gold or predicted in fewer than 10 rows (c)")


def test_a_system_without_rows_is_named():
    empty = confusion(["a", "b"], ["a", "b"], sample_weight=[0, 0])
    full = confusion(["a", "b", "b"], ["a", "b", "a"])
    for systems in ({"A": empty, "B": full}, {"B": full, "A": empty.class_counts()}):
        with pytest.raises(EmptyError, match=r"system 'A' has no rows \(all its counts are 0\)"):
            macrof1.compare(systems, n_resamples=100)


GOLD = ["a", "a", "b", "b", "c", "c", "O", "O", "O", "a"]
TWO = {"x": ["a", "b", "b", "b", "c", "O", "O", "O", "c", "O"], "y": ["a", "a", "a", "b", "O", "c", "O", "b", "O", "a"]}


def test_classes_can_be_left_out_of_every_kind_of_comparison():
    plain, counts = (
        macrof1.compare(GOLD, TWO, exclude=["O"]),
        macrof1.compare({name: macrof1.count(GOLD, pred) for name, pred in TWO.items()}, exclude=["O"]),
    )
    for result in (plain, counts):
        assert "exclude:O" in result.signature()
        for system in result.systems:
            alone = macrof1.score(GOLD, TWO[system.name], exclude=["O"])
            assert (system.averaged_f1, system.f1_of_averages) == (alone.averaged_f1, alone.f1_of_averages)
            assert system.n_classes == 3
    figures = {
        "x": {"a": (0.5, 0.4), "b": (0.2, 0.3), "O": (0.9, 0.9)},
        "y": {"a": (0.1, 0.4), "b": (0.3, 0.3), "O": (1, 1)},
    }
    assert macrof1.compare(figures, exclude=["O"]).systems[0].n_classes == 2
    assert (
        macrof1.plan(GOLD, TWO, difference=0.1, exclude=["O"]).n_rows != macrof1.plan(GOLD, TWO, difference=0.1).n_rows
    )
