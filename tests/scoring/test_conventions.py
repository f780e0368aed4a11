"""Class sets and policies of real systems."""

import json
import math
import os
import re
import subprocess
import sys
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.cli import main
from macrof1.counting.arrays import confusion
from macrof1.scoring.gap import gap_pairs
from macrof1.scoring.system_scores import score_conventions

from ..oracles import close

PAIRS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1, max_size=25)


def exact(pairs, labels):
    rows = []
    for label in labels:
        tp = sum(gold == pred == label for gold, pred in pairs)
        rows.append((tp, sum(pred == label for _, pred in pairs), sum(gold == label for gold, _ in pairs)))
    return rows


@given(PAIRS)
def test_seen_leaves_out_listed_classes_that_never_occur(pairs):
    gold, pred = zip(*pairs, strict=True)
    rows = [row for row in exact(pairs, "abcdef") if row[1] or row[2]]
    result = macrof1.score(gold, pred, labels=list("abcdef"), classes="seen")
    assert result.n_classes == len(rows)
    assert close(result.averaged_f1, sum(Fraction(2 * t, p + g) for t, p, g in rows) / len(rows), relative=1e-14)


@given(PAIRS)
def test_drop_takes_each_mean_over_the_classes_where_it_is_defined(pairs):
    gold, pred = zip(*pairs, strict=True)
    rows = exact(pairs, "abcde")
    result = macrof1.score(gold, pred, labels=list("abcde"), undefined="drop")
    precision = [Fraction(t, p) for t, p, _ in rows if p]
    recall = [Fraction(t, g) for t, _, g in rows if g]
    f1 = [Fraction(2 * t, p + g) for t, p, g in rows if p + g]
    assert close(result.macro_precision, sum(precision) / len(precision), relative=1e-14)
    assert close(result.macro_recall, sum(recall) / len(recall), relative=1e-14)
    assert close(result.averaged_f1, sum(f1) / len(f1), relative=1e-14)
    whole = [Fraction(2 * t, p + g) for t, p, g in rows if p and g]
    parts = macrof1.score(gold, pred, labels=list("abcde"), undefined="drop_with_parts")
    if whole:
        assert close(parts.averaged_f1, sum(whole) / len(whole), relative=1e-14)
    else:
        with pytest.raises(macrof1.InputError, match="none is defined"):
            _ = parts.averaged_f1


@given(PAIRS)
def test_where_everything_is_defined_dropping_changes_nothing(pairs):
    gold, pred = zip(*[*pairs, *zip("abcd", "abcd", strict=True)], strict=True)
    usual = macrof1.score(gold, pred)
    for undefined in ("drop", "drop_with_parts"):
        same = macrof1.score(gold, pred, undefined=undefined)
        assert (same.averaged_f1, same.f1_of_averages, same.gap) == (usual.averaged_f1, usual.f1_of_averages, usual.gap)
        assert same.per_class == usual.per_class


def test_left_out_ratios_are_nan_in_python_and_null_in_json():
    result = macrof1.score([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 3, 0], undefined="drop_with_parts")
    never_predicted = result.per_class[2]
    assert math.isnan(never_predicted.precision)
    assert never_predicted.recall == 0
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert content["per_class"][2]["precision"] is None
    assert content["per_class"][2]["gap_share"] is None
    # Means over different classes: here averaged F1 is the larger one, which is why the gap has no shares.
    assert result.gap == pytest.approx(result.f1_of_averages - result.averaged_f1)
    assert result.gap < 0
    assert "left out" in result.explanation
    with pytest.raises(macrof1.InputError, match="no shares"):
        gap_pairs(result.counts, macrof1.Convention(undefined="drop"))


