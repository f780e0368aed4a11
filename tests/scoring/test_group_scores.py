"""Groups of rows, and the two ways to average over them."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import macrof1
from macrof1.counts import GroupedCounts, Making
from macrof1.message import Note
from macrof1.reporting.rendering import document, render
from macrof1.running.identifying import identify_read
from macrof1.scoring.group_scores import score_grouped_counts

from ..oracles import Exact, close
from ..strategies import LABELS

ROWS = st.lists(st.tuples(LABELS, LABELS, st.sampled_from(["u", "v", "w"])), min_size=1, max_size=40)


@given(ROWS)
def test_both_averages_equal_the_definition(rows):
    frame = pl.DataFrame(rows, schema=["gold", "pred", "fold"], orient="row")
    result = macrof1.score_groups(frame, gold="gold", pred="pred", by="fold")
    exact = {}
    for fold in sorted({row[2] for row in rows}):
        gold, pred = zip(*[row[:2] for row in rows if row[2] == fold], strict=True)
        counts = macrof1.count(gold, pred)
        exact[fold] = Exact(list(counts.tp), list(counts.predicted), list(counts.actual))
        assert result[fold].counts == counts
    for formula in ("averaged_f1", "f1_of_averages"):
        mean = sum(getattr(part, formula) for part in exact.values()) / len(exact)
        assert close(result.mean_of_scores(formula), mean, relative=1e-14)
        gold, pred, _ = zip(*rows, strict=True)
        assert result.score_of_pooled_counts(formula) == getattr(macrof1.score(gold, pred), formula)
    assert result.total.n_rows == len(rows) == sum(group.result.n_rows for group in result.groups)


def test_text_and_csv_name_both_averages():
    frame = pl.DataFrame({"gold": list("aabb"), "pred": list("abbb"), "fold": [1, 1, 2, 2], "x": list("uvuv")})
    result = macrof1.score_groups(frame, gold="gold", pred="pred", by=["fold", "x"], beta=2)
    shown = render(document(result, digits=2), "text")
    assert "mean of scores" in shown
    assert "score of pooled counts" in shown
    assert "averaged F2" in shown
    lines = render(document(result), "csv").splitlines()
    assert lines[0] == "scope,fold,x,averaged_f1,f1_of_averages,gap,n_classes,n_rows"
    assert [line.split(",")[0] for line in lines[1:]] == ["group"] * 4 + ["mean_of_scores", "score_of_pooled_counts"]


def test_a_group_whose_rows_weigh_nothing_is_named():
    frame = pl.DataFrame({"gold": ["a", "b", "a"], "pred": ["a", "a", "b"], "w": [1, 2, 0], "d": ["x", "x", "y"]})
    with pytest.raises(macrof1.InputError, match="d y: all weights are 0"):
        macrof1.score_groups(frame, gold="gold", pred="pred", sample_weight="w", by="d")


def test_runs_on_the_same_rows_are_not_pooled_as_independent_rows():
    rng = np.random.default_rng(0)
    gold = rng.choice(list("aab"), 200)
    pred = np.where(rng.random(200) < 0.8, gold, "a")
    runs = pl.DataFrame({"seed": np.repeat(range(5), 200), "gold": np.tile(gold, 5), "pred": np.tile(pred, 5)})
    found = macrof1.score_groups(runs, gold="gold", pred="pred", by="seed")
    assert found.repeated
    assert any("same gold counts" in note for note in found.notes)
    with pytest.raises(macrof1.InputError, match="same gold counts"):
        found.total.interval()
    assert found[0].interval().low < found[0].averaged_f1
    folds = macrof1.score_groups(runs.rename({"seed": "fold"}), gold="gold", pred="pred", by="fold")
    assert not folds.repeated
    assert folds.total.interval().low < folds.total.averaged_f1
    # Rows that every run has are clusters: then the runs may be taken together.
    named = runs.with_columns(row=pl.Series(np.tile(np.arange(200), 5)))
    known = macrof1.score_groups(named, gold="gold", pred="pred", by="seed", cluster="row")
    single = macrof1.score(gold, pred, cluster=range(200)).interval(method="delta")
    assert known.total.interval(method="delta").standard_error == pytest.approx(single.standard_error)


def test_folds_have_a_corrected_standard_error():
    rng = np.random.default_rng(1)
    gold = rng.choice(list("abc"), 300)
    pred = np.where(rng.random(300) < 0.7, gold, "a")
    for k in (2, 5):
        frame = pl.DataFrame({"fold": np.arange(300) % k, "gold": gold, "pred": pred})
        found = macrof1.score_groups(frame, gold="gold", pred="pred", by="fold")
        scores = [group.result.averaged_f1 for group in found.groups]
        expected = np.sqrt(np.var(scores, ddof=1) * (1 / k + 1 / (k - 1)))
        assert found.fold_standard_error() == found.fold_standard_error("averaged_f1") == pytest.approx(expected)
    one = macrof1.score_groups(frame.filter(pl.col("fold") == 1), gold="gold", pred="pred", by="fold")
    assert one.fold_standard_error() is None


def grouped(by=("d",), **groups):
    """Count groups given as pairs of gold and predicted labels."""
    parts = {name: macrof1.count(list(gold), list(pred)) for name, (gold, pred) in groups.items()}
    keyed = tuple(((name,), part) for name, part in parts.items())
    return GroupedCounts(by=by, groups=keyed, total=sum(parts.values()))


def test_groups_with_the_same_gold_counts_are_runs_unless_they_are_folds():
    def repeated(by="seed", **groups):
        return score_grouped_counts(grouped(by=(by,), **groups)).repeated

    assert repeated(u=("aab", "aab"), v=("aab", "abb"))
    assert repeated(u=("aab", "aab"), v=("aab", "abb"), w=("aba", "aaa"))
    assert repeated(u=("aab", "aab"), v=("aab", "abc"))  # c is never gold
    assert not repeated(u=("aab", "aab"))
    assert not repeated(u=("aab", "aab"), v=("aab", "aab"), w=("abb", "aab"))
    assert not repeated(u=("abb", "aab"), v=("aab", "aab"), w=("aab", "aab"))
    assert not repeated(u=("aab", "aab"), v=("abc", "abc"))
    for name in ("fold", " Fold ", "CV", "split", "folds", "cv_fold", "fold_id"):
        assert not repeated(name, u=("aab", "aab"), v=("aab", "abb"))


def test_the_notes_of_groups():
    one = score_grouped_counts(grouped(u=("ab", "ab"), v=("aaa", "aaa")))
    assert one.notes[-1] == (
        "1 of 2 groups has fewer classes than all rows together: each is averaged over its own classes; labels= "
        "averages all over the same."
    )
    assert one.notes[-1].code == one.to_dict()["note_codes"][-1] == "groups_lack_classes"
    two = score_grouped_counts(grouped(u=("abc", "abc"), v=("aa", "aa"), w=("bb", "bb")))
    assert two.notes[-1].startswith("2 of 3 groups have fewer classes")
    runs = score_grouped_counts(grouped(u=("ab", "ab"), v=("ab", "aa")))
    assert runs.notes[-1].startswith("All 2 groups have the same gold counts, as runs on the same rows have: ")
    assert runs.notes[-1].code == "rows_repeated"


def test_the_notes_of_the_total_are_kept_but_for_the_noise_of_the_gap():
    rows = {"gold": ["a", "b", None] * 40, "pred": ["a", "a", "b"] * 21 + ["b", "b", "b"] * 19}
    frame = pl.DataFrame({**rows, "d": ["u"] * 57 + ["v"] * 63})
    plain = macrof1.score_groups(frame, gold="gold", pred="pred", by="d", missing="drop")
    making = Making(notes=(Note("Answers were left out.", code="answers_dropped"),))
    found = replace(plain, total=replace(plain.total, making=making))
    assert [note.code for note in found.total.notes] == ["answers_dropped", "rows_dropped", "gap_within_noise"]
    assert [note.code for note in found.notes] == ["answers_dropped", "rows_dropped"]


def test_a_group_that_does_not_exist_is_told_with_the_first_eight():
    found = score_grouped_counts(grouped(**{f"g{place}": ("ab", "ab") for place in range(9)}))
    with pytest.raises(KeyError) as error:
        found["x"]
    assert error.value.args[0] == ("no group 'x' of d: there are d=g0; d=g1; d=g2; d=g3; d=g4; d=g5; d=g6; d=g7")
    numbers = GroupedCounts(by=("k",), groups=(((1,), found.total.counts),), total=found.total.counts)
    whole = score_grouped_counts(numbers)
    assert whole[1] is whole[1,] is whole.groups[0].result
    for key in (True, 1.0):
        with pytest.raises(KeyError):
            whole[key]


def test_groups_are_scored_by_the_paper_unless_told_otherwise():
    counts = grouped(u=("aab", "abc"), v=("abb", "aab"))
    plain = score_grouped_counts(counts)
    assert plain.total.convention == plain["u"].convention == macrof1.Convention()
    other = score_grouped_counts(counts, macrof1.Convention(classes="gold", undefined=1, beta=0.5, exclude=("c",)))
    assert other.total.convention == macrof1.Convention(classes="gold", undefined=1, beta=0.5, exclude=("c",))
    assert other["v"].exclude == ()  # which lacks it


def test_a_mean_of_macro_scores_is_named_beside_the_pooled_one_and_that_over_folds():
    folds = ((3, 4, 3), (1, 1, 2)), ((1, 2, 2), (2, 3, 3))
    parts = []
    for rows in folds:
        tp, predicted, actual = zip(*rows, strict=True)
        parts.append(
            macrof1.ClassCounts.of(["a", "b"], tp=tp, predicted=predicted, actual=actual, task="multilabel")
        )  # fmt: skip
    grouped = GroupedCounts(by=("fold",), groups=((("1",), parts[0]), (("2",), parts[1])), total=parts[0] + parts[1])
    result = score_grouped_counts(grouped)
    assert result.mean_of_scores() == pytest.approx(113 / 168)
    assert result.score_of_pooled_counts() == pytest.approx(23 / 33)
    content = result.to_dict()
    assert content["difference"]["averaged_f1"] == pytest.approx(113 / 168 - 23 / 33)
    assert "|nested:fold|" in content["signature"]["mean_of_scores"]["averaged_f1"]
    assert "nested" not in content["signature"]["score_of_pooled_counts"]["averaged_f1"]
    named = {score.definition: score.value for score in identify_read(grouped, "0.7").scores}
    assert named["averaged_f1 over fold"] == pytest.approx(0.7)
    assert named["f1_of_averages over fold"] == pytest.approx(0.7)
    sums = [[sum(column) for column in zip(*rows, strict=True)] for rows in folds]
    over = macrof1.ClassCounts.of(
        ["1", "2"], **dict(zip(("tp", "predicted", "actual"), zip(*sums, strict=True), strict=True)), over="fold"
    )
    assert macrof1.score_counts(over).averaged_f1 == pytest.approx(0.7)