def test_groups_name_every_convention_once():
    counts = macrof1.count([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 3, 0], labels=range(5))
    result = score_conventions(counts)
    values = {score.known.name: score.value for score in result.scores}
    rounded = {None if value is None else round(value, 4) for value in values.values()}
    assert rounded == {0.2917, 0.3889, 0.2333, 0.4333, 0.5833, 0.5, 0.6333, None}
    assert [name for name, value in values.items() if value is None] == ["caret", "smile-before-6.2.5", "linfa"]
    assert sorted(score.known.name for _, members in result.groups for score in members) == sorted(values)
    assert len(result.notes) == 3
    assert "NaN is printed here by weka (Weka 3.9.3 and later): " in result.notes[0]
    assert "NaN is printed here by smile-before-6.2.5 and linfa: " in result.notes[1]
    assert result.notes[2] == "NaN is printed here by caret: no row of some class is right."
    unseen = score_conventions(macrof1.count([0, 1, 1, 2], [0, 1, 2, 2], labels=range(4)))
    assert [note.split(": ")[0].split()[-1] for note in unseen.notes] == ["smile-before-6.2.5", "caret"]
    assert not score_conventions(macrof1.count([0, 1, 1, 2], [0, 1, 2, 2], labels=range(3))).notes
    undeclared = score_conventions(macrof1.count([0, 1], [0, 1]))
    assert "stand in" in undeclared.notes[0]
    nothing = score_conventions(macrof1.count([0, 0], [1, 1]))
    assert {score.known.name: score.value for score in nothing.scores}["yardstick"] is None


def test_a_convention_is_taken_by_name_or_as_an_object_everywhere(tmp_path):
    gold, pred = ["a", "a", "b", "c"], ["a", "b", "b", "d"]
    path = tmp_path / "preds.csv"
    path.write_text("gold,pred\n" + "".join(f"{g},{p}\n" for g, p in zip(gold, pred, strict=True)))
    frame = pl.DataFrame({"gold": gold, "pred": pred, "fold": [1, 1, 2, 2]})
    columns = {"gold": "gold", "pred": "pred"}
    expected = macrof1.score(gold, pred, classes="gold").averaged_f1
    for convention in ("weka", macrof1.Convention(classes="gold")):
        accumulator = macrof1.Accumulator().update(gold, pred)
        results = (
            macrof1.score(gold, pred, convention=convention),
            macrof1.score_counts(macrof1.count(gold, pred), convention=convention),
            macrof1.score_matrix(confusion(gold, pred).to_matrix(rows="gold"), rows="gold", convention=convention),
            macrof1.score_file(path, convention=convention),
            macrof1.score_frame(frame, **columns, convention=convention),
            macrof1.score_groups(frame, **columns, by="fold", convention=convention).total,
            macrof1.score_file(path, by="gold", convention=convention).total,
            accumulator.score(convention=convention),
        )
        assert {result.averaged_f1 for result in results} == {expected}
        assert macrof1.averaged_f1(gold, pred, convention=convention) == expected
        systems = {"x": pred, "y": gold}
        assert macrof1.compare(gold, systems, convention=convention).systems[1].averaged_f1 == expected


def test_signatures_of_any_policy_differ_and_stay_short():
    gold, pred = list("abcab"), list("abbac")
    many = [str(x) for x in range(1000)]
    calls = [
        {}, {"labels": list("ab")}, {"labels": list("bc")}, {"labels": list("abc")}, {"labels": list("abcd")},
        {"exclude": ["a"]}, {"exclude": ["b"]}, {"undefined": 1}, {"classes": "gold"}, {"beta": 2},
        {"sample_weight": [0.5] * 5},
    ]  # fmt: skip
    lines = [macrof1.score(gold, pred, **options).signature() for options in calls]
    assert len(set(lines)) == len(lines)
    assert lines[1].startswith("averaged_f1|classes:listed(a,b)|k:2|")
    assert "|exclude:a|" in lines[5]
    assert len(macrof1.score(many, many).signature()) < 130
    lines = [macrof1.score(labels, labels).signature() for labels in (many, many[::-1])]
    assert lines[0] != lines[1]  # without ids, the order of rows tells one gold column from another
    assert len({re.sub(r"\|gold:\w+", "", line) for line in lines}) == 1


def test_signatures_say_what_was_left_out():
    whole = macrof1.score(["a", "b"], ["a", "b"])
    fewer = macrof1.score(["a", "b", None], ["a", "b", "a"], missing="drop")
    for result in (whole, fewer):
        assert re.search(r"\|rows:2\|gold:[0-9a-f]{8}\|", result.signature())
    without = [re.sub(r"\|gold:\w+", "", result.signature()) for result in (whole, fewer)]
    assert without[1] == without[0].replace("|version", "|missing:drop|version")
    assert whole.signature() != fewer.signature().replace("|missing:drop", "")  # another gold column
    frame = pl.DataFrame({"gold": ["a", "b"] * 3, "pred": ["a", "a"] * 3, "fold": [1, 1, 2, 2, 3, 3]})
    folded = macrof1.score_groups(frame, gold="gold", pred="pred", by="fold", normalize="case")
    assert all("|normalize:case|" in group.result.signature() for group in folded.groups)


def test_comparisons_are_signed_with_their_runs_and_clusters():
    gold, run = list("aabbab"), list("abbbaa")
    runs = macrof1.compare(gold, {"x": [run, gold], "y": [gold, run, run]})
    assert "|runs:2,3|" in runs.signature()
    clusters = macrof1.compare(gold, {"x": run, "y": gold}, cluster=[1, 1, 2, 2, 3, 3])
    assert "|clusters:3|" in clusters.signature()
    assert "runs" not in clusters.signature()
    for result in (runs, clusters):
        assert str(macrof1.Signature.parse(result.signature())) == result.signature()


@given(st.text(max_size=12).filter(lambda text: text.isprintable() or text.isascii()))
def test_any_name_of_a_file_stands_in_a_signature(name):
    signature = macrof1.Signature(convention=macrof1.Convention(), n_classes=2, facts=(("config", name),))
    assert len(str(signature).splitlines()) == 1
    assert macrof1.Signature.parse(str(signature)) == signature


def test_signatures_are_the_same_in_every_process():
    program = "import macrof1; x = ['x y|', 'b', ',', '1']; print(macrof1.score(x, x, exclude=['b']).signature())"
    lines = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "2")
    }  # fmt: skip
    assert len(lines) == 1


def test_old_signatures_still_read():
    old = "averaged_f1|classes:union|n:3|undefined:0|beta:1|task:multiclass|weights:no|version:0.1.0"
    assert str(macrof1.Signature.parse(old)) == old.replace("|n:3|", "|k:3|rows:-|gold:-|")
    assert macrof1.Convention.parse(old) == macrof1.Convention()


def test_excluded_classes_leave_the_mean_and_their_rows_stay(tmp_path, capsys):
    gold, pred = ["O", "A", "A", "B", "O"], ["A", "A", "O", "B", "O"]
    result = macrof1.score(gold, pred, exclude=["O"])
    listed = macrof1.score(gold, pred, labels=["A", "B"])
    assert (result.averaged_f1, result.f1_of_averages) == (listed.averaged_f1, listed.f1_of_averages)
    assert (result.n_classes, result.n_rows, result.exclude) == (2, 5, ("O",))
    assert result.interval().standard_error == pytest.approx(listed.interval().standard_error)
    assert result.gap == pytest.approx(listed.gap)
    with pytest.raises(macrof1.InputError, match="did you mean 'O'"):
        macrof1.score(gold, pred, exclude=["o"])
    with pytest.raises(macrof1.InputError, match="leaves no class"):
        _ = macrof1.score(gold, pred, exclude=["O", "A", "B"]).averaged_f1
    frame = pl.DataFrame({"gold": gold, "pred": pred, "d": [1, 1, 1, 2, 2]})
    grouped = macrof1.score_groups(frame, gold="gold", pred="pred", by="d", exclude=["O"])
    assert grouped.total.averaged_f1 == result.averaged_f1
    assert grouped[2].n_classes == 1
    numbers = frame.select(gold=pl.col("gold").replace_strict({"O": 0, "A": 1, "B": 2}), pred=pl.lit(1))
    numbers.write_parquet(tmp_path / "p.parquet")
    assert main(["score", str(tmp_path / "p.parquet"), "--exclude", "0", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["exclude"] == [0]
